import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";

import { violations } from "./axe.js";
import { addressOf, tabTo } from "./browser.js";
import { pageTest } from "./harness.js";
import { outlineFaults, overflow, watch } from "./inspect.js";
import { entriesWith, GUARDED, LONG_ENTRY, source } from "./pages.js";
import { answerWith, CANDIDATES, CASCADE, lostGpu, NO_FAILURE, UNKNOWN_CAUSE } from "./recorded.js";

/** @typedef {import("playwright-core").Page} Page */

const REFUSED =
  "The server socket has failed to listen on any local network address. port: 31733, useIpv6: true, code: -98, name: EADDRINUSE, message: address already in use";
const LOG = [...Array(40).keys()].map((step) => `step ${step} loss 2.5`).concat(`[rank0]: RuntimeError: ${REFUSED}`).join("\n");

/** @type {(page: Page, name: string) => import("playwright-core").Locator} */
const part = (page, name) => page.locator(`[data-fb=${name}]`);

/**
 * Diagnoses what is typed, with the engine or with what stands in for it.
 * @param {import("./browser.js").Visit} visited
 * @param {string} [text]
 */
async function diagnose({ page, open }, text = LOG) {
  await open("diagnose/");
  await page.locator("#ask").fill(text);
  await page.getByRole("button", { name: "Diagnose" }).click();
  await part(page, "answer").waitFor();
}

/** @param {Page} page */
const clipboard = (page) => page.evaluate(() => navigator.clipboard.readText());

/** The names of the sections that are shown. Runs in the page. */
const shownSections = () =>
  [...document.querySelectorAll("section[data-fb]")].filter((found) => found.checkVisibility()).map((found) => found.getAttribute("data-fb"));

/** Leaves the nodes around the first failure: axe takes seconds for cells that are all alike. Runs in the page. */
const shortenGrid = () => document.querySelectorAll(".fb-cells tr:not(:has(th[scope=col], .is-first))").forEach((row) => row.remove());

/**
 * Drops a file of so many megabytes on the page, made there, since it is too large to be sent.
 * @param {Page} page
 * @param {number} megabytes
 * @param {string} line Stands in the middle.
 */
function dropLarge(page, megabytes, line) {
  return page.evaluate(
    ([count, wanted]) => {
      const filler = new Blob(["step 1000 loss 2.5123 lr 1.2e-04 412 ms, all is well on this node\n".repeat(15_000)]);
      const half = Array(Math.ceil((Number(count) * 5e5) / filler.size)).fill(filler);
      const data = new DataTransfer();
      data.items.add(new File([...half, `${wanted}\n`, ...half], "large.log"));
      for (const type of ["dragover", "drop"]) {
        document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: data }));
      }
      return half.length * 15_000 + 1;
    },
    [megabytes, line],
  );
}

