// Reading and scanning: every way of cutting a log into chunks gives the same, in bounded memory.
import assert from "node:assert/strict";
import { test } from "node:test";
import { constants, gunzipSync, gzipSync } from "node:zlib";

import { diagnose, loadIndex } from "../../plugins/faultbook/assets/engine/engine.js";
import { buildFinder, makeNoticed, notice, prove } from "../../plugins/faultbook/assets/engine/finder.js";
import { gunzip } from "../../plugins/faultbook/assets/engine/gunzip.js";
import { BLOCK } from "../../plugins/faultbook/assets/engine/packer.js";
import { scan } from "../../plugins/faultbook/assets/engine/scan.js";
import { FROZEN, indexData, streamOf } from "./engine.js";

const INDEX = loadIndex(indexData(FROZEN.index), FROZEN.search);
const ERROR = "RuntimeError: The server socket has failed to listen on any local network address.";

/** Numbers that are the same in each run. @param {number} seed */
function dice(seed) {
  let state = seed;
  return (/** @type {number} */ below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/**
 * @param {Uint8Array} bytes
 * @param {number} [size]
 */
async function scanned(bytes, size) {
  const { pieces, lines, reading } = await scan(streamOf(bytes, size), INDEX.finder, INDEX.rules);
  return {
    lines,
    reading,
    pieces: pieces.map(({ number, line, data }) => [number, line, Buffer.from(data).toString("latin1")]),
  };
}

/**
 * The words of a block at which an anchor is proven.
 * @param {string[]} anchors
 * @param {Uint8Array} text
 */
function provenStarts(anchors, text) {
  const finder = buildFinder(anchors);
  const bytes = new Uint8Array((text.length + 11) & ~3);
  bytes.set(text);
  const block = new Int32Array(bytes.buffer);
  const noticed = makeNoticed(block.length);
  notice(finder, block, block.length, noticed);
  const hits = [...noticed.hits.subarray(0, noticed.hitCount)];
  return hits.map((at) => prove(finder, bytes, block, at)).filter((start) => start >= 0);
}

for (const length of [6, 7, 8, 9, 10, 11, 12, 15, 16, 30]) {
  test(`an anchor of ${length} bytes is found wherever it stands, and only there`, () => {
    const anchor = "Xid 79: GPU has fallen off the bus".slice(0, length);
    for (let at = 0; at < 12; at++) {
      const found = provenStarts([anchor, "something else"], Buffer.from(`${"-".repeat(at)}${anchor}${"-".repeat(at % 3)}`));
      assert.deepEqual([...new Set(found)], [at]);
      assert.deepEqual(provenStarts([anchor], Buffer.from(`${"-".repeat(at)}${anchor.slice(0, -1)}~`)), []);
    }
  });
}

test("anchors are found where a plain search finds them", () => {
  const roll = dice(1);
  const letters = "ab\n \u00e9";
  const word = (/** @type {number} */ size) => Array.from({ length: size }, () => letters[roll(letters.length)]).join("");
  for (let round = 0; round < 200; round++) {
    const anchors = Array.from({ length: 5 }, () => word(6 + roll(8)).replaceAll("\n", "a"));
    const text = Buffer.from(word(300));
    const expected = anchors.some((anchor) => text.includes(anchor));
    assert.equal(provenStarts(anchors, text).length > 0, expected);
  }
});

test("an anchor that is too short is refused", () => {
  assert.throws(() => buildFinder(["short"]), /shorter than 6 bytes/);
});

/** A log with pieces of all lengths, bars, colours, holes and errors. */
function oddLog() {
  const roll = dice(7);
  const parts = [];
  for (let at = 0; at < 3000; at++) {
    const kind = roll(40);
    if (kind === 0) parts.push("x".repeat(roll(40_000)), roll(2) ? ERROR : "", "\n");
    else if (kind === 1) parts.push(`\r${at}%`, "\r", "\r\n");
    else if (kind === 2) parts.push("\x1b[31m", ERROR, "\x1b[0m\n");
    else if (kind === 3) parts.push("\0".repeat(roll(20_000)), `${ERROR} ${at}\n`);
    else if (kind === 4) parts.push("a\bb\n\n");
    else parts.push(`step ${at} loss ${roll(1000)}${roll(2) ? "\r\n" : "\n"}`);
  }
  return Buffer.from(parts.join(""));
}

test("the size of chunks does not matter", async () => {
  const bytes = oddLog();
  const whole = await scanned(bytes);
  assert.ok(bytes.length > 3 * BLOCK && whole.pieces.length > 600);
  for (const size of [997, 16_384, 65_536, BLOCK, BLOCK + 1]) assert.deepEqual(await scanned(bytes, size), whole);
});

test("what is kept of an odd log is what a plain reading keeps", async () => {
  const text = oddLog().toString("latin1").replaceAll("\0", "");
  const pieces = text.split(/\r\n|\n|\r/).slice(0, -1).map((piece) => piece.slice(0, 16_384));
  const plain = pieces.map((piece) => piece.replace(INDEX.rules.every("ansi"), ""));
  const lines = text.split("\n").length - 1;
  const found = await scanned(oddLog());
  assert.equal(found.lines, lines);
  const errors = plain.flatMap((piece, number) => (piece.includes(ERROR) ? [number] : []));
  assert.ok(errors.length > 100);
  const kept = new Map(found.pieces.map(([number, , data]) => [number, data]));
  for (const number of errors) assert.equal(kept.get(number), plain[number]);
  for (const [number, data] of kept) assert.ok(plain[Number(number)]?.startsWith(String(data)));
});

test("a line of 40 MB is cut while it is read", async () => {
  const part = Buffer.alloc(1 << 20, "x");
  let sent = 0;
  const stream = new ReadableStream({
    pull(controller) {
      if (sent++ < 40) controller.enqueue(part);
      else controller.close();
    },
  });
  const before = process.memoryUsage().arrayBuffers;
  const { pieces, lines, reading } = await scan(stream, INDEX.finder, INDEX.rules);
  assert.deepEqual([pieces.map(({ data }) => data.length), lines, reading.bytes], [[16_384], 1, 40 << 20]);
  assert.ok(process.memoryUsage().arrayBuffers - before < 20 << 20);
});

test("progress counts the bytes of all files, and cancelling ends the work", async () => {
  const bytes = Buffer.from(`${"step\n".repeat(400_000)}${ERROR}\n`);
  const files = () => ["a", "b"].map((name) => ({ name, stream: streamOf(bytes, 65_536) }));
  /** @type {number[]} */
  const told = [];
  await diagnose(files(), INDEX, { onProgress: (read) => told.push(read) });
  assert.equal(told.at(-1), 2 * bytes.length);
  assert.deepEqual([...told].sort((one, other) => one - other), told);
  const control = new AbortController();
  const work = diagnose(files(), INDEX, { onProgress: () => control.abort(), signal: control.signal });
  await assert.rejects(work, { name: "AbortError" });
});

test("other work runs while a log is read that comes without waiting", async () => {
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  await scan(streamOf(Buffer.alloc(60 << 20, "a line of a log that says nothing at all\n"), BLOCK), INDEX.finder, INDEX.rules);
  clearInterval(timer);
  assert.ok(turns > 0);
});

/**
 * @param {Uint8Array} packed
 * @param {number} size
 */
async function unpacked(packed, size) {
  async function* chunks() {
    for (let at = 0; at < packed.length; at += size) yield new Uint8Array(packed.subarray(at, at + size));
  }
  const reading = { bytes: 0, /** @type {string[]} */ remarks: [] };
  const parts = [];
  for await (const part of gunzip(chunks(), reading)) parts.push(part);
  return { bytes: Buffer.concat(parts), remarks: reading.remarks };
}

const ROLL = dice(3);
const NOISE = Buffer.from(Array.from({ length: 70_000 }, () => ROLL(256)));
const STEPS = Array.from({ length: 9000 }, (_, at) => `[rank${at % 64}]: step ${at * 7} loss ${ROLL(10_000)}\n`);
const TEXT = Buffer.from(STEPS.join(""));
/** @type {[string, Buffer][]} */
const CONTENTS = [
  ["nothing", Buffer.alloc(0)],
  ["one letter", Buffer.from("a")],
  ["text", TEXT],
  ["noise", NOISE],
  ["noise and text", Buffer.concat([NOISE, TEXT])],
  ["a letter over and over", Buffer.alloc(500_000, "a")],
];

for (const [name, content] of CONTENTS) {
  test(`gzip gives back ${name}, whole and cut`, async () => {
    for (const level of [0, 1, 6, 9]) {
      for (const strategy of [constants.Z_DEFAULT_STRATEGY, constants.Z_HUFFMAN_ONLY, constants.Z_RLE, constants.Z_FIXED]) {
        const packed = gzipSync(content, { level, strategy });
        const cut = packed.subarray(0, packed.length >> 1);
        const start = gunzipSync(cut, { finishFlush: constants.Z_SYNC_FLUSH });
        for (const size of [1013, 65_536]) {
          assert.deepEqual(await unpacked(packed, size), { bytes: content, remarks: [] });
          assert.deepEqual(await unpacked(cut, size), { bytes: start, remarks: ["gzip-truncated"] });
        }
      }
    }
  });
}

test("members of gzip follow each other, with padding behind", async () => {
  const packed = Buffer.concat([gzipSync(TEXT), gzipSync(NOISE, { level: 0 }), Buffer.alloc(40)]);
  for (const size of [1, 100_000]) {
    assert.deepEqual(await unpacked(packed.subarray(-2000), size), await unpacked(packed.subarray(-2000), 7));
  }
  for (const size of [13, 100_000]) {
    assert.deepEqual(await unpacked(packed, size), { bytes: Buffer.concat([TEXT, NOISE]), remarks: [] });
  }
});

test("every damage of gzip ends the log where zlib ends it", async () => {
  const packed = gzipSync(TEXT);
  for (let round = 0; round < 200; round++) {
    const damaged = Buffer.from(packed.subarray(0, 12_000));
    const at = 10 + ROLL(11_000);
    damaged[at] = (damaged[at] ?? 0) ^ (1 << ROLL(8));
    const { bytes, remarks } = await unpacked(damaged, 4000);
    try {
      const start = gunzipSync(damaged, { finishFlush: constants.Z_SYNC_FLUSH });
      assert.deepEqual([bytes, remarks], [start, ["gzip-truncated"]]);
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      assert.deepEqual(remarks, ["gzip-damaged"]);
    }
  }
});

test("a wrong sum, a wrong method and what is no further member are damage", async () => {
  const packed = gzipSync(TEXT);
  const sum = Buffer.from(packed);
  sum[packed.length - 6] = (sum[packed.length - 6] ?? 0) ^ 1;
  const method = Buffer.from(packed);
  method[2] = 7;
  assert.deepEqual(await unpacked(sum, 1000), { bytes: TEXT, remarks: ["gzip-damaged"] });
  assert.deepEqual(await unpacked(method, 1000), { bytes: Buffer.alloc(0), remarks: ["gzip-damaged"] });
  assert.deepEqual(await unpacked(Buffer.concat([packed, Buffer.from("rest")]), 7), { bytes: TEXT, remarks: ["gzip-damaged"] });
});

test("a header of gzip may hold a name, a comment, a field and a sum", async () => {
  const packed = gzipSync(TEXT);
  const body = packed.subarray(10);
  const fields = Buffer.concat([packed.subarray(0, 3), Buffer.from([4 | 8 | 16]), packed.subarray(4, 10)]);
  const whole = Buffer.concat([fields, Buffer.from([3, 0, 1, 2, 3]), Buffer.from("train.log\0why\0"), body]);
  for (const size of [1, 5000]) assert.deepEqual(await unpacked(whole, size), { bytes: TEXT, remarks: [] });
});
