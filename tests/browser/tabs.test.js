import assert from "node:assert/strict";

import { addressOf } from "./browser.js";
import { pageTest } from "./harness.js";
import { LONG_ENTRY, source, TABBED } from "./pages.js";

/** @typedef {import("./browser.js").Visit} Visit */

// Examples are optional. Where no entry of the site has several, the page of one gets some, as the template writes them.
const EXAMPLES = `<div class="fb-tabs" data-fb-tabs>${["torchrun", "accelerate", "lightning"].map(
  (stack, at) => `<section class="fb-tab" id="example-${at + 1}" data-tab="${stack}"><h3>${stack}</h3><p>text</p></section>`,
).join("")}</div>`;

/**
 * Opens an entry with tabs.
 * @param {Visit} visited
 * @param {string} [hash]
 */
async function openTabs({ page, root, open }, hash = "") {
  const path = TABBED ?? LONG_ENTRY;
  if (!TABBED) {
    const body = source(path).replace('<h2 id="history"', `${EXAMPLES}<h2 id="history"`);
    await page.route(new URL(path, root).href, (route) => route.fulfill({ body, contentType: "text/html; charset=utf-8" }));
  }
  await open(path + hash);
  return { tabs: page.getByRole("tab"), panels: page.locator(".fb-tab") };
}

/**
 * Which tab is selected and which panels are visible, by number.
 * @param {Awaited<ReturnType<typeof openTabs>>} parts
 */
async function state({ tabs, panels }) {
  const selected = await tabs.evaluateAll((all) => all.flatMap((tab, at) => (tab.ariaSelected === "true" ? at : [])));
  const visible = await panels.evaluateAll((all) => all.flatMap((panel, at) => (panel.checkVisibility() ? at : [])));
  return { selected, visible };
}

/** @param {number} at */
const only = (at) => ({ selected: [at], visible: [at] });

pageTest("tabs move by arrows, Home and End and keep the chosen stack in the address", async (visited) => {
  const { page } = visited;
  const parts = await openTabs(visited);
  const last = (await parts.tabs.count()) - 1;
  assert.deepEqual(await state(parts), only(0));
  await parts.tabs.first().focus();
  /** @type {[key: string, chosen: number][]} */
  const moves = [
    ["ArrowRight", 1],
    ["End", last],
    ["ArrowRight", 0],
    ["ArrowLeft", last],
    ["Home", 0],
    ["ArrowDown", 0],
    ["ArrowRight", 1],
  ];
  for (const [key, chosen] of moves) {
    await page.keyboard.press(key);
    assert.deepEqual(await state(parts), only(chosen), key);
    assert.equal(await parts.tabs.nth(chosen).evaluate((tab) => tab === document.activeElement), true, key);
  }
  assert.equal((await addressOf(page)).hash, `#${await parts.panels.nth(1).getAttribute("id")}`);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement?.matches("[role=tab]")), false);
});

pageTest("a tab is named for its stack and tied to its panel", async (visited) => {
  const { tabs, panels } = await openTabs(visited);
  const names = await panels.evaluateAll((all) => all.map((panel) => panel.getAttribute("data-tab")));
  assert.deepEqual(await tabs.allTextContents(), names);
  await tabs.last().click();
  const panel = visited.page.getByRole("tabpanel");
  assert.equal(await panel.getAttribute("aria-labelledby"), await tabs.last().getAttribute("id"));
  assert.equal(await panel.getAttribute("id"), await tabs.last().getAttribute("aria-controls"));
});

pageTest("the fragment chooses the stack, at the start and later", async (visited) => {
  const parts = await openTabs(visited, "#example-2");
  assert.deepEqual(await state(parts), only(1));
  await visited.page.evaluate(() => (location.hash = "example-1"));
  await parts.panels.first().waitFor({ state: "visible" });
  assert.deepEqual(await state(parts), only(0));
});

pageTest("print shows all stacks and no tabs", async (visited) => {
  const { tabs, panels } = await openTabs(visited);
  await visited.page.emulateMedia({ media: "print" });
  assert.equal(await visited.page.locator(".fb-tab:visible").count(), await panels.count());
  assert.equal(await tabs.first().isVisible(), false);
});
