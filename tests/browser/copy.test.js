import assert from "node:assert/strict";

import { pageTest } from "./harness.js";
import { entriesWith, GUARDED, LONG_ENTRY } from "./pages.js";

/** @typedef {import("playwright-core").Locator} Locator */

const GUARDED_COMMANDS = ".fb-cmd--disruptive, .fb-cmd--destructive";

/** @param {Locator} figure */
const command = (figure) => figure.locator("pre code").evaluate((code) => code.textContent);

/** @param {import("playwright-core").Page} page */
const clipboard = (page) => page.evaluate(() => navigator.clipboard.readText());

pageTest("a harmless command is copied at once, without prompt and output", async ({ page, open }) => {
  await open(LONG_ENTRY);
  const figure = page.locator(`.fb-cmd:not(${GUARDED_COMMANDS}):has(.fb-out)`).first();
  await figure.locator(".fb-copy").press("Enter");
  await page.getByRole("status").filter({ hasText: "Command copied" }).waitFor();
  assert.equal(await figure.locator(".fb-copy").innerText(), "Copied");
  assert.equal(await clipboard(page), await command(figure));
  assert.doesNotMatch(await clipboard(page), /^[$#>] /m);
});

for (const path of entriesWith(GUARDED).slice(-3)) {
  pageTest(`the dangerous commands of /${path} are copied only after their warnings were opened`, async ({ page, open }) => {
    await open(path);
    for (const figure of await page.locator(GUARDED_COMMANDS).all()) {
      const button = figure.locator(".fb-copy");
      assert.equal(await button.isDisabled(), true);
      assert.equal(await button.getAttribute("title"), "Open the warning first");
      await figure.locator("summary").press("Enter");
      await figure.locator(".fb-copy:enabled").press("Enter");
      await figure.locator(".fb-copy", { hasText: "Copied" }).waitFor();
      assert.equal(await clipboard(page), await command(figure));
    }
  });
}

pageTest("a value to fill in is copied as it stands", async ({ page, open }) => {
  await open(LONG_ENTRY);
  const figure = page.locator(".fb-cmd", { has: page.locator("pre var", { hasText: /^\{[A-Z_]+\}$/ }) }).first();
  if (await figure.locator(".fb-warn").count()) await figure.locator("summary").click();
  await figure.locator(".fb-copy").click();
  await figure.locator(".fb-copy", { hasText: "Copied" }).waitFor();
  assert.match(await clipboard(page), /\{[A-Z_]+\}/);
  assert.equal(await clipboard(page), await command(figure));
});

pageTest("where the browser refuses the clipboard, the command is selected and the page says so", async ({ page, open }) => {
  await open(LONG_ENTRY);
  // As it is on a site without https.
  await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
  const figure = page.locator(`.fb-cmd:not(${GUARDED_COMMANDS})`).first();
  await figure.locator(".fb-copy").click();
  await page.getByRole("status").filter({ hasText: "Copying is blocked here" }).waitFor();
  assert.equal(await figure.locator(".fb-copy").innerText(), "Press Ctrl+C");
  assert.equal(await page.evaluate(() => String(getSelection())), await command(figure));
});
