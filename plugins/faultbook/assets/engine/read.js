// Read logs as blocks of whole pieces: gzip and UTF-16 undone, lines of any length, bounded memory.
import { gunzip } from "./gunzip.js";

/**
 * What was noticed while a log was read: its bytes, unpacked, and names of phrases in the rules.
 * @typedef {{bytes: number, remarks: string[]}} Reading
 */

/** A block of whole pieces as UTF-8: `length` bytes from the start of `bytes`, which ends with the zeros of `SLACK`. */
/** @typedef {{bytes: Uint8Array, length: number}} Block */

/** @typedef {{onRead?: (bytes: number) => void, signal?: AbortSignal}} ReadOptions */

/** @typedef {AsyncGenerator<Uint8Array, void, void>} Chunks */

/** Bytes of a block at most. */
export const BLOCK = 1 << 18;
/** Zeros after a block, so that whole words of it can be read. */
export const SLACK = 8;
/** Bytes of a piece that are looked at. */
const LONGEST = 16_384;
const SNIFFED = 400;
const PROBE = 4096;
const LF = 10;
const CR = 13;
const TEXT_CONTROLS = new Set([9, 10, 13, 12, 8, 27]);

/**
 * The log as UTF-8 in blocks that end where a piece ends; longer pieces are cut. A block is valid until `held` more have
 * been asked for, since its memory is used again; the reader may change it.
 * @param {ReadableStream<Uint8Array>} stream
 * @param {Reading} reading
 * @param {ReadOptions & {held: number}} options
 */
export function blocks(stream, reading, { held, ...options }) {
  return wholePieces(held, utf8(counted(unpacked(chunksOf(stream, options), reading), reading), reading));
}

/** @type {(stream: ReadableStream<Uint8Array>, options: ReadOptions) => Chunks} */
async function* chunksOf(stream, { onRead, signal }) {
  const reader = stream.getReader();
  let bytes = 0;
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { done, value } = await reader.read();
      if (done) return;
      bytes += value.length;
      yield value;
      onRead?.(bytes);
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** @type {(chunks: Chunks, reading: Reading) => Chunks} */
async function* counted(chunks, reading) {
  for await (const chunk of chunks) {
    reading.bytes += chunk.length;
    yield chunk;
  }
}

/**
 * The first chunks as one of at least so many bytes, if there are.
 * @param {Chunks} chunks
 * @param {number} least
 */
async function beginning(chunks, least) {
  const parts = [];
  let length = 0;
  while (length < least) {
    const { done, value } = await chunks.next();
    if (done) break;
    parts.push(value);
    length += value.length;
  }
  const first = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    first.set(part, at);
    at += part.length;
  }
  return first;
}

/** @type {(first: Uint8Array, rest: Chunks) => Chunks} */
async function* chained(first, rest) {
  try {
    if (first.length) yield first;
    yield* rest;
  } finally {
    await rest.return();
  }
}

/** @type {(chunks: Chunks, reading: Reading) => Chunks} */
async function* unpacked(chunks, reading) {
  const first = await beginning(chunks, 2);
  const all = chained(first, chunks);
  yield* first[0] === 0x1f && first[1] === 0x8b ? gunzip(all, reading) : all;
}

/** @type {(chunks: Chunks, reading: Reading) => Chunks} */
async function* utf8(chunks, reading) {
  const first = await beginning(chunks, PROBE);
  const encoding = utf16(first);
  if (encoding) {
    const decoder = new TextDecoder(encoding);
    const encoder = new TextEncoder();
    for await (const chunk of chained(first, chunks)) {
      yield encoder.encode(decoder.decode(chunk, { stream: true }).replaceAll("\ufeff", ""));
    }
    yield encoder.encode(decoder.decode());
    return;
  }
  const probe = first.subarray(0, PROBE).filter((byte) => byte !== 0);
  const controls = probe.filter((byte) => byte < 32 && !TEXT_CONTROLS.has(byte)).length;
  // Of any bytes a tenth are controls that texts do not have.
  if (first.length && (controls * 20 > probe.length || !probe.length)) reading.remarks.push("binary");
  const marked = first[0] === 0xef && first[1] === 0xbb && first[2] === 0xbf;
  yield* chained(first.subarray(marked ? 3 : 0), chunks);
}

/**
 * The encoding if it is UTF-16: by its mark, else by the NULs of every second byte.
 * @param {Uint8Array} first
 */
