import assert from "node:assert/strict";

import { violations } from "./axe.js";
import { pageTest } from "./harness.js";
import { overflow, watch } from "./inspect.js";
import { newFileAddress, LONGEST_ADDRESS } from "../../plugins/faultbook/assets/diagnose/draft.js";

/** @typedef {import("playwright-core").Page} Page */

const UNKNOWN = "RuntimeError: the flux buffer /mnt/a/b of tcp port 29500 ran dry after 12 s, token=abcdef0123456789";
const LOG = `step 1\nTraceback (most recent call last):\n${UNKNOWN}\n`;
const TEMPLATE = "RuntimeError: the flux buffer <path> of tcp port <port> ran dry after <int> s, token=<tok>";

/** @type {(page: Page, name: string) => import("playwright-core").Locator} */
const part = (page, name) => page.locator(`[data-fb=${name}]`);

/**
 * Diagnoses a log, and asks for the draft.
 * @param {import("./browser.js").Visit} visited
 * @param {string} log
 */
async function draft({ page, open }, log) {
  await open("diagnose/");
  await page.locator("#ask").fill(log);
  await page.getByRole("button", { name: "Diagnose" }).click();
  await part(page, "answer").waitFor();
  await page.getByRole("button", { name: "Write an entry from these lines" }).click();
}

pageTest("lines that no entry describes become a draft, which nobody gets before the reader asks for it", async (visited) => {
  const { page, root } = visited;
  const problems = watch(page, new URL("diagnose/", root));
  await draft(visited, LOG);
  await part(page, "drafted").waitFor();
  const text = await part(page, "draft-text").inputValue();
  assert.ok(text.includes(`      - text: "${TEMPLATE}"\n`), text);
  assert.ok(text.includes("    log: |\n      RuntimeError: the flux buffer /mnt/a/b"), text);
  assert.ok(!text.includes("abcdef0123456789"), "the secret is masked");
  assert.match(text, /^tags: \[tcp-port, /m);
  await page.getByRole("button", { name: "Copy draft" }).click();
  await page.getByText("Draft copied").waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), text);
  const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save as a file" }).click()]);
  assert.equal(saved.suggestedFilename(), "SLUG.yaml");
  const address = new URL((await part(page, "draft-open").getAttribute("href")) ?? "");
  assert.equal(address.pathname.split("/").slice(-2).join("/"), "new/main");
  assert.equal(address.searchParams.get("value"), text);
  assert.match(address.searchParams.get("filename") ?? "", /^entries\/[a-z-]+\/SLUG\.yaml$/);
  assert.equal(await part(page, "draft-long").isHidden(), true);
  assert.deepEqual(problems, []);
});

pageTest("a draft that is too long for a link opens an empty file, and says so", async (visited) => {
  const { page } = visited;
  const lines = [..."abcdefghij"].map((letter) => `RuntimeError: the flux buffer ${letter.repeat(40)} ran dry ${`${letter}ü `.repeat(200)}`);
  await draft(visited, `Traceback (most recent call last):\n${lines.join("\n")}\n`);
  await part(page, "drafted").waitFor();
  const address = new URL((await part(page, "draft-open").getAttribute("href")) ?? "");
  assert.equal(address.searchParams.get("value"), null);
  assert.equal(await part(page, "draft-long").isVisible(), true);
  assert.ok(address.href.length <= LONGEST_ADDRESS);
  assert.equal(newFileAddress("https://example.org/new/main", "entries", "a").filled, true);
});

pageTest("nothing is offered where nothing is left to describe, and a new log takes the old draft away", async (visited) => {
  const { page } = visited;
  await draft(visited, LOG);
  await part(page, "drafted").waitFor();
  await page.getByRole("button", { name: "New log" }).click();
  await page.locator("#ask").fill("step 1 loss 2.5\nstep 2 loss 2.4\n");
  await page.getByRole("button", { name: "Diagnose" }).click();
  await part(page, "answer").waitFor();
  assert.equal(await part(page, "write").isHidden(), true);
});

pageTest("a draft is readable on a phone and by everybody", async (visited) => {
  const { page } = visited;
  await page.setViewportSize({ width: 390, height: 800 });
  await draft(visited, LOG);
  await part(page, "drafted").waitFor();
  assert.deepEqual(await page.evaluate(overflow), []);
  assert.deepEqual(await violations(page, { width: 390, colorScheme: "light" }), []);
});
