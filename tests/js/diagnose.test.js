import assert from "node:assert/strict";
import { test } from "node:test";

import { moveSpans } from "../../plugins/faultbook/assets/diagnose/lines.js";
import { groupsOf, linesOf, nearOf, sentenceOf } from "../../plugins/faultbook/assets/diagnose/ranks.js";
import { escaped, fenced, makeReport } from "../../plugins/faultbook/assets/diagnose/report.js";
import { textsOf } from "../../plugins/faultbook/assets/diagnose/texts.js";
import { visible } from "../../plugins/faultbook/assets/diagnose/visible.js";
import { factsOf, firstSeen, megabytes, ranges, ranksOf, summaryOf, verdictOf } from "../../plugins/faultbook/assets/diagnose/words.js";
import { CANDIDATES, CASCADE, lostGpu, NO_FAILURE, UNKNOWN_CAUSE } from "../browser/recorded.js";

const MASK = (/** @type {string} */ text) => text.replace(/token=[^)]+/, "token=••••");
const OPTIONS = { files: 8, root: new URL("https://site.test/book/"), show: MASK, lines: () => [] };

test("numbers are written as ranges", () => {
  assert.equal(ranges([3, 0, 1, 2, 7, 8, 10, 10]), "0 to 3, 7, 8, 10");
  assert.equal(ranges([]), "");
});

test("each verdict has its words, and none is a guess", () => {
  assert.deepEqual(verdictOf(CASCADE.answer), ["Initiating failure found", "on rank 37"]);
  assert.deepEqual(verdictOf(UNKNOWN_CAUSE.answer), ["No cause found in this log", ""]);
  assert.deepEqual(verdictOf(NO_FAILURE.answer), ["No failure found", ""]);
  assert.equal(summaryOf(CASCADE.answer), "");
  assert.match(summaryOf(UNKNOWN_CAUSE.answer), /only follow from another one/);
  assert.match(summaryOf(CANDIDATES.answer), /fit several failures/);
  assert.match(summaryOf({ ...UNKNOWN_CAUSE.answer, findings: [] }), /No line of the log fits/);
  assert.match(summaryOf(NO_FAILURE.answer), /none looks like an error/);
  assert.match(summaryOf({ ...NO_FAILURE.answer, error_lines: CASCADE.answer.error_lines }), /lines below look like errors/);
});

test("facts and places are those of the answer", () => {
  assert.deepEqual(factsOf(CASCADE, 8), ["8 files", "64 ranks", "48,211 lines", "0.19 s"]);
  assert.deepEqual(factsOf({ ...CASCADE, details: { context: [], ranks: [], world: null } }, 1).slice(0, 2), ["1 file", "48,211 lines"]);
  const [cause, downstream] = CASCADE.answer.findings;
  assert.ok(cause && downstream);
  assert.equal(ranksOf(downstream, CASCADE.details), "63 of 64: 0 to 36, 38 to 63");
  assert.equal(ranksOf({ ...cause, entry: "other" }, CASCADE.details), "37");
  assert.equal(ranksOf({ ...cause, entry: "other", all_ranks: true }, CASCADE.details), "all");
  const line = { file: "gpu-node-04.log", line: 6057, text: "x" };
  assert.deepEqual(firstSeen({ ...downstream, evidence: [line] }, CASCADE.details), { when: "+2.6 s, ", file: "gpu-node-04.log", line: 6057 });
  assert.equal(firstSeen({ ...downstream, evidence: [] }, CASCADE.details).file, null);
  assert.deepEqual([megabytes(1_234_567), megabytes(104_857_600)], ["1.2", "105"]);
});

test("spans keep their places beside what was masked, and cover it where they held it", () => {
  const text = "push failed: token=s3cr3t at host a";
  const masked = "push failed: token=•••• at host a";
  assert.deepEqual(moveSpans([[0, 4]], text, masked), [[0, 4]]);
  assert.deepEqual(moveSpans([[text.indexOf("host"), text.length]], text, masked), [[masked.indexOf("host"), masked.length]]);
  const [[from = 0, to = 0] = []] = moveSpans([[13, 28]], text, masked);
  assert.equal(masked.slice(from, to), "token=•••• at");
  assert.deepEqual(moveSpans([[2, 3]], "same", "same"), [[2, 3]]);
});

