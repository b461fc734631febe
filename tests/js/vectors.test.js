// The vectors of the engine, which its twin in Python runs too; docs/engine.md says how they are written.
import assert from "node:assert/strict";
import { test } from "node:test";

import { diagnose, loadIndex, mask, search } from "../../plugins/faultbook/assets/engine/engine.js";
import { DAY } from "../../plugins/faultbook/assets/engine/clock.js";
import { match } from "../../plugins/faultbook/assets/engine/match.js";
import { normalise } from "../../plugins/faultbook/assets/engine/normalise.js";
import { placeOf } from "../../plugins/faultbook/assets/engine/points.js";
import { scan } from "../../plugins/faultbook/assets/engine/scan.js";
import { similar } from "../../plugins/faultbook/assets/engine/textsearch.js";
import { maskedTokens, tokens } from "../../plugins/faultbook/assets/engine/tokens.js";
import { FROZEN, indexData, readJson, RULES, streamOf } from "./engine.js";

/** @typedef {import("../../plugins/faultbook/assets/engine/index.js").Index} Index */
/** @typedef {import("../../plugins/faultbook/assets/engine/normalise.js").Event} Event */
/** @typedef {string | string[] | {base64: string} | {parts: [string, number][]}} Data */
/** @typedef {{name: string, index: string, input?: Data, files?: [string, Data][]} & Record<string, any>} Vector */
/** @typedef {{name: string, bytes: Uint8Array}} Log */

const SMALL_CHUNK = 7;
const SMALL = 20_000;
/** @type {Record<string, any>} */
const DEFAULTS = { rank: null, local: null, node: null, pid: null, time: null, level: null, repeat: 1, kernel: false, run: 0 };
const WHOLE = loadIndex(indexData(FROZEN.index), FROZEN.search);

/** @param {string} name */
function load(name) {
  /** @type {{indexes?: Record<string, any>, vectors: Vector[]}} */
  const { indexes = {}, vectors } = readJson(`tests/vectors/${name}.json`);
  const made = new Map(Object.entries(indexes).map(([own, data]) => [own, loadIndex(indexData(data))]));
  return { vectors, indexOf: (/** @type {Vector} */ { index }) => /** @type {Index} */ (made.get(index)) };
}

/** @param {Data} data */
function bytesOf(data) {
  if (typeof data === "string") return Buffer.from(data);
  if (Array.isArray(data)) return Buffer.from(data.map((line) => `${line}\n`).join(""));
  if ("base64" in data) return Buffer.from(data.base64, "base64");
  return Buffer.concat(data.parts.map(([text, times]) => Buffer.from(text.repeat(times))));
}

/**
 * The logs of a vector, and the sizes of the chunks in which they are read.
 * @param {Vector} vector
 */
function logsOf({ files, input = "" }) {
  /** @type {[string, Data][]} */
  const named = files ?? [["log", input]];
  const logs = named.map(([name, data]) => ({ name, bytes: bytesOf(data) }));
  const size = logs.reduce((sum, { bytes }) => sum + bytes.length, 0);
  return { logs, sizes: size < SMALL ? [undefined, SMALL_CHUNK] : [undefined] };
}

/** @type {(logs: Log[], size: number | undefined, index: Index) => Promise<{events: Event[], remarks: string[]}>} */
async function eventsOf(logs, size, index) {
  const scans = await Promise.all(logs.map(({ bytes }) => scan(streamOf(bytes, size), index.finder, index.rules)));
  return {
    events: scans.flatMap(({ pieces }, file) => normalise(pieces, index.rules, file)),
    remarks: scans.flatMap(({ reading }) => reading.remarks),
  };
}

/**
 * An event as vectors give it.
 * @param {Event} event
 */
function told(event) {
  const { full, text, line, time } = event;
  /** @type {Record<string, any>} */
  const all = { ...event, time: time && [time.kind, time.days * DAY + time.within] };
  const kept = Object.entries(DEFAULTS).flatMap(([key, value]) => (all[key] === value ? [] : [[key, all[key]]]));
  return { line, full, ...(text === full ? {} : { text }), ...Object.fromEntries(kept) };
}

/**
 * Names of phrases, and what is filled in behind them, as the engine says it.
 * @param {string | null} words
 */
function phrased(words) {
  if (words === null) return null;
  const parts = words.split(" ");
  const text = parts.filter((part) => !part.includes("=")).map((name) => RULES.phrases[name]).join(" ");
  const filled = parts.filter((part) => part.includes("=")).map((part) => part.split("="));
  return filled.reduce((said, [key, value = ""]) => said.replaceAll(`{${key}}`, value.replaceAll(",", ", ")), text);
}

