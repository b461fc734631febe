import assert from "node:assert/strict";

import { addressOf, tabTo } from "./browser.js";
import { pageTest } from "./harness.js";
import { CATEGORIES } from "./pages.js";

/** @typedef {import("playwright-core").Page} Page */

const ROWS = "main :is(.fb-index tbody tr, .fb-codes tbody tr, .fb-az > li, .fb-explained)";

/**
 * The text of the rows that are visible.
 * @param {Page} page
 */
function shown(page) {
  return page.locator(ROWS).evaluateAll((rows) => {
    return rows.filter((row) => row.checkVisibility()).map((row) => row.textContent ?? "");
  });
}

/** @param {Page} page */
const counted = (page) => page.locator(".fb-filter [role=status]").innerText();

for (const path of [...CATEGORIES, "signatures/", "checks/"]) {
  pageTest(`the filter of /${path} works by keyboard and keeps its query in the address`, async ({ page, open, root }) => {
    await open(path);
    const before = await shown(page);
    const word = (before.at(-1) ?? "").toLowerCase().match(/[a-z]{6,}/)?.[0] ?? "";
    const expected = before.filter((text) => text.toLowerCase().includes(word));
    await tabTo(page, ".fb-filter input");
    await page.keyboard.insertText(word);
    assert.deepEqual(await shown(page), expected);
    const unit = expected.length < before.length ? `${expected.length} of ${before.length} ` : `${before.length} `;
    assert.equal((await counted(page)).startsWith(unit), true, await counted(page));
    const address = await addressOf(page);
    assert.equal(address.searchParams.get("q"), word);

    await open(address.href.slice(root.href.length));
    assert.deepEqual(await shown(page), expected);
    assert.equal(await page.locator(".fb-filter input").inputValue(), word);

    await page.locator(".fb-filter input").fill("zzqx");
    assert.deepEqual(await shown(page), []);
    assert.equal(await page.locator(".fb-none").isVisible(), true);
    assert.deepEqual(await page.locator("main section:has(.fb-az, .fb-codes):visible").count(), 0);

    await page.locator(".fb-filter input").fill("");
    assert.deepEqual(await shown(page), before);
    assert.equal((await addressOf(page)).search, "");
  });
}