function utf16(first) {
  if (first[0] === 0xff && first[1] === 0xfe) return "utf-16le";
  if (first[0] === 0xfe && first[1] === 0xff) return "utf-16be";
  const sniffed = first.subarray(0, SNIFFED);
  const even = sniffed.filter((byte, at) => byte === 0 && at % 2 === 0).length;
  const odd = sniffed.filter((byte, at) => byte === 0 && at % 2 === 1).length;
  const [more, fewer] = [Math.max(even, odd), Math.min(even, odd)];
  if (more * 10 <= sniffed.length || fewer * 10 > more) return null;
  return odd > even ? "utf-16le" : "utf-16be";
}

/** @type {(held: number, chunks: Chunks) => AsyncGenerator<Block, void, void>} */
async function* wholePieces(held, chunks) {
  const packer = new Packer(held);
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      at = packer.take(chunk, at);
      if (packer.full) packer.dropNuls();
      if (!packer.full) continue;
      const end = packer.lastEnd();
      if (end) yield packer.block(end);
      packer.drop(end);
    }
  }
  packer.dropNuls();
  if (packer.length) yield packer.block(packer.length);
}

/** Gathers bytes until a block is full, and leaves out what goes beyond the longest piece. */
class Packer {
  bytes = new Uint8Array(BLOCK);
  #words = new Int32Array(this.bytes.buffer);
  length = 0;
  skipping = false;
  #blocks;
  #next = 0;

  /** @param {number} held  blocks that stay as they are while the next are made */
  constructor(held) {
    this.#blocks = Array.from({ length: held + 1 }, () => new Uint8Array(BLOCK + SLACK));
  }

  get full() {
    return this.length === BLOCK;
  }

  /**
   * Takes what there is room for, and gives the place in the chunk behind that.
   * @param {Uint8Array} chunk
   * @param {number} at
   */
  take(chunk, at) {
    const start = this.skipping ? firstEnd(chunk, at, chunk.length) : at;
    if (start === chunk.length) return start;
    this.skipping = false;
    const part = chunk.subarray(start, start + BLOCK - this.length);
    this.bytes.set(part, this.length);
    this.length += part.length;
    return start + part.length;
  }

  /**
   * Takes out NULs: they fill the hole that a log rotated under its writer starts with, and would use up what is read of
   * a piece.
   */
  dropNuls() {
    let word = 0;
    const words = this.length >> 2;
    while (word < words && !hasNul(/** @type {number} */ (this.#words[word]))) word += 1;
    let kept = word * 4;
    for (let at = kept; at < this.length; at++) {
      const byte = /** @type {number} */ (this.bytes[at]);
      if (byte !== 0) this.bytes[kept++] = byte;
    }
    this.length = kept;
  }

  /** The length of the whole pieces; a CR at the very end may be half of a CRLF and ends none. */
  lastEnd() {
    let at = this.length - 1;
    if (this.bytes[at] === CR) at -= 1;
    while (at >= 0 && this.bytes[at] !== LF && this.bytes[at] !== CR) at -= 1;
    return at + 1;
  }

  /**
   * The first bytes as a block, its long pieces cut.
   * @param {number} end
   * @returns {Block}
   */
  block(end) {
    const bytes = /** @type {Uint8Array} */ (this.#blocks[this.#next++ % this.#blocks.length]);
    let kept = 0;
    let done = 0;
    for (let at = LONGEST; at < end; ) {
      let start = at;
      while (start > done && this.bytes[start - 1] !== LF && this.bytes[start - 1] !== CR) start -= 1;
      const stop = firstEnd(this.bytes, at, end);
      if (stop - start > LONGEST) {
        bytes.set(this.bytes.subarray(done, start + LONGEST), kept);
        kept += start + LONGEST - done;
        done = stop;
        at = stop + LONGEST;
      } else {
        at += LONGEST;
      }
    }
    bytes.set(this.bytes.subarray(done, end), kept);
    const length = kept + end - done;
    bytes.fill(0, length, length + SLACK);
    return { bytes, length };
  }

  /**
   * Forgets the first bytes; of a piece that goes on, only as much is kept as is looked at.
   * @param {number} end
   */
  drop(end) {
    this.bytes.copyWithin(0, end, this.length);
    this.length -= end;
    if (this.length <= LONGEST + 1) return;
    // The end of the piece is only a CR that may belong to a CRLF, or it has none yet.
    this.skipping = this.bytes[this.length - 1] !== CR;
    if (!this.skipping) this.bytes[LONGEST] = CR;
    this.length = this.skipping ? LONGEST : LONGEST + 1;
  }
}

/** @param {number} word */
const hasNul = (word) => ((word - 0x01010101) & ~word & 0x80808080) !== 0;

/**
 * Where the first CR or LF stands from a place on, or the end.
 * @param {Uint8Array} bytes
 * @param {number} from
 * @param {number} end
 */
function firstEnd(bytes, from, end) {
  let at = from;
  while (at < end && bytes[at] !== LF && bytes[at] !== CR) at += 1;
  return at;
}
