import assert from "node:assert/strict";

import { pageTest } from "./harness.js";
import { ALIASES, CATEGORIES, LONG_ENTRY, source, TABBED } from "./pages.js";

const WITHOUT = { scripts: false };

pageTest(
  "without JavaScript every command is visible and no button that would do nothing",
  async ({ page, open }) => {
    await open(LONG_ENTRY);
    assert.equal(await page.locator(".md-content button:visible").count(), 0);
    const commands = page.locator(".fb-cmd pre");
    assert.ok((await commands.count()) > 0);
    assert.equal(await page.locator(".fb-cmd pre:visible").count(), await commands.count());
  },
  WITHOUT,
);

if (TABBED) {
  const path = TABBED;
  pageTest(
    `without JavaScript all stacks of /${path} are visible`,
    async ({ page, open }) => {
      await open(path);
      assert.equal(await page.locator(".fb-tab:visible").count(), await page.locator(".fb-tab").count());
      assert.equal(await page.getByRole("tab").count(), 0);
    },
    WITHOUT,
  );
}

for (const path of [...CATEGORIES, "signatures/"]) {
  pageTest(
    `without JavaScript the list of /${path} is complete and has no filter box`,
    async ({ page, open }) => {
      await open(path);
      assert.equal(await page.locator(".fb-filter:visible").count(), 0);
      assert.equal(await page.locator(".fb-none:visible").count(), 0);
      const rows = await page.locator("main :is(.fb-index tbody tr, .fb-az > li):visible").count();
      const stated = /role="?status"?[^>]*>(\d+) /.exec(source(path))?.[1];
      assert.equal(rows, Number(stated));
    },
    WITHOUT,
  );
}

for (const path of ALIASES.slice(0, 3)) {
  pageTest(
    `without JavaScript /${path} leads to its entry`,
    async ({ page, open }) => {
      await open(path);
      await page.waitForURL((url) => !url.pathname.endsWith(path));
      assert.equal(await page.locator("h1#title").count(), 1);
    },
    WITHOUT,
  );
}
