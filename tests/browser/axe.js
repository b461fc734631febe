// Accessibility violations as axe-core finds them.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {{width: number, colorScheme: "light" | "dark"}} State */

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const ALL = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
// A palette changes nothing but colours.
const COLOURS = ["color-contrast", "link-in-text-block"];

/** Leaves the first rows of each list, since axe takes seconds for hundreds that are all alike. Runs in the page. */
export function shorten() {
  const rows = ":is(tbody > tr, .md-content li):nth-child(n + 12)";
  const parts = ":is(.fb-explained, .fb-wanted-list, section:has(> .fb-az, > .fb-stack)):nth-of-type(n + 6)";
  document.querySelectorAll(`${rows}, ${parts}`).forEach((row) => row.remove());
}

/**
 * @param {Page} page
 * @param {State} state
 */
async function show(page, { width, colorScheme }) {
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  await page.locator(`body[data-md-color-scheme=${colorScheme === "dark" ? "slate" : "default"}]`).waitFor();
  await page.evaluate(() => Promise.all(document.getAnimations().map((animation) => animation.finished)));
}

/**
 * The violations of a page in one state, one line for each element.
 * @param {Page} page
 * @param {State} state
 */
export async function violations(page, state) {
  await show(page, state);
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  const results = await page.evaluate(
    (rules) => /** @type {any} */ (window).axe.run(document, { runOnly: rules, resultTypes: ["violations"] }),
    state.colorScheme === "light" ? ALL : COLOURS,
  );
  return /** @type {import("axe-core").AxeResults} */ (results).violations.flatMap((rule) =>
    rule.nodes.map((node) => `${rule.id} at '${node.target.join(" ")}': ${node.failureSummary?.replace(/\s+/g, " ")}`),
  );
}
