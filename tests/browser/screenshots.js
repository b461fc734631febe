// Pictures of each kind of page: `node tests/browser/screenshots.js OUTDIR`.
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { stop, UNAVAILABLE, visit } from "./browser.js";
import { CATEGORIES, LONG_ENTRY, TAGS, UNKNOWN, UNPUBLISHED } from "./pages.js";

/** @typedef {{name: string, path: string, at?: string, height?: number}} Shot */

/** @type {Shot[]} */
const SHOTS = [
  { name: "home", path: "" },
  { name: "entry-1-top", path: LONG_ENTRY, height: 1500 },
  { name: "entry-2-checklist", path: LONG_ENTRY, at: "#checklist", height: 1700 },
  { name: "entry-3-fix", path: LONG_ENTRY, at: "#fix", height: 1700 },
  { name: "entry-4-theory", path: LONG_ENTRY, at: "#symptoms", height: 2300 },
  { name: "entry-5-end", path: LONG_ENTRY, at: "#references", height: 1500 },
  ...CATEGORIES.map((path) => ({ name: "category", path })),
  ...TAGS.map((path) => ({ name: "tag", path })),
  { name: "signatures", path: "signatures/" },
  { name: "codes", path: "codes/" },
  { name: "groups", path: "systems/" },
  { name: "404", path: UNKNOWN },
  ...UNPUBLISHED.slice(0, 1).map((path) => ({ name: "draft", path })),
];

/**
 * @param {string} directory
 * @param {Shot} shot
 * @param {number} width
 * @param {"light" | "dark"} colorScheme
 */
async function shoot(directory, shot, width, colorScheme) {
  await visit({ scripts: true }, async ({ page, open }) => {
    await page.setViewportSize({ width, height: shot.height ?? 1100 });
    await page.emulateMedia({ colorScheme });
    await open(shot.path);
    if (shot.at) await page.locator(shot.at).evaluate((target) => target.scrollIntoView());
    const path = join(directory, `${shot.name}-${width}-${colorScheme}.png`);
    await page.screenshot({ path });
    console.log(path);
  });
}

async function main() {
  const directory = process.argv[2];
  if (!directory) throw new Error("usage: node tests/browser/screenshots.js OUTDIR");
  if (UNAVAILABLE) throw new Error(UNAVAILABLE);
  mkdirSync(directory, { recursive: true });
  for (const shot of SHOTS) {
    for (const width of [1280, 390]) {
      for (const colorScheme of /** @type {const} */ (["light", "dark"])) await shoot(directory, shot, width, colorScheme);
    }
  }
  await stop();
}

await main();
