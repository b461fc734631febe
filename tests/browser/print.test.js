import assert from "node:assert/strict";

import { pageTest } from "./harness.js";
import { entriesWith, GUARDED, LONG_ENTRY, USUAL_ENTRY } from "./pages.js";

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

/** @param {import("./browser.js").Visit} visited */
async function assertWarningsOpen({ page, open }) {
  await open(entriesWith(GUARDED).at(-1) ?? LONG_ENTRY);
  await page.emulateMedia({ media: "print" });
  const figures = await page.locator(".fb-cmd:has(.fb-warn)").all();
  assert.ok(figures.length > 0);
  for (const figure of figures) {
    const text = figure.locator(".fb-warn p").first();
    assert.equal(await text.evaluate((paragraph) => paragraph.checkVisibility()), true);
    const [warning, command] = [await text.boundingBox(), await figure.locator("pre").boundingBox()];
    assert.ok(warning && command && warning.height > 0 && warning.y + warning.height <= command.y);
  }
}

pageTest("warnings stand open in print, before their commands", assertWarningsOpen);
pageTest("warnings stand open in print without JavaScript too", assertWarningsOpen, { scripts: false });

pageTest("print is black on white in the dark palette too and shows no control", async ({ page, open }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await open(LONG_ENTRY);
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  for (const part of ["html", "body"]) {
    const ground = await page.locator(part).evaluate((element) => getComputedStyle(element).backgroundColor);
    assert.equal(ground, "rgb(255, 255, 255)");
  }
  const controls = page.locator(":is(.fb-copy, .fb-tablist, .fb-header, .md-sidebar, .fb-footer):visible");
  assert.equal(await controls.count(), 0);
});
