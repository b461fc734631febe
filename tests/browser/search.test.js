import assert from "node:assert/strict";

import { violations } from "./axe.js";
import { addressOf, tabTo } from "./browser.js";
import { pageTest } from "./harness.js";
import { overflow, watch } from "./inspect.js";
import { ALIASES, ENTRIES, LONG_ENTRY } from "./pages.js";
import { searchWith } from "./recorded.js";

/** @typedef {import("playwright-core").Page} Page */

const [START = LONG_ENTRY] = ENTRIES;
// As the entry's signature, with numbers that no sample has.
const LINE =
  "torch.distributed.DistNetworkError: The server socket has failed to listen on any local network address. port: 31733, useIpv6: true, code: -98, name: EADDRINUSE, message: address already in use";
const LOG = ["step 1 loss 2.5", "step 2 loss 2.4", LINE, "Traceback (most recent call last):"].join("\n");
const BOX = "#fb-q";

/** @param {Page} page */
const options = (page) => page.getByRole("option");

/**
 * Types into the header's box and waits for the answer.
 * @param {Page} page
 * @param {string} text
 */
async function type(page, text) {
  await page.locator(BOX).fill(text);
  await page.locator(".fb-pop").waitFor({ state: "visible" });
  await page.locator(".fb-pop [role=status]").filter({ hasText: /./ }).waitFor();
}

/**
 * Pastes as a reader does, who copied the text elsewhere.
 * @param {Page} page
 * @param {string} text
 */
async function paste(page, text) {
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
  await page.keyboard.press("Control+v");
}

pageTest("nothing of the engine is loaded until somebody is about to search", async ({ page, open }) => {
  /** @type {string[]} */
  const asked = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await open(START);
  assert.deepEqual(asked.filter((path) => /engine|index\.json|search\.json|box\.js/.test(path)), []);
  await page.locator(BOX).focus();
  await page.waitForRequest("**/search.json");
});

pageTest("an error line with other numbers finds its entry, marked, and Enter opens it", async ({ page, open, root }) => {
  const problems = watch(page, new URL(START, root));
  await open(START);
  await page.keyboard.press("/");
  await paste(page, LINE);
  const first = options(page).first();
  await first.waitFor();
  const group = page.getByRole("group", { name: "The line matches" });
  assert.equal(await group.getByRole("option").first().getAttribute("aria-selected"), "true");
  assert.match((await first.locator("mark").allTextContents()).join("|"), /failed to listen on any local network address/);
  assert.equal(await page.locator(BOX).getAttribute("aria-activedescendant"), await first.getAttribute("id"));
  assert.match(await page.locator(".fb-pop [role=status]").innerText(), /match/);
  await page.keyboard.press("Enter");
  await page.waitForURL(new URL(LONG_ENTRY, root).href);
  assert.deepEqual(problems, []);
});

pageTest("what is only similar is never chosen unasked", async ({ page, open, root }) => {
  await open(START);
  await page.keyboard.press("Control+k");
  await type(page, "port");
  await page.getByRole("group", { name: "Entries" }).waitFor();
  assert.equal(await page.locator("[role=option][aria-selected=true]").count(), 0);
  assert.equal(await page.locator(BOX).getAttribute("aria-activedescendant"), null);
  await page.keyboard.press("ArrowUp");
  assert.equal(await options(page).last().getAttribute("aria-selected"), "true");
  await page.keyboard.press("ArrowDown");
  assert.equal(await options(page).first().getAttribute("aria-selected"), "true");
  await page.keyboard.press("Escape");
  assert.equal(await options(page).first().isVisible(), false);
  assert.equal(await page.locator(BOX).inputValue(), "port");
  await page.keyboard.press("Enter");
  await page.waitForURL(new URL("diagnose/?q=port", root).href);
  await page.locator(".fb-ask__out a").first().waitFor();
  assert.equal(await page.locator("#ask").inputValue(), "port");
});

for (const name of [LONG_ENTRY.split("/")[1] ?? "", ...ALIASES.slice(0, 1).map((path) => path.split("/")[1] ?? "")]) {
  pageTest(`the name '${name}' leads straight to its page`, async ({ page, open, root }) => {
    await open(START);
    await page.locator(BOX).focus();
    await page.keyboard.insertText(name);
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.href.startsWith(new URL("entries/", root).href) && !url.href.endsWith(START));
    assert.equal(await page.locator("h1").count(), 1);
  });
}

pageTest("a log that is pasted into the header is diagnosed, and no address ever holds it", async ({ page, open, root }) => {
  await open(START);
  /** @type {string[]} */
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.keyboard.press("/");
  await paste(page, LOG);
  await page.waitForURL(new URL("diagnose/?log=kept", root).href);
  await page.locator("[data-fb=answer]").waitFor();
  assert.match(await page.locator("[data-fb=cause] h2 a").innerText(), /port/i);
  assert.deepEqual(asked.filter((url) => /socket|loss/.test(url)), []);

  await page.locator("[data-fb=cause] h2 a").click();
  await page.waitForURL(new URL(LONG_ENTRY, root).href);
  await page.goBack();
  await page.locator("[data-fb=answer]").waitFor();
  await page.locator("[data-fb=new]").click();
  assert.equal((await addressOf(page)).search, "");
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
});

