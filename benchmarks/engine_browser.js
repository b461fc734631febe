// Diagnose a log with the engine in a module worker of Chromium: node benchmarks/engine_browser.js INDEX LOG [ROUNDS]
//
// Prints for each round the seconds from the drop of the file to the answer, the CPU seconds of all processes of the
// browser, the growth of the page's processes in MB at its peak, and the longest gap between two ticks of a timer in the
// page, while the worker is busy and in as much time while it is not.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, resolve } from "node:path";

import { chromium } from "playwright-core";

const [indexPath, log, rounds = "1"] = process.argv.slice(2);
if (!indexPath || !log) throw new Error("usage: node benchmarks/engine_browser.js INDEX LOG [ROUNDS]");
const ENGINE = new URL("../plugins/faultbook/assets/engine/", import.meta.url);
const TYPES = { ".js": "text/javascript", ".json": "application/json", ".html": "text/html; charset=utf-8" };
const PAGE = "<!doctype html><title>benchmark</title><input type=file>";
const TICKS = 100;
const MB = 1 << 20;

const server = createServer((request, response) => {
  const path = new URL(request.url, "http://localhost").pathname;
  response.writeHead(200, { "content-type": TYPES[extname(path)] ?? TYPES[".html"] });
  if (path.startsWith("/engine/")) response.end(readFileSync(new URL(path.slice("/engine/".length), ENGINE)));
  else response.end(path === "/index.json" ? readFileSync(indexPath) : PAGE);
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));

const options = { executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] };
const launched = await chromium.launchServer(options);
const browser = await chromium.connect(launched.wsEndpoint());
const page = await browser.newPage();
page.on("pageerror", (error) => console.error(error));
await page.goto(`http://127.0.0.1:${server.address().port}/`);
await page.setInputFiles("input", resolve(log));
await page.evaluate(prepare);
const found = [];
for (let round = 0; round < Number(rounds); round++) found.push(await measured());
console.log(JSON.stringify(found));
await browser.close();
await launched.close();
server.close();

/** One diagnosis in a fresh worker, measured from outside and inside. */
async function measured() {
  // The mark of the highest resident memory starts anew from here.
  for (const pid of renderers()) writeFileSync(`/proc/${pid}/clear_refs`, "5");
  const before = { cpu: cpuSeconds(), memory: memory("VmRSS") };
  const inside = await page.evaluate(diagnoseFile);
  const cpu = cpuSeconds() - before.cpu;
  const grown = memory("VmHWM") - before.memory;
  const idle = await page.evaluate((seconds) => globalThis.longestGap(new Promise((done) => setTimeout(done, 1000 * seconds))), inside.wall);
  return { ...inside, cpu, memory: grown / MB, idle: idle.gap };
}

/** Runs in the page: a timer beside some work. */
function prepare() {
  globalThis.longestGap = async (work) => {
    let last = performance.now();
    let gap = 0;
    const timer = setInterval(() => {
      const now = performance.now();
      gap = Math.max(gap, now - last);
      last = now;
    }, 1);
    const result = await work;
    clearInterval(timer);
    return { gap: Math.max(gap, performance.now() - last), result };
  };
}

/** Runs in the page. */
async function diagnoseFile() {
  const file = document.querySelector("input").files[0];
  const worker = new Worker("/engine/worker.js", { type: "module" });
  const reply = (type) =>
    new Promise((done, fail) => {
      worker.addEventListener("message", ({ data }) => {
        if (data.type === type) done(data);
        if (data.type === "error") fail(new Error(data.message));
      });
    });
  const ready = reply("ready");
  worker.postMessage({ id: 1, type: "load", index: "/index.json", search: null });
  await ready;
  const started = performance.now();
  const answered = reply("answer");
  worker.postMessage({ id: 2, type: "diagnose", files: [{ name: file.name, file }] });
  const { gap, result } = await globalThis.longestGap(answered);
  const wall = (performance.now() - started) / 1000;
  worker.terminate();
  return { wall, gap, answer: result.answer };
}

/** The processes of the browser, by their parents. */
function processes() {
  const parents = new Map();
  for (const name of readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name))) {
    try {
      const fields = readFileSync(`/proc/${name}/stat`, "utf-8").split(") ").at(-1).split(" ");
      parents.set(Number(name), { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) });
    } catch {
      // It has ended meanwhile.
    }
  }
  const wanted = new Set([launched.process().pid]);
  for (let size = 0; size < wanted.size; ) {
    size = wanted.size;
    for (const [pid, { parent }] of parents) if (wanted.has(parent)) wanted.add(pid);
  }
  return [...wanted].filter((pid) => parents.has(pid)).map((pid) => ({ pid, ...parents.get(pid) }));
}

function cpuSeconds() {
  return processes().reduce((sum, { ticks }) => sum + ticks, 0) / TICKS;
}

/** The processes of pages; one of them has the page and its worker, the others do nothing. */
function renderers() {
  const isRenderer = (pid) => readFileSync(`/proc/${pid}/cmdline`, "utf-8").includes("--type=renderer");
  return processes().map(({ pid }) => pid).filter(isRenderer);
}

function memory(key) {
  const value = (pid) => Number(new RegExp(`${key}:\\s+([0-9]+)`).exec(readFileSync(`/proc/${pid}/status`, "utf-8"))[1]);
  return 1024 * renderers().reduce((sum, pid) => sum + value(pid), 0);
}
