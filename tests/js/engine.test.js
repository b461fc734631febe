// The modules of the engine stand alone: no page, no network but the worker's, nothing from outside.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { diagnose, loadIndex, maskWithSpans, search } from "../../plugins/faultbook/assets/engine/engine.js";
import { head, length, placeOf, unitOf } from "../../plugins/faultbook/assets/engine/points.js";
import { FROZEN, indexData, RULES, streamOf } from "./engine.js";

const FOLDER = new URL("../../plugins/faultbook/assets/engine/", import.meta.url);
const MODULES = readdirSync(FOLDER);
const INDEX = loadIndex(indexData(FROZEN.index), FROZEN.search);

for (const name of MODULES) {
  const code = readFileSync(new URL(name, FOLDER), "utf8").replace(/\/\*\*[^]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");

  test(`${name} knows no page and makes no code from text`, () => {
    assert.doesNotMatch(code, /\b(?:document|window|localStorage)\.|\b(?:XMLHttpRequest|eval|Function|importScripts)\b|innerHTML/);
    if (name !== "worker.js") assert.doesNotMatch(code, /\bfetch\b|postMessage\(\{/);
  });

  test(`${name} imports only modules of the engine`, () => {
    const imported = [...code.matchAll(/(?:from |import\()"([^"]+)"/g)].map(([, path]) => String(path));
    assert.deepEqual(imported.filter((path) => !MODULES.includes(path.replace(/^\.\//, ""))), []);
  });

  test(`${name} fits on few screens`, () => {
    assert.ok(code.split("\n").length <= 250);
  });
}

test("every pattern of the rules can be read", () => {
  const patterns = Object.entries(RULES).filter(([, value]) => typeof value === "string");
  assert.ok(patterns.length > 10);
  for (const [name] of patterns) INDEX.rules.pattern(name);
});

test("an index of another schema is refused", () => {
  assert.throws(() => loadIndex({ ...indexData({}), schema: 2 }), /schema 2, not 1/);
});

test("without words nothing is found by words", async () => {
  const index = loadIndex(indexData(FROZEN.index));
  assert.deepEqual(search(index, "port"), []);
  const log = Buffer.from("Traceback (most recent call last):\nRuntimeError: nobody has seen this before\n");
  const { answer } = await diagnose([{ name: "log", stream: streamOf(log) }], index);
  assert.deepEqual([answer.verdict, answer.similar], ["unknown", []]);
});

test("a stream that fails fails the diagnosis", async () => {
  const stream = new ReadableStream({ pull: (controller) => controller.error(new Error("the file is gone")) });
  await assert.rejects(diagnose([{ name: "log", stream }], INDEX), /the file is gone/);
});

test("an answer does not depend on what was asked before", async () => {
  const lines = FROZEN.index.templates.map(([parts]) => parts.filter((part) => typeof part === "string").join("1"));
  const log = Buffer.from(lines.join("\n"));
  const ask = () => diagnose([{ name: "log", stream: streamOf(log) }], INDEX);
  const [first, second] = [await ask(), await ask()];
  assert.deepEqual({ ...first.answer, stats: 0 }, { ...second.answer, stats: 0 });
  assert.deepEqual(first.details, second.details);
});

test("places count characters", () => {
  const text = "a\u{1f525}b\u{1f525}c";
  assert.deepEqual([length(text), head(text, 2), head(text, 9)], [5, "a\u{1f525}", text]);
  assert.deepEqual([placeOf(text, 4), unitOf(text, 3), placeOf("abc", 2), unitOf("abc", 2)], [3, 4, 2, 2]);
});

test("spans move with the secrets before them", () => {
  const secret = `hf_${"a1B2".repeat(8)}`;
  const { text, spans } = maskWithSpans(`token ${secret} \u{1f525} fails`, [[0, 10], [44, 49]], INDEX);
  assert.equal(text, "token \u2022\u2022\u2022\u2022 \u{1f525} fails");
  assert.deepEqual(spans.map(([from, to]) => [...text].slice(from, to).join("")), ["token \u2022\u2022\u2022\u2022", "fails"]);
});
