// Ask the searches of Material for MkDocs and of Pagefind, in Chromium.
//
// usage: node benchmarks/search_peers.js SITE WORKER QUERIES
//
// SITE is a built site with Pagefind's index and with `search/search_index.json` of Material's plugin; WORKER is the script
// with which Material searches; QUERIES is a JSON file with a list of texts. Prints for each peer the slugs of the
// entries that it finds for each query, the best first.
import { createReadStream, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";

import { chromium } from "playwright-core";

const [site, worker, queriesPath] = process.argv.slice(2);
if (!site || !worker || !queriesPath) throw new Error("usage: node benchmarks/search_peers.js SITE WORKER QUERIES");
const TYPES = { ".js": "text/javascript", ".json": "application/json", ".html": "text/html; charset=utf-8" };
const queries = JSON.parse(readFileSync(queriesPath, "utf-8"));

const server = createServer((request, response) => {
  const path = new URL(request.url, "http://localhost").pathname;
  const file = path === "/worker.js" ? worker : join(site, path);
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) {
    response.writeHead(path === "/" ? 200 : 404, { "content-type": TYPES[".html"] });
    response.end("<!doctype html><title>benchmark</title>");
    return;
  }
  response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
  createReadStream(file).pipe(response);
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const page = await browser.newPage();
await page.goto(`http://127.0.0.1:${server.address().port}/blank`);
const found = { material: await page.evaluate(askMaterial, queries), pagefind: await page.evaluate(askPagefind, queries) };
console.log(JSON.stringify(found));
await browser.close();
server.close();

/** Runs in the page. The messages are those of Material's own script: 0 sets up, 2 asks. */
async function askMaterial(queries) {
  const worker = new Worker("/worker.js");
  const ask = (message) =>
    new Promise((done) => {
      worker.onmessage = ({ data }) => done(data.data);
      worker.postMessage(message);
    });
  const index = await (await fetch("/search/search_index.json")).json();
  await ask({ type: 0, data: { ...index, options: { suggest: false } } });
  const found = [];
  for (const query of queries) {
    const { items } = await ask({ type: 2, data: query });
    found.push(items.map((group) => /entries\/([^/]+)/.exec(group[0].location)[1]));
  }
  worker.terminate();
  return found;
}

/** Runs in the page. */
async function askPagefind(queries) {
  const pagefind = await import(new URL("/pagefind/pagefind.js", location.href).href);
  await pagefind.init();
  const found = [];
  for (const query of queries) {
    const { results } = await pagefind.search(query);
    const pages = await Promise.all(results.slice(0, 3).map((result) => result.data()));
    found.push(pages.map(({ url }) => /entries\/([^/]+)/.exec(url)[1]));
  }
  return found;
}
