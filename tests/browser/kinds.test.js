import assert from "node:assert/strict";
import { test } from "node:test";

import { shorten, violations } from "./axe.js";
import { UNAVAILABLE } from "./browser.js";
import { pageTest } from "./harness.js";
import { moduleBytes, outlineFaults, overflow, policyOf, watch } from "./inspect.js";
import { ALIASES, CATEGORIES, ENTRIES, entriesWith, GUARDED, KINDS, LONG_ENTRY, SYSTEMS, TAGS, UNKNOWN } from "./pages.js";

/** @typedef {import("playwright-core").Page} Page */

// With their comments. The page that reads logs shows everything that an answer can hold.
const KILOBYTES = new Map([["diagnose/", 80], ["", 24], [UNKNOWN, 24]]);

const WIDTHS = [320, 390, 600, 768, 1024, 1280, 1680];

/** @type {import("./axe.js").State[]} */
const STATES = [
  { width: 1280, colorScheme: "light" },
  { width: 1280, colorScheme: "dark" },
  { width: 390, colorScheme: "light" },
  { width: 390, colorScheme: "dark" },
];

test("the site has what these tests look at", { skip: UNAVAILABLE }, () => {
  const found = { ENTRIES, ALIASES, CATEGORIES, TAGS, SYSTEMS, GUARDED: entriesWith(GUARDED) };
  assert.deepEqual(Object.entries(found).filter(([, paths]) => !paths.length), []);
});

/**
 * Everything open and answered that a reader can open and answer.
 * @param {Page} page
 */
async function unfold(page) {
  await page.locator(".md-content details").evaluateAll((all) => all.forEach((details) => details.setAttribute("open", "")));
  const answer = page.locator("[data-fb-check] button").first();
  if (await answer.count()) await answer.click();
}

for (const path of KINDS) {
  pageTest(`/${path}`, async ({ page, open, root }, t) => {
    const problems = watch(page, new URL(path, root));
    await open(path);

    await t.test("asks no other origin and fails nowhere", () => assert.deepEqual(problems, []));

    await t.test("allows only its own scripts and connections", async () => {
      const policy = await policyOf(page);
      assert.equal(policy.get("connect-src"), "'self'");
      assert.match(policy.get("script-src") ?? "", /^'self'( 'sha256-[\w+/=]+')*$/);
    });

    const most = KILOBYTES.get(path) ?? 15;
    await t.test(`loads less than ${most} KB of modules`, async () => {
      const bytes = await page.evaluate(moduleBytes);
      assert.ok(bytes > 0 && bytes < most * 1024, `${bytes} bytes`);
    });

    await t.test("has one h1, no skipped level, no id twice and no dead reference within", async () => {
      assert.deepEqual(await page.evaluate(outlineFaults), { h1: 1, skipped: [], twice: [], dead: [] });
    });

    await unfold(page);
    for (const width of WIDTHS) {
      await t.test(`does not scroll sideways at ${width} px`, async () => {
        await page.setViewportSize({ width, height: 900 });
        assert.deepEqual(await page.evaluate(overflow), []);
      });
    }

    await page.evaluate(shorten);
    for (const state of STATES) {
      await t.test(`has no accessibility violation at ${state.width} px, ${state.colorScheme}`, async () => {
        assert.deepEqual(await violations(page, state), []);
      });
    }
  });
}

pageTest("the header is one row at every width, its last control at the right edge", async ({ page, open }) => {
  await open("");
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    const header = await page.locator(".fb-header__in").boundingBox();
    const last = await page.locator(".fb-header__in > :visible").last().boundingBox();
    assert.ok(header && last);
    assert.ok(header.height < 70, `${header.height} px high at ${width} px`);
    assert.ok(header.x + header.width - (last.x + last.width) < 40, `a gap at the right edge at ${width} px`);
  }
});

pageTest("nothing is requested while an entry is used", async ({ page, open, root }) => {
  const problems = watch(page, new URL(LONG_ENTRY, root));
  await open(LONG_ENTRY);
  /** @type {string[]} */
  const later = [];
  // Chromium reads the icon again whenever the address changes.
  const icon = await page.locator("link[rel=icon]").evaluate((link) => /** @type {HTMLLinkElement} */ (link).href);
  page.on("request", (request) => request.url() !== icon && later.push(request.url()));
  for (const summary of await page.locator(".md-content summary:visible").all()) await summary.click();
  for (const button of await page.locator(".md-content button:visible:enabled").all()) await button.click();
  assert.deepEqual([later, problems], [[], []]);
});
