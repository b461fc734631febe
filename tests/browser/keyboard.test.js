import assert from "node:assert/strict";

import { addressOf, tabTo } from "./browser.js";
import { pageTest } from "./harness.js";
import { LONG_ENTRY } from "./pages.js";

/** The focused element as text, and whether it shows an outline. Runs in the page. */
function focused() {
  const element = document.activeElement ?? document.body;
  // The palette's radio buttons are invisible; their labels carry the outline.
  const shown = element.matches(".md-option") ? (element.nextElementSibling ?? element) : element;
  const { outlineStyle, outlineWidth } = getComputedStyle(shown);
  const name = `${element.tagName}.${element.className} '${(element.textContent ?? "").trim().slice(0, 30)}'`;
  return { name, outlined: outlineStyle !== "none" && Number.parseFloat(outlineWidth) > 0 };
}

pageTest("the first tab stop skips to the content", async ({ page, open }) => {
  await open(LONG_ENTRY);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement?.matches("a.md-skip")), true);
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => Boolean(document.activeElement?.closest(".md-content"))), true);
});

pageTest("each of the first 50 tab stops of an entry shows where the focus is", async ({ page, open }) => {
  await open(LONG_ENTRY);
  const unseen = [];
  for (let presses = 0; presses < 50; presses += 1) {
    await page.keyboard.press("Tab");
    const { name, outlined } = await page.evaluate(focused);
    if (!outlined) unseen.push(name);
  }
  assert.deepEqual(unseen, []);
});

pageTest("the palette changes by arrow keys and is kept on the next page", async ({ page, open }) => {
  const scheme = () => page.evaluate(() => document.body.dataset.mdColorScheme);
  await open("");
  await tabTo(page, ".md-option");
  const seen = new Set([await scheme()]);
  for (let presses = 0; presses < 2; presses += 1) {
    await page.keyboard.press("ArrowRight");
    seen.add(await scheme());
  }
  assert.deepEqual([...seen].sort(), ["default", "slate"]);
  const chosen = await scheme();
  await open(LONG_ENTRY);
  assert.equal(await scheme(), chosen);
});

pageTest("the short menu opens by Enter and closes by Escape and by leaving it", async ({ page, open }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open("");
  const menu = page.locator(".fb-drop");
  const links = menu.locator("a");
  await tabTo(page, ".fb-drop summary");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  assert.equal(await links.first().evaluate((link) => link === document.activeElement), true);
  await page.keyboard.press("Escape");
  assert.equal(await links.first().isVisible(), false);
  assert.equal(await menu.locator("summary").evaluate((summary) => summary === document.activeElement), true);
  await page.keyboard.press("Enter");
  await tabTo(page, ".md-content *");
  assert.equal(await links.first().isVisible(), false);
});

pageTest("answers are kept in the address, restored from it and taken back", async ({ page, open, root }) => {
  await open(LONG_ENTRY);
  const checks = await page.locator("[data-fb-check] > li").evaluateAll((all) => all.map((item) => item.id));
  const names = checks.map((id) => id.replace("check-", ""));
  await tabTo(page, `#${checks[0]} .fb-branch__yes button`);
  await page.keyboard.press("Enter");
  await tabTo(page, `#${checks[1]} .fb-branch__no button`);
  await page.keyboard.press("Space");
  const address = await addressOf(page);
  assert.equal(address.search, `?a=${names[0]}.y,${names[1]}.n`);

  const pressed = page.locator("[data-fb-check] [aria-pressed=true]");
  await open(address.href.slice(root.href.length));
  assert.deepEqual(await pressed.allInnerTexts(), ["Yes", "No"]);
  const stored = await page.evaluate(() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)]);
  assert.deepEqual(stored.filter((key) => !key.endsWith("__palette")), []);

  await pressed.first().press("Enter");
  await pressed.first().press("Enter");
  assert.equal((await addressOf(page)).search, "");
});

pageTest("only blocks that scroll are tab stops", async ({ page, open }) => {
  await open(LONG_ENTRY);
  await page.setViewportSize({ width: 390, height: 844 });
  const check = () =>
    page.locator(".fb-pre").evaluateAll((all) => {
      const shown = all.filter((block) => block.checkVisibility());
      return shown.map((block) => [block.scrollWidth > block.clientWidth, block.getAttribute("tabindex") === "0"]);
    });
  await page.waitForTimeout(100);
  const states = await check();
  assert.deepEqual(states.filter(([scrolls, stops]) => scrolls !== stops), []);
  assert.deepEqual(new Set(states.map(([scrolls]) => scrolls)), new Set([true, false]));
});

pageTest("a link into closed details opens them", async ({ page, open }) => {
  await open(LONG_ENTRY);
  const id = await page.evaluate(() => {
    const inside = [...document.querySelectorAll("details:not([open]) p")].find((found) => found.closest(".md-content"));
    if (inside) inside.id ||= "inside";
    return inside?.id;
  });
  assert.ok(id, "the entry has no closed details");
  await page.evaluate((target) => (location.hash = target), id);
  await page.locator(`#${id}`).waitFor({ state: "visible" });
});
