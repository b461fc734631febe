// A fresh page of the built site in a real browser.
import { existsSync } from "node:fs";
import { join } from "node:path";

import { chromium } from "playwright-core";

import { SITE_DIR, startServer } from "./server.js";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {{page: Page, root: URL, open: (path: string) => Promise<import("playwright-core").Response | null>}} Visit */

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const ARGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"];

/** Why no test can run here, or false. */
export const UNAVAILABLE = missing();

function missing() {
  if (!existsSync(CHROMIUM)) return `no browser at '${CHROMIUM}', set CHROMIUM to its path`;
  if (!existsSync(join(SITE_DIR, "404.html"))) return `no built site in '${SITE_DIR}', build it first or set SITE_DIR`;
  return false;
}

/** @type {Promise<{browser: import("playwright-core").Browser, root: URL, close: () => Promise<void>}> | undefined} */
let running;

/** @type {Map<boolean, Promise<Page>>} */
const pages = new Map();

/** The browser and the server, started once for each test file. */
function start() {
  running ??= (async () => {
    const server = await startServer();
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS });
    const close = async () => {
      await browser.close();
      server.close();
    };
    return { browser, root: server.root, close };
  })();
  return running;
}

/** Ends what was started. */
export async function stop() {
  await (await running)?.close();
}

/**
 * The page with or without JavaScript. A new one costs more time than all that most tests do, so each is kept.
 * @param {boolean} scripts
 */
async function pageFor(scripts) {
  const { browser } = await start();
  const known = pages.get(scripts);
  if (known) return known;
  const permissions = ["clipboard-read", "clipboard-write"];
  const context = await browser.newContext({ javaScriptEnabled: scripts, permissions });
  context.setDefaultTimeout(15_000);
  const page = context.newPage();
  pages.set(scripts, page);
  return page;
}

/**
 * Takes back what a test has changed.
 * @param {Page} page
 */
async function reset(page) {
  await page.evaluate(() => {
    if (location.protocol !== "http:") return;
    localStorage.clear();
    sessionStorage.clear();
  });
  for (const name of ["request", "requestfailed", "response", "pageerror", "console"]) page.removeAllListeners(name);
  await page.unrouteAll();
  // Without this, opening the same page at another fragment would not load it again.
  await page.goto("about:blank");
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ media: null, colorScheme: null, reducedMotion: "reduce" });
}

/** Waits for the entry module, which waits for the features that it loads. Runs in the page. */
function featuresStarted() {
  const script = document.querySelector("script[src$='/faultbook.js']");
  return import(script instanceof HTMLScriptElement ? script.src : "no entry module");
}

/**
 * Gives a clean page to a function.
 * @param {{scripts: boolean}} options
 * @param {(visit: Visit) => Promise<void>} body
 */
export async function visit({ scripts }, body) {
  const { root } = await start();
  const page = await pageFor(scripts);
  /** @param {string} path */
  const open = async (path) => {
    const response = await page.goto(new URL(path, root).href);
    if (scripts) await page.evaluate(featuresStarted);
    return response;
  };
  await reset(page);
  await body({ page, root, open });
}

/**
 * The address that the page shows now; `page.url()` may lag behind.
 * @param {Page} page
 */
export async function addressOf(page) {
  return new URL(await page.evaluate(() => location.href));
}

/**
 * Presses Tab until the focus is on an element that matches, as a reader without a mouse does.
 * @param {Page} page
 * @param {string} selector
 */
export async function tabTo(page, selector) {
  for (let presses = 0; presses < 400; presses += 1) {
    await page.keyboard.press("Tab");
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) return;
  }
  throw new Error(`'${selector}' is not among the first 400 tab stops`);
}
