// Read logs as blocks of whole pieces: gzip and UTF-16 undone, lines of any length, bounded memory.
import { gunzip } from "./gunzip.js";
import { Packer } from "./packer.js";

/**
 * What was noticed while a log was read: its bytes, unpacked, and names of phrases in the rules.
 * @typedef {{bytes: number, remarks: string[]}} Reading
 */

/** @typedef {import("./packer.js").Block} Block */

/** @typedef {{onRead?: (bytes: number) => void, signal?: AbortSignal}} ReadOptions */

/** @typedef {AsyncGenerator<Uint8Array, void, void>} Chunks */

const SNIFFED = 400;
const PROBE = 4096;
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