/**
 * An expected answer with its phrases.
 * @param {Record<string, any>} answer
 */
function speltOut(answer) {
  const said = { ...answer };
  if ("missing" in said) said.missing = phrased(said.missing);
  if ("remarks" in said) said.remarks = said.remarks.map(phrased);
  for (const finding of said.findings ?? []) if ("why" in finding) finding.why = phrased(finding.why);
  return said;
}

/**
 * What was found, without keys that are not expected.
 * @type {(expected: any, found: any) => any}
 */
function given(expected, found) {
  if (Array.isArray(expected) && Array.isArray(found) && expected.length === found.length) {
    return expected.map((one, at) => given(one, found[at]));
  }
  if (typeof expected !== "object" || typeof found !== "object" || !expected || !found || Array.isArray(expected)) return found;
  return Object.fromEntries(Object.entries(expected).map(([key, value]) => [key, given(value, found[key])]));
}

/** @type {(logs: Log[], size: number | undefined, index: Index) => ReturnType<typeof diagnose>} */
const diagnosed = (logs, size, index) =>
  diagnose(logs.map(({ name, bytes }) => ({ name, stream: streamOf(bytes, size) })), index);

for (const vector of load("normalise").vectors) {
  test(`normalise: ${vector.name}`, async () => {
    const { logs, sizes } = logsOf(vector);
    for (const size of sizes) {
      const { events, remarks } = await eventsOf(logs, size, loadIndex(indexData({})));
      assert.deepEqual(events.map(told), vector.events);
      assert.deepEqual(remarks, vector.remarks ?? []);
    }
  });
}

const matches = load("match");
for (const vector of matches.vectors) {
  test(`match: ${vector.name}`, async () => {
    const { logs, sizes } = logsOf(vector);
    const index = matches.indexOf(vector);
    for (const size of sizes) {
      const { events } = await eventsOf(logs, size, index);
      const hits = match(events, index).map(({ at, signature, template, span, end }) => ({
        at,
        entry: index.entries[index.signatures[signature]?.entry ?? 0]?.id,
        template,
        span: [span.start, span.end].map((unit) => placeOf(events[at]?.full ?? "", unit)),
        ...(span.captures.size ? { captures: Object.fromEntries(span.captures) } : {}),
        ...(end === at ? {} : { joined: true }),
      }));
      assert.deepEqual(hits, vector.hits);
    }
  });
}

const attributions = load("attribute");
for (const vector of attributions.vectors) {
  test(`attribute: ${vector.name}`, async () => {
    const { logs, sizes } = logsOf(vector);
    const expected = speltOut(vector.answer);
    for (const size of sizes) {
      const { answer } = await diagnosed(logs, size, attributions.indexOf(vector));
      assert.deepEqual(given(expected, answer), expected);
    }
  });
}

for (const vector of load("diagnose").vectors) {
  test(`diagnose: ${vector.name}`, async () => {
    const { logs, sizes } = logsOf(vector);
    const expected = speltOut(vector.answer);
    for (const size of sizes) {
      const { answer, details } = await diagnosed(logs, size, WHOLE);
      const { seconds, ...stats } = answer.stats;
      assert.ok(seconds >= 0);
      assert.deepEqual({ ...answer, stats }, expected);
      if (vector.details) assert.deepEqual(details, vector.details);
    }
  });
}

for (const [at, { title, text, masked }] of readJson("tests/vectors/mask.json").entries()) {
  test(`mask ${at + 1}: ${title}`, () => {
    assert.equal(mask(text, WHOLE), masked);
  });
}

const searches = readJson("tests/vectors/search.json");

for (const { text, terms } of searches.terms) {
  test(`words: ${text}`, () => {
    assert.deepEqual(tokens(text).map((token) => token.terms), terms);
  });
}

for (const { text, words } of searches.masked) {
  test(`words but for what varies: ${text}`, () => {
    const masked = maskedTokens(text, FROZEN.search.telling);
    assert.deepEqual(masked.map(({ start, end }) => text.slice(start, end)), words);
  });
}

for (const { query, limit, rows } of searches.search) {
  test(`search: ${query}`, () => {
    const found = search(WHOLE, query, limit);
    assert.deepEqual(found.map(({ entry, kind, score, spans }) => [entry, kind, score, spans]), rows);
  });
}

for (const { text, rows } of searches.similar) {
  test(`similar: ${text}`, () => {
    assert.deepEqual(similar(WHOLE, text).map(({ entry, score }) => [entry, score]), rows);
  });
}
