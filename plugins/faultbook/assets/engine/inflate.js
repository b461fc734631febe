// Unpack DEFLATE (RFC 1951) as its bytes come in. The platform's own decoder gives nothing of a file that is damaged or
// cut, and stops after the first of several members; so the end of a log would be lost just where a run died.
import { decode, makeCode, TABLE_MASK } from "./huffman.js";
import { DISTANCE_BASE, DISTANCE_EXTRA, LENGTH_BASE, LENGTH_EXTRA, LONGEST_COPY } from "./lengths.js";

/** @typedef {import("./huffman.js").Code} Code */

/** Compressed data that no encoder writes. */
export class Damage extends Error {}

const WINDOW = 1 << 15;
const ROOM = 1 << 17;
/** Bytes that the header of a block may take, and a copy with its extra bits. */
const HEADER_BYTES = 330;
const COPY_BYTES = 8;
const END = 256;
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const FIXED_LENGTHS = Uint8Array.from({ length: 288 }, (_, at) => (at < 144 ? 8 : at < 256 ? 9 : at < 280 ? 7 : 8));
const FIXED_LITERALS = codeOf(FIXED_LENGTHS, false);
const FIXED_DISTANCES = codeOf(new Uint8Array(32).fill(5), false);
export class Inflate {
  /** Whether the last block has ended. */
  done = false;
  #give;
  #input = new Uint8Array(0);
  #at = 0;
  #hold = 0;
  #bits = 0;
  #out = new Uint8Array(WINDOW + ROOM + LONGEST_COPY);
  #length = 0;
  #given = 0;
  /** @type {"header" | "stored" | "codes"} */
  #state = "header";
  #final = false;
  #stored = 0;
  #literals = FIXED_LITERALS;
  #distances = FIXED_DISTANCES;

  /** @param {(out: Uint8Array) => void} give  gets what was unpacked; the bytes are valid until it returns */
  constructor(give) {
    this.#give = give;
  }

  /** The bytes that were taken and are not used. */
  get rest() {
    return this.#input.subarray(this.#at - (this.#bits >> 3));
  }

  /**
   * Takes the next bytes; throws `Damage`, after what stands before it was given.
   * @param {Uint8Array} bytes
   * @param {boolean} last  whether there are no more
   */
  take(bytes, last) {
    const { rest } = this;
    // Whole bytes that were read ahead are read again.
    this.#bits &= 7;
    this.#hold &= (1 << this.#bits) - 1;
    this.#input = new Uint8Array(rest.length + bytes.length);
    this.#input.set(rest);
    this.#input.set(bytes, rest.length);
    this.#at = 0;
    try {
      while (!this.done && this.#step(last));
    } finally {
      this.#flush();
    }
  }

  /**
   * Goes on to the next state; false if bytes are missing.
   * @param {boolean} last
   */
  #step(last) {
    if (this.#state === "stored") return this.#copyStored();
    const least = this.#state === "header" ? HEADER_BYTES : COPY_BYTES;
    if (this.#input.length - this.#at >= least) {
      this.#advance();
      return true;
    }
    return last && this.#tryAdvance();
  }

  #advance() {
    if (this.#state === "header") this.#header();
    else this.#copyCoded();
  }

  /** Advances near the end of all bytes; what would need more is taken back. */
  #tryAdvance() {
    const [at, hold, bits, length, state] = [this.#at, this.#hold, this.#bits, this.#length, this.#state];
    try {
      this.#advance();
    } catch (error) {
      if (!this.#overrun) throw error;
    }
    if (!this.#overrun) return true;
    [this.#at, this.#hold, this.#bits, this.#length, this.#state] = [at, hold, bits, length, state];
    this.done = false;
    return false;
  }

  /** Whether bits were used that have not come. */
  get #overrun() {
    return this.#at - (this.#bits >> 3) > this.#input.length;
  }

  /** @param {number} count  at most 16 */
  #need(count) {
    while (this.#bits < count) {
      this.#hold |= (this.#input[this.#at++] ?? 0) << this.#bits;
      this.#bits += 8;
    }
  }

  /** @param {number} count */
  #drop(count) {
    this.#hold >>>= count;
    this.#bits -= count;
  }

  /** @param {number} count */
  #take(count) {
    this.#need(count);
    const value = this.#hold & ((1 << count) - 1);
    this.#drop(count);
    return value;
  }

  /** @param {Code} code */
  #symbol(code) {
    this.#need(15);
    const found = decode(code, this.#hold);
    if (!found) throw new Damage();
    this.#drop(found & 15);
    return found >> 4;
  }

  #header() {
    this.#final = this.#take(1) === 1;
    const kind = this.#take(2);
    if (kind === 3) throw new Damage();
    if (kind === 0) return this.#storedHeader();
    [this.#literals, this.#distances] = kind === 1 ? [FIXED_LITERALS, FIXED_DISTANCES] : this.#dynamicCodes();
    this.#state = "codes";
  }

