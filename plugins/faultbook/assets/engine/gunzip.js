// Unpack gzip (RFC 1952) as it comes in: members one after the other; damage ends the log where it stands.
import { crc32 } from "./crc.js";
import { Damage, Inflate } from "./inflate.js";

/** @typedef {import("./read.js").Chunks} Chunks */
/** @typedef {import("./read.js").Reading} Reading */

/** Bytes that a compressed file may unpack to. */
const MOST_UNPACKED = 2 ** 32;
const FIXED_HEADER = 10;
/** Bytes that are unpacked at once, since they may become a thousand times as many. */
const PART = 1 << 13;
const TRAILER = 8;
const HEADER_SUM = 2;
const EXTRA = 4;
const NAME = 8;
const COMMENT = 16;
const RESERVED = 0xe0;
const NOTHING = new Uint8Array(0);

/**
 * @param {Chunks} chunks
 * @param {Reading} reading
 * @returns {Chunks}
 */
export async function* gunzip(chunks, reading) {
  const members = new Members();
  let total = 0;
  for await (const chunk of withEnd(chunks)) {
    members.take(chunk ?? NOTHING, chunk === null);
    for (const part of members.unpacked()) {
      total += part.length;
      yield part;
      if (total <= MOST_UNPACKED) continue;
      reading.remarks.push("gzip-too-large");
      return;
    }
    if (members.damaged) break;
  }
  if (members.damaged) reading.remarks.push("gzip-damaged");
  else if (members.open) reading.remarks.push("gzip-truncated");
}

/**
 * The chunks in parts that do not unpack to too much at once, then null.
 * @param {Chunks} chunks
 */
async function* withEnd(chunks) {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += PART) yield chunk.subarray(at, at + PART);
  }
  yield null;
}


class Members {
  damaged = false;
  /** @type {Uint8Array} */
  #waiting = NOTHING;
  /** @type {Inflate | null} */
  #inflate = null;
  #ended = false;
  #sum = 0;
  #size = 0;
  /** @type {Uint8Array[]} */
  #parts = [];

  /** Whether a member has begun that has not ended. */
  get open() {
    return this.#inflate !== null || this.#waiting.length > 0;
  }

  /** What was unpacked since the last call. */
  unpacked() {
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }

  /**
   * Takes the next bytes.
   * @param {Uint8Array} bytes
   * @param {boolean} last
   */
  take(bytes, last) {
    const data = new Uint8Array(this.#waiting.length + bytes.length);
    data.set(this.#waiting);
    data.set(bytes, this.#waiting.length);
    try {
      this.#waiting = this.#members(data, last).slice();
    } catch (error) {
      if (!(error instanceof Damage)) throw error;
      this.damaged = true;
    }
  }

  /**
   * Unpacks members as far as the data goes, and gives the bytes that wait for more.
   * @param {Uint8Array} data
   * @param {boolean} last
   */
  #members(data, last) {
    let rest = data;
    for (;;) {
      if (!this.#inflate) {
        // Padding after a member is no further member.
        if (this.#ended) rest = withoutZeros(rest);
        const header = headerLength(rest);
        if (!header) return rest;
        rest = rest.subarray(header);
        this.#begin();
      }
      if (!this.#inflate?.done) {
        this.#inflate?.take(rest, last);
        if (!this.#inflate?.done) return NOTHING;
        rest = this.#inflate.rest;
      }
      if (rest.length < TRAILER) return rest;
      this.#end(rest);
      rest = rest.subarray(TRAILER);
    }
  }

  #begin() {
    this.#sum = this.#size = 0;
    this.#inflate = new Inflate((out) => {
      if (!out.length) return;
      this.#sum = crc32(out, this.#sum);
      this.#size += out.length;
      this.#parts.push(out.slice());
    });
  }

  /** @param {Uint8Array} trailer */
  #end(trailer) {
    const view = new DataView(trailer.buffer, trailer.byteOffset);
    const right = view.getInt32(0, true) === this.#sum && view.getUint32(4, true) === this.#size % 2 ** 32;
    if (!right) throw new Damage();
    this.#inflate = null;
    this.#ended = true;
  }
}

/** @param {Uint8Array} bytes */
function withoutZeros(bytes) {
  const start = bytes.findIndex((byte) => byte !== 0);
  return start < 0 ? NOTHING : bytes.subarray(start);
}

/**
 * The length of the header of a member, or 0 if not all of it is there.
 * @param {Uint8Array} bytes
 */
function headerLength(bytes) {
  if (bytes.length < 2) return 0;
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) throw new Damage();
  const flags = bytes[3];
  if (flags === undefined) return 0;
  if (bytes[2] !== 8 || flags & RESERVED) throw new Damage();
  let end = FIXED_HEADER;
  if (flags & EXTRA) end += 2 + (bytes[end] ?? 0) + ((bytes[end + 1] ?? 0) << 8);
  for (const text of [NAME, COMMENT]) if (flags & text && end) end = bytes.indexOf(0, end) + 1;
  if (flags & HEADER_SUM && end) {
    if (bytes.length < end + 2) return 0;
    if ((crc32(bytes.subarray(0, end)) & 0xffff) !== ((bytes[end] ?? 0) | ((bytes[end + 1] ?? 0) << 8))) throw new Damage();
    end += 2;
  }
  return bytes.length < end ? 0 : end;
}
