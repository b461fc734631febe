// Cut what is read into blocks of whole pieces.

/**
 * A block of whole pieces as UTF-8: `length` bytes from the start of `bytes`, behind which `SLACK` zeros stand.
 * @typedef {{bytes: Uint8Array, length: number}} Block
 */

/** Bytes of a block at most. */
export const BLOCK = 1 << 18;
/** Zeros after a block, so that whole words of it can be read. */
export const SLACK = 8;
/** Bytes of a piece that are looked at. */
const LONGEST = 16_384;
const LF = 10;
const CR = 13;

/** Gathers bytes until a block is full, and leaves out what goes beyond the longest piece. */
export class Packer {
  bytes = new Uint8Array(BLOCK);
  #words = new Int32Array(this.bytes.buffer);
  length = 0;
  skipping = false;
  /** @type {Uint8Array[]} */
  #blocks = [];
  #held;
  #next = 0;

  /** @param {number} held  blocks that stay as they are while the next are made */
  constructor(held) {
    this.#held = held;
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
    let kept = withoutNul(this.#words, this.length >> 2) * 4;
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
    const place = this.#next++ % (this.#held + 1);
    const bytes = (this.#blocks[place] ??= new Uint8Array(BLOCK + SLACK));
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

/**
 * How many of the first words hold no NUL, by fours.
 * @param {Int32Array} words
 * @param {number} count
 */
function withoutNul(words, count) {
  let at = 0;
  for (; at + 4 <= count; at += 4) {
    const one = nuls(/** @type {number} */ (words[at])) | nuls(/** @type {number} */ (words[at + 1]));
    const two = nuls(/** @type {number} */ (words[at + 2])) | nuls(/** @type {number} */ (words[at + 3]));
    if (((one | two) & 0x80808080) !== 0) break;
  }
  return at;
}

/**
 * Sets the highest bit of a byte that is 0, if none before it is.
 * @param {number} word
 */
const nuls = (word) => (word - 0x01010101) & ~word;

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