test("the grid is one of nodes and local ranks, and a rank that did not fail leaves a gap", () => {
  const lines = linesOf(lostGpu(16).filter(({ rank }) => rank !== 2));
  assert.deepEqual(lines.map(({ name }) => name), ["gpu-node-00", "gpu-node-01"]);
  assert.deepEqual([...(lines[0]?.cells ?? [])].map((cell) => cell?.rank), [0, 1, undefined, 3, 4, 5, 6, 7]);
  const nameless = linesOf(lostGpu(16).map((failure) => ({ ...failure, node: null, local: null })));
  assert.deepEqual(nameless.map(({ name }) => name), ["0 to 7", "8 to 15"]);
});

test("many nodes are grouped only where they look alike", () => {
  assert.equal(groupsOf(linesOf(lostGpu(64 * 8))).length, 64);
  const groups = groupsOf(linesOf(lostGpu(65 * 8)));
  assert.equal(groups.reduce((sum, group) => sum + group.lines.length, 0), 65);
  assert.ok(groups.length < 10);
  const first = groups.find(({ lines }) => lines.some(({ name }) => name === "gpu-node-04"));
  assert.equal(first?.lines.length, 1);
});

test("the sentence says what the grid shows", () => {
  assert.equal(
    sentenceOf(lostGpu(64)),
    "Rank 37 (gpu-node-04, local 5) failed first, 2 ranks (36, 38) after 2.6 s, the other 61 after 600.0 to 601.9 s. Each cell: rank, seconds after the first failure.",
  );
  assert.deepEqual(nearOf(lostGpu(64)).map(({ rank }) => rank), [36, 38]);
  // Where all fail together, none stands out.
  assert.deepEqual(nearOf(lostGpu(8).map((failure) => ({ ...failure, seconds: failure.rank / 10 }))), []);
  assert.match(sentenceOf(lostGpu(8).map((failure) => ({ ...failure, seconds: null }))), /no times/);
  assert.equal(sentenceOf([]), "");
});

test("every text of a log is masked before it is shown", () => {
  const texts = textsOf(CASCADE);
  const { answer, details } = CASCADE;
  for (const { text } of [...answer.error_lines, ...details.context.flatMap(({ rows }) => rows)]) assert.ok(texts.includes(text));
  for (const said of [...answer.findings.map(({ why }) => why), ...answer.remarks]) assert.ok(texts.includes(said));
  assert.equal(new Set(texts).size, texts.length);
  assert.ok(textsOf(UNKNOWN_CAUSE).includes(UNKNOWN_CAUSE.answer.missing ?? "none"));
});

test("a report is masked Markdown, with absolute links and nothing that a log could add", () => {
  const report = makeReport(CASCADE, OPTIONS);
  assert.match(report, /^## Initiating failure found on rank 37\n\n8 files, 64 ranks/);
  assert.match(report, /\(https:\/\/site\.test\/book\/entries\/master-port-in-use\/\)/);
  assert.match(report, /### Only downstream\n\n- \[ChildFailedError/);
  assert.match(report, /6041: .*token=••••/);
  assert.doesNotMatch(report, /s3cr3t/);
  assert.match(makeReport(UNKNOWN_CAUSE, OPTIONS), /### What is missing\n\nRank 5 printed nothing/);
  assert.doesNotMatch(makeReport(UNKNOWN_CAUSE, OPTIONS), /\d\s?%|0\.42/);
  assert.equal(fenced("a ``` b ```` c").split("\n")[0], "`````text");
  assert.equal(escaped("<b> [x](y) `z` | # *\n_"), "\\<b\\> \\[x\\](y) \\`z\\` \\| \\# \\* \\_");
});

test("controls of a log are escapes, as on the command line, in the report too", () => {
  assert.equal(visible("a\u202egol.exe\u2066\x1b[1m\0\x9b\r\u200b\ufeff\u2028"), "a\\u202egol.exe\\u2066\\x1b[1m\\x00\\x9b\\r\\u200b\\ufeff\\u2028");
  assert.equal(visible("\ud800 \u{e0041}"), "\\ud800 \\U000e0041");
  assert.equal(visible("a\tb\nGröße 日本 😀 שלום"), "a\tb\nGröße 日本 😀 שלום");
  const [cause] = CASCADE.answer.findings;
  assert.ok(cause);
  const line = { file: "a\u202egol.exe", line: 3, text: "out \u202e of\x07 memory" };
  const hostile = { ...CASCADE, answer: { ...CASCADE.answer, findings: [{ ...cause, rank: null, node: "n\u2067", why: "seen in \u202ex" }] } };
  const report = makeReport(hostile, { ...OPTIONS, lines: () => [line] });
  assert.doesNotMatch(report, /[\u202a-\u202e\u2066-\u2069\x07]/);
  assert.ok(report.includes("3: out \\u202e of\\x07 memory") && report.includes("a\\u202egol.exe") && report.includes("on n\\u2067"));
});
