import assert from "node:assert/strict";

import { pageTest } from "./harness.js";
import { entriesWith, LONG_ENTRY, USUAL_ENTRY } from "./pages.js";

/**
 * The number of A4 pages that a page prints on.
 * @param {import("playwright-core").Page} page
 */
async function printedPages(page) {
  const pdf = await page.pdf({ format: "A4", preferCSSPageSize: true });
  return pdf.toString("latin1").match(/\/Type\s*\/Page\b/g)?.length ?? 0;
}

pageTest("an entry of middle length prints on two to four pages", async ({ page, open }) => {
  await open(USUAL_ENTRY);
  const pages = await printedPages(page);
  assert.ok(pages >= 2 && pages <= 4, `'${USUAL_ENTRY}' takes ${pages} pages`);
});

for (const path of entriesWith(/class="fb-warn"/).slice(-2)) {
  pageTest(`the warnings of /${path} stand open in print, before their commands`, async ({ page, open }) => {
    await open(path);
    await page.emulateMedia({ media: "print" });
    for (const figure of await page.locator(".fb-cmd:has(.fb-warn)").all()) {
      const warning = await figure.locator(".fb-warn p").first().boundingBox();
      const command = await figure.locator("pre").boundingBox();
      assert.ok(warning && command);
      assert.ok(warning.height > 0 && warning.y + warning.height <= command.y);
      assert.equal(await figure.locator(".fb-warn p").first().evaluate((p) => p.checkVisibility({ contentVisibilityAuto: true })), true);
    }
  });
}

pageTest("print is black on white in the dark palette too and shows no control", async ({ page, open }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await open(LONG_ENTRY);
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  const ground = await page.evaluate(() => [document.documentElement, document.body].map((e) => getComputedStyle(e).backgroundColor));
  assert.deepEqual(ground, ["rgb(255, 255, 255)", "rgb(255, 255, 255)"]);
  const controls = page.locator(":is(.fb-copy, .fb-tablist, .fb-header, .md-sidebar, .fb-footer):visible");
  assert.equal(await controls.count(), 0);
});
