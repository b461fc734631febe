// The codes of DEFLATE: canonical, with at most 15 bits.

/**
 * `counts`: how many codes there are of each length. `symbols`: in the order of their codes. `table`: by the next bits
 * `symbol << 4 | length` for short codes, else 0.
 * @typedef {{counts: Uint16Array, symbols: Uint16Array, table: Uint16Array}} Code
 */

const LONGEST_CODE = 15;
const TABLE_BITS = 10;
export const TABLE_MASK = (1 << TABLE_BITS) - 1;

/**
 * The code with these lengths; null if no encoder would make it.
 * @param {ArrayLike<number>} lengths  of the code of each symbol, 0 for none
 * @param {boolean} single  whether one code of one bit may stand alone, as for distances
 * @returns {Code | null}
 */
export function makeCode(lengths, single) {
  const counts = new Uint16Array(LONGEST_CODE + 1);
  for (let symbol = 0; symbol < lengths.length; symbol++) bump(counts, lengths[symbol] ?? 0);
  counts[0] = 0;
  const used = counts.reduce((sum, count) => sum + count, 0);
  const firsts = new Uint16Array(LONGEST_CODE + 1);
  const offsets = new Uint16Array(LONGEST_CODE + 1);
  let left = 1;
  for (let length = 1; length <= LONGEST_CODE; length++) {
    left = left * 2 - (counts[length] ?? 0);
    if (left < 0) return null;
    firsts[length] = ((firsts[length - 1] ?? 0) + (counts[length - 1] ?? 0)) << 1;
    offsets[length] = (offsets[length - 1] ?? 0) + (counts[length - 1] ?? 0);
  }
  if (left > 0 && used > 0 && !(single && used === 1 && counts[1] === 1)) return null;
  const code = { counts, symbols: new Uint16Array(used), table: new Uint16Array(1 << TABLE_BITS) };
  for (let symbol = 0; symbol < lengths.length; symbol++) {
    const length = lengths[symbol] ?? 0;
    if (length) enter(code, symbol, length, bump(firsts, length), bump(offsets, length));
  }
  return code;
}

/**
 * Adds one to a number of a list, and gives what it was.
 * @type {(list: Uint16Array, at: number) => number}
 */
function bump(list, at) {
  const before = list[at] ?? 0;
  list[at] = before + 1;
  return before;
}

/** @type {(code: Code, symbol: number, length: number, bits: number, place: number) => void} */
function enter({ symbols, table }, symbol, length, bits, place) {
  symbols[place] = symbol;
  if (length > TABLE_BITS) return;
  let reversed = 0;
  for (let bit = 0; bit < length; bit++) reversed |= ((bits >> bit) & 1) << (length - 1 - bit);
  for (let at = reversed; at < table.length; at += 1 << length) table[at] = (symbol << 4) | length;
}

/**
 * `symbol << 4 | length` of the code that the next 15 bits begin with; 0 if there is none.
 * @type {(code: Code, bits: number) => number}
 */
export function decode({ counts, symbols, table }, bits) {
  const short = /** @type {number} */ (table[bits & TABLE_MASK]);
  if (short) return short;
  let code = 0;
  let first = 0;
  let place = 0;
  for (let length = 1; length <= LONGEST_CODE; length++) {
    code |= (bits >> (length - 1)) & 1;
    const count = counts[length] ?? 0;
    if (code - first < count) return ((symbols[place + code - first] ?? 0) << 4) | length;
    place += count;
    first = (first + count) << 1;
    code <<= 1;
  }
  return 0;
}