pageTest("the keys reach the large box of the home page, which keeps short queries in the address", async ({ page, open, root }) => {
  await open("");
  assert.equal(await page.locator(BOX).isVisible(), false);
  await page.keyboard.press("/");
  await page.keyboard.insertText("port in use");
  await page.locator(".fb-ask__out a").first().waitFor();
  const address = await addressOf(page);
  assert.equal(address.searchParams.get("q"), "port in use");
  await open(address.href.slice(root.href.length));
  await page.locator(".fb-ask__out a").first().waitFor();
  assert.equal(await page.locator("#ask").inputValue(), "port in use");

  await page.locator("#ask").fill(LINE);
  await page.locator(".fb-ask__out mark").first().waitFor();
  assert.equal((await addressOf(page)).search, "");
  await page.locator("#ask").press("Enter");
  await page.waitForURL(new URL(LONG_ENTRY, root).href);
});

pageTest("a log in the large box is diagnosed", async ({ page, open, root }) => {
  await open("");
  await page.locator("#ask").fill(LOG);
  await page.getByRole("status").filter({ hasText: "4 lines" }).waitFor();
  await page.locator("#ask").press("Control+Enter");
  await page.waitForURL(new URL("diagnose/?log=kept", root).href);
  await page.locator("[data-fb=cause] h2 a").waitFor();
});

pageTest("files that are dropped on the home page are diagnosed, or it says where", async ({ page, open, root }) => {
  /** @type {(size: number, name: string) => Promise<void>} */
  const drop = (size, name) =>
    page.evaluate(
      ([text, bytes, called]) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([text, " ".repeat(bytes)], called));
        document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer }));
      },
      /** @type {const} */ ([LOG, size, name]),
    );
  await open("");
  await drop(4e6, "large.log");
  await page.getByRole("status").filter({ hasText: "on the diagnose page" }).waitFor();
  await drop(0, "rank0.log");
  await page.waitForURL(new URL("diagnose/?log=kept", root).href);
  await page.locator("[data-fb=cause] caption", { hasText: "rank0.log" }).waitFor();
});

pageTest("an unknown address fills the box with its words", async ({ page, open }) => {
  await open("launch/rendezvous-port-used/");
  assert.equal(await page.locator("#ask").inputValue(), "rendezvous port used");
  await page.locator(".fb-ask__out a").first().waitFor();
  assert.equal((await addressOf(page)).search, "");
});

pageTest("hostile results stay text and lead nowhere else", async ({ page, open }) => {
  const title = "<img src=x onerror=alert(1)>";
  const row = { entry: "master-port-in-use", title, url: LONG_ENTRY, kind: "line", score: 1, spans: [[0, 4]] };
  await searchWith(page, [row, { ...row, url: "https://elsewhere.test/" }, { ...row, url: "javascript:alert(1)" }]);
  await open(START);
  await type(page, "<b>bold</b>");
  assert.deepEqual(await options(page).count(), 1);
  assert.equal(await options(page).locator(".fb-opt__t").evaluate((head) => head.firstChild?.textContent), title);
  assert.equal(await page.locator(".fb-pop :is(img, b)").count(), 0);
});

pageTest("without the engine the box says so and still leads on", async ({ page, open, root }) => {
  await page.route("**/engine/worker.js", (route) => route.abort());
  await open(START);
  await type(page, "port");
  assert.match(await page.locator(".fb-pop [role=status]").innerText(), /could not be loaded/);
  await page.locator(BOX).press("Enter");
  await page.waitForURL(new URL("diagnose/?q=port", root).href);
});

pageTest("the open list is accessible and fits, at each width and in both palettes", async ({ page, open }, t) => {
  await open("changes/");
  await tabTo(page, BOX);
  await page.keyboard.insertText(LINE);
  await page.locator(".fb-pop mark").first().waitFor();
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    assert.deepEqual(await page.evaluate(overflow), [], `${width} px`);
    for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
      await t.test(`${width} px, ${colorScheme}`, async () => assert.deepEqual(await violations(page, { width, colorScheme }), []));
    }
  }
});

pageTest(
  "without JavaScript the header leads to the lists, and no box promises to read a log",
  async ({ page, open, root }) => {
    await open(START);
    await page.locator(BOX).fill("port");
    await page.locator(BOX).press("Enter");
    await page.waitForURL(new URL("diagnose/?q=port", root).href);
    assert.equal(await page.locator("main a[href$='signatures/']").isVisible(), true);
    assert.equal(await page.locator("#ask").isVisible(), false);
    await open("");
    assert.equal(await page.locator("#ask").isVisible(), false);
  },
  { scripts: false },
);