pageTest("a log is diagnosed by keyboard alone, and its report is copied", async ({ page, open, root }) => {
  const problems = watch(page, new URL("diagnose/", root));
  await open("diagnose/");
  await tabTo(page, "#ask");
  await page.keyboard.insertText(LOG);
  await tabTo(page, "button[type=submit]");
  await page.keyboard.press("Enter");
  await part(page, "answer").waitFor();
  assert.equal(await part(page, "verdict").evaluate((verdict) => verdict === document.activeElement), true);
  assert.match(await part(page, "status").innerText(), /Initiating failure found on rank 0/);
  assert.equal(await part(page, "cause").locator("h2 a").getAttribute("href"), new URL(LONG_ENTRY, root).href);
  const hit = part(page, "cause").locator(".is-hit");
  assert.match((await hit.locator("th").textContent()) ?? "", /^41 match/);
  assert.match((await hit.locator("mark").allTextContents()).join(""), /failed to listen/);
  await tabTo(page, "[data-fb=report]");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Copied" }).waitFor();
  const report = await clipboard(page);
  assert.match(report, /^## Initiating failure found on rank 0/);
  assert.ok(report.includes(`41: [rank0]: RuntimeError: ${REFUSED}`));
  await tabTo(page, "[data-fb=new]");
  await page.keyboard.press("Enter");
  assert.equal(await page.locator("#ask").evaluate((box) => box === document.activeElement), true);
  assert.deepEqual(problems, []);
});

pageTest("each sample is read, and its address leads to it again", async ({ page, open, root }) => {
  await open("diagnose/");
  const names = await page.locator("[data-fb-sample]").evaluateAll((all) => all.map((link) => link.getAttribute("data-fb-sample")));
  assert.ok(names.length > 1);
  for (const name of names) {
    await page.locator(`[data-fb-sample="${name}"]`).click();
    await part(page, "answer").waitFor();
    assert.ok((await page.locator(`[data-fb=answer] a[href$="/${name}/"]`).count()) > 0, `'${name}' is not in the answer`);
    assert.equal((await addressOf(page)).searchParams.get("sample"), name);
    if (name !== names.at(-1)) await part(page, "new").click();
  }
  const { href } = await addressOf(page);
  await open(href.slice(root.href.length));
  await part(page, "answer").waitFor();
  await part(page, "new").click();
  assert.equal((await addressOf(page)).search, "");
});

pageTest("several files are one incident, compressed ones too, and more can be added", async ({ page, open }) => {
  await open("diagnose/");
  const files = [
    { name: "rank0.log.gz", mimeType: "application/gzip", buffer: gzipSync(LOG) },
    { name: "rank1.log", mimeType: "text/plain", buffer: Buffer.from("step 1 loss 2.5\n") },
  ];
  await part(page, "files").setInputFiles(files);
  await part(page, "answer").waitFor();
  assert.match(await part(page, "facts").innerText(), /^2 files[^]*42 lines/);
  assert.equal(await part(page, "cause").locator("caption").innerText(), "rank0.log.gz");
  await part(page, "more").setInputFiles({ name: "rank2.log", mimeType: "text/plain", buffer: Buffer.from("step 1\n") });
  await part(page, "facts").filter({ hasText: "3 files" }).waitFor();
});

pageTest("100 MB are read with progress, and can be given up", async ({ page, open, root }) => {
  const problems = watch(page, new URL("diagnose/", root));
  await open("diagnose/");
  const line = await dropLarge(page, 100, `[rank0]: RuntimeError: ${REFUSED}`);
  await part(page, "running").waitFor();
  await page.waitForFunction(() => (document.querySelector("progress")?.value ?? 0) > 0);
  assert.match(await part(page, "read").innerText(), /^\d+(\.\d)? of 10\d MB$/);
  await part(page, "cancel").press("Enter");
  assert.equal(await part(page, "idle").isVisible(), true);
  await dropLarge(page, 100, `[rank0]: RuntimeError: ${REFUSED}`);
  await part(page, "answer").waitFor({ timeout: 60_000 });
  assert.equal(await part(page, "cause").locator(".is-hit th").first().evaluate((head) => head.firstChild?.textContent), `${line}`);
  assert.deepEqual(problems, []);
});

pageTest("nothing of a hostile log becomes markup", async ({ page, open, root }) => {
  const problems = watch(page, new URL("diagnose/", root));
  await open("diagnose/");
  const hostile = "<img src=x onerror=alert(1)><script>alert(2)</script></td></table><h1>x</h1>";
  const text = `${hostile}\n[rank0]: RuntimeError: ${hostile} ${REFUSED} ${hostile}\nTraceback (most recent call last):\nValueError: ${hostile}\n`;
  await part(page, "files").setInputFiles({ name: `${hostile.slice(0, 40)}.log`, mimeType: "text/plain", buffer: Buffer.from(text) });
  await part(page, "answer").waitFor();
  assert.ok((await part(page, "cause").innerText()).includes(hostile));
  assert.equal(await page.locator(":is([data-fb-diagnose], .fb-pop) :is(img, script, h1)").count(), 0);
  await part(page, "report").click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  assert.doesNotMatch((await clipboard(page)).replace(/```[^]*?```/g, ""), /(?<!\\)<img/);
  assert.deepEqual(problems, []);
});

pageTest("what turns the order of letters is shown as an escape, in lines and in names of files", async ({ page, open }) => {
  await open("diagnose/");
  const text = `step 1\n[rank0]: RuntimeError: ${REFUSED} \u202egnp.elif\u2066\x07\u200b\n`;
  await part(page, "files").setInputFiles({ name: "run\u202egol.exe", mimeType: "text/plain", buffer: Buffer.from(text) });
  await part(page, "answer").waitFor();
  const cause = part(page, "cause");
  assert.match(await cause.innerText(), /\\u202egnp\.elif\\u2066/);
  assert.deepEqual(await cause.locator("caption bdi").allTextContents(), ["run\\u202egol.exe"]);
  const shown = await page.locator("[data-fb-diagnose]").innerText();
  assert.doesNotMatch(shown, /[\u202a-\u202e\u2066-\u2069\u200b\x07]/);
  // The entry says where its claims come from; here no list of sources follows.
  assert.ok(await cause.getByRole("heading", { name: "Quick fix" }).isVisible());
  assert.doesNotMatch(await cause.innerText(), /\[(?:R|[0-9]+)\]/);
});

pageTest("what is missing, and not who is guilty, is said where no cause is known", async ({ page, open }) => {
  await diagnose(/** @type {any} */ ({ page, open }), "Traceback (most recent call last):\nfoo.BarError: the frobnicator 17 is gone\nzip\n");
  assert.match(await part(page, "verdict").innerText(), /No cause found/);
  assert.ok((await page.evaluate(shownSections)).includes("errors"));
  assert.doesNotMatch(await part(page, "answer").innerText(), /\d\s?%/);
});

pageTest("a cascade shows cause, lines, check, downstream failures, ranks and attempts", async (visited) => {
  const { page, root } = visited;
  await answerWith(page, CASCADE);
  await diagnose(visited);
  assert.deepEqual(await page.evaluate(shownSections), ["cause", "downstream", "ranks", "unmatched", "notices", "episodes"]);
  const contents = page.locator(".md-nav--secondary a:visible");
  assert.deepEqual((await contents.allInnerTexts()).slice(0, 3), ["Cause", "Only downstream", "First failure per rank"]);
  const cause = part(page, "cause");
  assert.match(await cause.locator(".fb-meta").innerText(), /Rank\s+37 \(local 5\)\s+Node\s+gpu-node-04\s+Impact/);
  assert.deepEqual(await cause.locator("h3").allTextContents(), ["Evidence lines", "Deciding check", "Quick fix", "Looks alike"]);
  const links = await cause.locator("a").evaluateAll((all) => all.map((link) => /** @type {HTMLAnchorElement} */ (link).href));
  assert.deepEqual(links.filter((href) => !href.startsWith(new URL("entries/", root).href)), []);
  assert.ok(links.includes(new URL(`${LONG_ENTRY}#checklist`, root).href));
  assert.match(await part(page, "downstream").locator("tbody tr").innerText(), /63 of 64: 0 to 36, 38 to 63/);
  assert.match(await part(page, "ranks").locator(".is-first").innerText(), /37\s+first/);
  assert.deepEqual(await part(page, "ranks").locator("tbody tr").count(), 8);
  assert.match(await part(page, "ranks").locator("[data-fb=note]").innerText(), /^Rank 37 \(gpu-node-04, local 5\) failed first, 2 ranks \(36, 38\)/);
  assert.deepEqual(await page.evaluate(outlineFaults), { h1: 1, skipped: [], twice: [], dead: [] });
});

pageTest("secrets are masked in what is shown and copied until the reader asks", async (visited) => {
  const { page } = visited;
  await answerWith(page, CASCADE);
  await diagnose(visited);
  const secret = /s3cr3t/;
  assert.doesNotMatch(await part(page, "answer").innerText(), secret);
  await part(page, "report").click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  assert.doesNotMatch(await clipboard(page), secret);
  const toggle = page.getByRole("button", { name: "Show unmasked" });
  await toggle.press("Enter");
  assert.equal(await toggle.getAttribute("aria-pressed"), "true");
  assert.match(await part(page, "unmatched").innerText(), secret);
  await toggle.press("Enter");
  assert.doesNotMatch(await part(page, "answer").innerText(), secret);
});

pageTest("above 64 nodes those that look alike share a row", async (visited) => {
  await answerWith(visited.page, { ...CASCADE, details: { ...CASCADE.details, ranks: lostGpu(1024), world: 1024 } });
  await diagnose(visited);
  const rows = await part(visited.page, "ranks").locator("tbody th").allTextContents();
  assert.ok(rows.length < 10, rows.join("; "));
  assert.ok(rows.includes("gpu-node-04"), rows.join("; "));
});

pageTest("a dangerous quick fix is copied only after its warning was opened", async (visited) => {
  const { page, root } = visited;
  const figures = source(entriesWith(GUARDED)[0] ?? "").match(/<figure class="fb-cmd fb-cmd--(?:disruptive|destructive)">[^]*?<\/figure>/) ?? [];
  const body = source(LONG_ENTRY).replace(/(id="quick-fix"[^]*?<\/p>)/, `$1${figures[0]}`);
  await page.route(new URL(LONG_ENTRY, root).href, (route) => route.fulfill({ body, contentType: "text/html; charset=utf-8" }));
  await answerWith(page, CASCADE);
  await diagnose(visited);
  const figure = part(page, "cause").locator(".fb-cmd--disruptive, .fb-cmd--destructive");
  const button = figure.locator(".fb-copy");
  assert.equal(await button.isDisabled(), true);
  await figure.locator("summary").press("Enter");
  await figure.locator(".fb-copy:enabled").press("Enter");
  await figure.locator(".fb-copy", { hasText: "Copied" }).waitFor();
  assert.equal(await clipboard(page), await figure.locator("pre code").textContent());
});

pageTest("without the page of its entry a cause keeps its lines and the way to its check", async (visited) => {
  const { page, root } = visited;
  await page.route(new URL(LONG_ENTRY, root).href, (route) => route.fulfill({ status: 503, body: "" }));
  await answerWith(page, CASCADE);
  await diagnose(visited);
  const check = part(page, "cause").getByRole("link", { name: "Its checklist" });
  assert.equal(await check.getAttribute("href"), new URL(`${LONG_ENTRY}#checklist`, root).href);
});

pageTest("an engine that does not start is reported, and the log is kept", async ({ page, open }) => {
  await page.route("**/engine/worker.js", (route) => route.abort());
  await open("diagnose/");
  await page.locator("#ask").fill(LOG);
  await page.getByRole("button", { name: "Diagnose" }).click();
  await page.getByRole("status").filter({ hasText: "could not be started" }).waitFor();
  assert.equal(await page.locator("#ask").inputValue(), LOG);
});

const LIGHT = /** @type {const} */ (["light"]);
const BOTH = /** @type {const} */ (["light", "dark"]);

/** @type {[name: string, diagnosis: import("./recorded.js").Diagnosis, palettes: readonly ("light" | "dark")[]][]} */
const STATES = [
  ["a cascade", CASCADE, BOTH],
  ["an unknown cause", UNKNOWN_CAUSE, BOTH],
  ["several candidates", CANDIDATES, LIGHT],
  ["no failure", NO_FAILURE, LIGHT],
];

for (const [name, diagnosis, palettes] of STATES) {
  pageTest(`the answer '${name}' is accessible and fits, at each width and in both palettes`, async (visited, t) => {
    const { page } = visited;
    await answerWith(page, diagnosis);
    await diagnose(visited);
    await page.evaluate(shortenGrid);
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 });
      assert.deepEqual(await page.evaluate(overflow), [], `${width} px`);
      for (const colorScheme of palettes) {
        await t.test(`${width} px, ${colorScheme}`, async () => assert.deepEqual(await violations(page, { width, colorScheme }), []));
      }
    }
  });
}
