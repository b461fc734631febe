// The shapes of candidates: their first bytes with the digits masked, so that lines alike are kept a few times only.

/** @typedef {import("./keep.js").Candidate} Candidate */

/**
 * A shape: its masked bytes, how many candidates have it, the last of them, and the next shape of the same hash.
 * @typedef {{key: Int32Array, length: number, seen: number, last: Queue, next: Shape | null}} Shape
 */

/** Shapes that are told apart; all others share one. */
const MOST_SHAPES = 5_000;
const SHAPE_BYTES = 200;
const HASH_BITS = 13;
/** What stands for each byte, and 1 for digits: a branch for each would cost more than the rest. */
const MASKED = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 48 && byte <= 57 ? 35 : byte));
const DIGIT = Uint8Array.from({ length: 256 }, (_, byte) => Number(byte >= 48 && byte <= 57));

/** Candidates in the order in which they came; taking the first costs nothing. */
class Queue {
  /** @type {Candidate[]} */
  #items = [];
  #first = 0;

  get length() {
    return this.#items.length - this.#first;
  }

  /** @param {Candidate} candidate */
  push(candidate) {
    this.#items.push(candidate);
  }

  shift() {
    const first = this.#items[this.#first++];
    if (this.#first > 1000) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
    return first;
  }
}

export class Shapes {
  /** @type {(Shape | null)[]} */
  #heads = new Array(1 << HASH_BITS).fill(null);
  #count = 0;
  #words = new Int32Array(SHAPE_BYTES / 4 + 1);
  #masked = new Uint8Array(this.#words.buffer);

  /**
   * The shape of a text; beyond the limit all new ones share one.
   * @param {Uint8Array} bytes
   * @param {number} start
   * @param {number} size
   * @returns {Shape}
   */
  of(bytes, start, size) {
    const length = this.#mask(bytes, start, start + Math.min(size, SHAPE_BYTES));
    const found = this.#find(length);
    if (found) return found;
    return this.#count < MOST_SHAPES ? this.#add(length) : (this.#find(0) ?? this.#add(0));
  }

  /**
   * Masks a text, and gives the length of the result.
   * @type {(bytes: Uint8Array, start: number, end: number) => number}
   */
  #mask(bytes, start, end) {
    const masked = this.#masked;
    let length = 0;
    let before = 0;
    for (let at = start; at < end; at++) {
      const byte = /** @type {number} */ (bytes[at]);
      const digit = /** @type {number} */ (DIGIT[byte]);
      masked[length] = /** @type {number} */ (MASKED[byte]);
      length += 1 - (digit & before);
      before = digit;
    }
    for (let at = length; at & 3; at++) masked[at] = 0;
    return length;
  }

  /** @param {number} length */
  #hash(length) {
    let hash = length;
    for (let at = 0; at * 4 < length; at++) {
      hash = Math.imul(hash ^ /** @type {number} */ (this.#words[at]), 0x5bd1e995);
      hash ^= hash >>> 15;
    }
    return Math.imul(hash, 0x9e3779b1) >>> (32 - HASH_BITS);
  }

  /** @param {number} length */
  #find(length) {
    let shape = this.#heads[this.#hash(length)] ?? null;
    while (shape && (shape.length !== length || !this.#same(shape.key))) shape = shape.next;
    return shape;
  }

  /** @param {Int32Array} key */
  #same(key) {
    for (let at = 0; at < key.length; at++) if (key[at] !== this.#words[at]) return false;
    return true;
  }

  /**
   * @param {number} length
   * @returns {Shape}
   */
  #add(length) {
    const hash = this.#hash(length);
    const key = this.#words.slice(0, (length + 3) >> 2);
    const shape = { key, length, seen: 0, last: new Queue(), next: this.#heads[hash] ?? null };
    this.#heads[hash] = shape;
    this.#count += 1;
    return shape;
  }
}
