// Find the pieces of a log that hold an anchor, in bounded memory and without decoding them.
import { makeNoticed, notice, prove } from "./finder.js";
import { HELD, Keep } from "./keep.js";
import { BLOCK, SLACK } from "./packer.js";
import { blocks } from "./read.js";

/** @typedef {import("./finder.js").Finder} Finder */
/** @typedef {import("./keep.js").Cut} Cut */
/** @typedef {import("./keep.js").Piece} Piece */
/** @typedef {import("./packer.js").Block} Block */
/** @typedef {import("./read.js").Reading} Reading */
/** @typedef {import("./rules.js").Rules} Rules */

/** What was kept of a log, in order, how many lines it has, and what was odd about it. */
/** @typedef {{pieces: Piece[], lines: number, reading: Reading}} Scanned */

const LF = 10;
const CR = 13;
const ESC = 27;
const BACKSPACE = 8;
/** Milliseconds after which other work may run, such as the message that cancels this one. */
const PATIENCE = 12;

/**
 * Read a log once and keep what may matter.
 * @param {ReadableStream<Uint8Array>} stream
 * @param {Finder} finder
 * @param {Rules} rules
 * @param {import("./read.js").ReadOptions} options
 * @returns {Promise<Scanned>}
 */
export async function scan(stream, finder, rules, options = {}) {
  /** @type {Reading} */
  const reading = { bytes: 0, remarks: [] };
  const scanner = new Scanner(finder, rules);
  let rested = performance.now();
  for await (const block of blocks(stream, reading, { ...options, held: HELD })) {
    scanner.take(block);
    if (performance.now() - rested > PATIENCE) {
      await rest();
      rested = performance.now();
    }
    options.signal?.throwIfAborted();
  }
  return { pieces: scanner.keep.pieces(), lines: scanner.lines, reading };
}

/** Lets other work run; a timer would wait for some milliseconds. */
const rest = () =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve(undefined);
    };
    port2.postMessage(null);
  });

class Scanner {
  keep = new Keep();
  #finder;
  #ansi;
  #noticed = makeNoticed((BLOCK + SLACK) >> 2);
  #cuts = Array.from({ length: HELD }, makeCut);
  #taken = 0;
  #number = 0;
  #line = 1;
  #ended = true;

  /**
   * @param {Finder} finder
   * @param {Rules} rules
   */
  constructor(finder, rules) {
    this.#finder = finder;
    this.#ansi = rules.every("ansi");
  }

  /** How many lines were read. */
  get lines() {
    return this.#line - (this.#ended ? 1 : 0);
  }

  /** @param {Block} block */
  take(block) {
    this.#notice(block);
    if (this.#coloured(block)) {
      this.#dropColours(block);
      this.#notice(block);
    }
    if (!block.length) return;
    const cut = this.#cutPieces(block);
    this.#candidates(cut);
    this.keep.endBlock(cut);
    this.#ended = block.bytes[block.length - 1] === LF;
  }

  /** @param {Block} block */
  #notice({ bytes, length }) {
    notice(this.#finder, new Int32Array(bytes.buffer), (length + 3) >> 2, this.#noticed);
  }

  /** @param {Block} block */
  #coloured({ bytes }) {
    const { controls, controlCount } = this.#noticed;
    for (let control = 0; control < controlCount; control++) {
      const start = /** @type {number} */ (controls[control]) * 4;
      for (let at = start; at < start + 4; at++) if (bytes[at] === ESC || bytes[at] === BACKSPACE) return true;
    }
    return false;
  }

  /**
   * Takes out colour codes. The decoder gives one unit a byte, which is all that the pattern needs.
   * @param {Block} block
   */
  #dropColours(block) {
    const { bytes, length } = block;
    const text = new TextDecoder("latin1").decode(bytes.subarray(0, length));
    let kept = 0;
    let done = 0;
    for (const found of text.matchAll(this.#ansi)) {
      bytes.copyWithin(kept, done, found.index);
      kept += found.index - done;
      done = found.index + found[0].length;
    }
    bytes.copyWithin(kept, done, length);
    block.length = kept + length - done;
    bytes.fill(0, block.length, block.length + SLACK);
  }

  /**
   * Finds where the pieces start and end.
   * @param {Block} block
   */
  #cutPieces({ bytes, length }) {
    const { controls, controlCount } = this.#noticed;
    const cut = roomFor(this.#cuts, this.#taken++ % HELD, 4 * controlCount + 1);
    Object.assign(cut, { bytes, number: this.#number, line: this.#line });
    const { starts, ends, lines } = cut;
    let count = 0;
    let start = 0;
    let feeds = 0;
    for (let control = 0; control < controlCount; control++) {
      const first = /** @type {number} */ (controls[control]) * 4;
      for (let at = first; at < first + 4; at++) {
        const byte = bytes[at];
        if (byte !== LF && (byte !== CR || bytes[at + 1] === LF)) continue;
        starts[count] = start;
        ends[count] = byte === LF && at > start && bytes[at - 1] === CR ? at - 1 : at;
        lines[count++] = feeds;
        start = at + 1;
        if (byte === LF) feeds += 1;
      }
    }
    if (start < length) {
      starts[count] = start;
      ends[count] = length;
      lines[count++] = feeds;
    }
    cut.count = count;
    this.#number += count;
    this.#line += feeds;
    return cut;
  }

  /** @param {Cut} cut */
  #candidates(cut) {
    const { hits, hitCount } = this.#noticed;
    const { bytes, ends } = cut;
    const words = new Int32Array(bytes.buffer);
    let piece = 0;
    let last = -1;
    for (let hit = 0; hit < hitCount; hit++) {
      const at = /** @type {number} */ (hits[hit]);
      while (/** @type {number} */ (ends[piece]) < at * 4) piece += 1;
      if (piece === last || prove(this.#finder, bytes, words, at) < 0) continue;
      last = piece;
      this.keep.candidate(cut, piece);
    }
  }
}

/** @returns {Cut} */
const makeCut = (pieces = 0) => ({
  bytes: new Uint8Array(0),
  number: 0,
  line: 1,
  count: 0,
  starts: new Int32Array(pieces),
  ends: new Int32Array(pieces),
  lines: new Int32Array(pieces),
});

/**
 * A cut of a list, made anew if it is too small for so many pieces.
 * @type {(cuts: Cut[], at: number, pieces: number) => Cut}
 */
function roomFor(cuts, at, pieces) {
  const known = cuts[at];
  const cut = known && known.ends.length >= pieces ? known : makeCut(2 * pieces);
  cuts[at] = cut;
  return cut;
}
