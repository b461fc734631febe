import assert from "node:assert/strict";

import { pageTest } from "./harness.js";
import { LONG_ENTRY } from "./pages.js";

const MISTYPED = ["entries/master-prot-in-use/", "master_port_in_use", "launch/some/where/master-port-in-use.html"];

for (const path of MISTYPED) {
  pageTest(`/${path} is not found, and the page names the entry that was meant`, async ({ page, open, root }) => {
    const response = await open(path);
    assert.equal(response?.status(), 404);
    const first = page.locator("[data-fb-nearest] a").first();
    assert.equal(await first.isVisible(), true);
    await first.click();
    await page.waitForURL(new URL(LONG_ENTRY, root).href);
  });
}

for (const path of ["wp-login.php", "zzzz/qqqq/"]) {
  pageTest(`/${path} is not found, and nothing is offered`, async ({ page, open }) => {
    const response = await open(path);
    assert.equal(response?.status(), 404);
    assert.equal(await page.locator("[data-fb-nearest]").isVisible(), false);
    assert.equal(await page.locator("h1").count(), 1);
  });
}

pageTest("hostile names in the list stay text and lead nowhere else", async ({ page, open, root }) => {
  const names = [
    { slug: "lost-page", title: "<img src=x onerror=alert(1)>", url: "entries/lost-page/", aliases: [] },
    { slug: "lost-pages", title: "elsewhere", url: "https://elsewhere.test/", aliases: [] },
    { slug: "lost-paged", title: "script", url: "javascript:alert(1)", aliases: [] },
  ];
  await page.route("**/slugs.json", (route) => route.fulfill({ json: names }));
  await open("entries/lost-page-x/");
  const links = page.locator("[data-fb-nearest] a");
  assert.deepEqual(await links.allTextContents(), ["<img src=x onerror=alert(1)>"]);
  await links.first().click();
  await page.waitForURL(new URL("entries/lost-page/", root).href);
});