  #storedHeader() {
    this.#drop(this.#bits & 7);
    this.#stored = this.#take(16);
    if (this.#stored !== (~this.#take(16) & 0xffff)) throw new Damage();
    this.#at -= this.#bits >> 3;
    this.#hold = this.#bits = 0;
    this.#state = "stored";
  }

  /** @returns {[Code, Code]} */
  #dynamicCodes() {
    const [literals, distances, count] = [this.#take(5) + 257, this.#take(5) + 1, this.#take(4) + 4];
    if (literals > 286 || distances > 30) throw new Damage();
    const meta = new Uint8Array(19);
    for (const symbol of ORDER.slice(0, count)) meta[symbol] = this.#take(3);
    const lengths = this.#lengths(codeOf(meta, false), literals + distances);
    if (!lengths[END]) throw new Damage();
    return [codeOf(lengths.subarray(0, literals), true), codeOf(lengths.subarray(literals), true)];
  }

  /** @type {(code: Code, count: number) => Uint8Array} */
  #lengths(code, count) {
    const lengths = new Uint8Array(count);
    for (let at = 0; at < count; ) {
      const symbol = this.#symbol(code);
      const times = symbol < 16 ? 1 : symbol === 16 ? 3 + this.#take(2) : symbol === 17 ? 3 + this.#take(3) : 11 + this.#take(7);
      if (at + times > count || (symbol === 16 && at === 0)) throw new Damage();
      lengths.fill(symbol < 16 ? symbol : symbol === 16 ? (lengths[at - 1] ?? 0) : 0, at, at + times);
      at += times;
    }
    return lengths;
  }

  #copyStored() {
    const part = this.#input.subarray(this.#at, this.#at + Math.min(this.#stored, WINDOW + ROOM - this.#length));
    this.#out.set(part, this.#length);
    this.#at += part.length;
    this.#length += part.length;
    this.#stored -= part.length;
    if (!this.#stored) this.#endBlock();
    if (this.#length >= WINDOW + ROOM) this.#flush();
    return part.length > 0 || this.#state !== "stored";
  }

  /** Literals and copies as long as whole ones are there for sure, but at least one; fields would be slow to come by. */
  #copyCoded() {
    const [input, out, literals, distances] = [this.#input, this.#out, this.#literals, this.#distances];
    const last = input.length - COPY_BYTES;
    let [at, hold, bits, length] = [this.#at, this.#hold, this.#bits, this.#length];
    let symbol = 0;
    let found = 0;
    do {
      for (; bits < 15; bits += 8) hold |= /** @type {number} */ (input[at++]) << bits;
      found = literals.table[hold & TABLE_MASK] || decode(literals, hold);
      hold >>>= found & 15;
      bits -= found & 15;
      symbol = found >> 4;
      if (!found || symbol === END) break;
      if (symbol < END) {
        out[length++] = symbol;
        continue;
      }
      const extra = /** @type {number} */ (LENGTH_EXTRA[(symbol -= END + 1)]);
      for (; bits < extra; bits += 8) hold |= /** @type {number} */ (input[at++]) << bits;
      const end = length + /** @type {number} */ (LENGTH_BASE[symbol]) + (hold & ((1 << extra) - 1));
      hold >>>= extra;
      bits -= extra;
      for (; bits < 15; bits += 8) hold |= /** @type {number} */ (input[at++]) << bits;
      const far = distances.table[hold & TABLE_MASK] || decode(distances, hold);
      hold >>>= far & 15;
      bits -= far & 15;
      const more = /** @type {number} */ (DISTANCE_EXTRA[far >> 4]);
      for (; bits < more; bits += 8) hold |= /** @type {number} */ (input[at++]) << bits;
      let from = length - /** @type {number} */ (DISTANCE_BASE[far >> 4]) - (hold & ((1 << more) - 1));
      hold >>>= more;
      bits -= more;
      if (!far || !(from >= 0 && end > length)) found = 0;
      else while (length < end) out[length++] = /** @type {number} */ (out[from++]);
    } while (found && at <= last && length < WINDOW + ROOM);
    [this.#at, this.#hold, this.#bits, this.#length] = [at, hold, bits, length];
    if (!found) throw new Damage();
    if (symbol === END) this.#endBlock();
    if (length >= WINDOW + ROOM) this.#flush();
  }

  #endBlock() {
    this.#state = "header";
    this.done = this.#final;
  }

  #flush() {
    this.#give(this.#out.subarray(this.#given, this.#length));
    if (this.#length >= WINDOW + ROOM) {
      this.#out.copyWithin(0, this.#length - WINDOW, this.#length);
      this.#length = WINDOW;
    }
    this.#given = this.#length;
  }
}

/** @type {(lengths: Uint8Array, single: boolean) => Code} */
function codeOf(lengths, single) {
  const code = makeCode(lengths, single);
  if (!code) throw new Damage();
  return code;
}
