// Find where one of thousands of anchors stands in a block, four bytes at a time.
//
// An anchor of 7 bytes holds an aligned word of 4 wherever it stands, and one of 11 two of them in a row. A bit for each
// of these is enough to notice it, and nothing is ever missed; what was noticed is then proven byte by byte. The reads do
// not wait for each other, so this is faster than shift tables after Wu and Manber.

/**
 * What was noticed by its hash, and what is behind it in chains: the word itself, the number of the anchor, and where in
 * the anchor the word begins.
 * @typedef {object} Table
 * @property {Int32Array} bits
 * @property {Int32Array} sieve  bits by another hash, so that few hits are looked for in the chains in vain
 * @property {Int32Array} heads
 * @property {Int32Array} words
 * @property {Int32Array} owners
 * @property {Int32Array} offsets
 * @property {Int32Array} next
 * @property {number} count
 */

/**
 * @typedef {object} Finder
 * @property {Uint8Array[]} anchors
 * @property {Table} pairs  two words in a row
 * @property {Table} words  single words
 */

/**
 * What a pass over a block found, by position of words: controls such as LF and CR, and where an anchor may stand.
 * @typedef {{controls: Int32Array, controlCount: number, hits: Int32Array, hitCount: number}} Noticed
 */

export const SHORTEST = 6;
/** What leaves of a hash the number of a bit; there are few single words, and a small table stays in the cache. */
const PAIR_SHIFT = 12;
const WORD_SHIFT = 17;
const HEAD_SHIFT = 16;
const SIEVE_SHIFT = 14;
const AGAIN = 0xc2b2ae35 | 0;
const LEFT = 0x9e3779b1 | 0;
const RIGHT = 0x85ebca6b | 0;
const BYTES = 256;

/** @type {(bytes: Uint8Array, at: number) => number} */
const wordAt = (bytes, at) =>
  (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);

/** @type {(left: number, right: number) => number} */
const mix = (left, right) => Math.imul(left, LEFT) ^ Math.imul(right, RIGHT);

/** @type {(shift: number, entries: number) => Table} */
const makeTable = (shift, entries) => ({
  bits: new Int32Array(1 << (32 - shift - 5)),
  sieve: new Int32Array(1 << (32 - SIEVE_SHIFT - 5)),
  heads: new Int32Array(1 << (32 - HEAD_SHIFT)).fill(-1),
  words: new Int32Array(entries),
  owners: new Int32Array(entries),
  offsets: new Int32Array(entries),
  next: new Int32Array(entries),
  count: 0,
});

/** @type {(bits: Int32Array, at: number) => void} */
function setBit(bits, at) {
  bits[at >>> 5] = (bits[at >>> 5] ?? 0) | (1 << (at & 31));
}

/** @type {(table: Table, shift: number, hash: number, word: number, owner: number, offset: number) => void} */
function enter(table, shift, hash, word, owner, offset) {
  const { bits, sieve, heads, words, owners, offsets, next } = table;
  const entry = table.count++;
  setBit(bits, hash >>> shift);
  setBit(sieve, Math.imul(hash, AGAIN) >>> SIEVE_SHIFT);
  next[entry] = heads[hash >>> HEAD_SHIFT] ?? -1;
  heads[hash >>> HEAD_SHIFT] = entry;
  words[entry] = word;
  owners[entry] = owner;
  offsets[entry] = offset;
}

/**
 * The tables for a set of anchors.
 * @param {string[]} texts
 * @returns {Finder}
 */
export function buildFinder(texts) {
  const encoder = new TextEncoder();
  const anchors = [...new Set(texts)].map((text) => encoder.encode(text));
  const singles = anchors.filter((anchor) => anchor.length < 11).map(({ length }) => (length > SHORTEST ? 4 : BYTES + 3));
  const finder = {
    anchors,
    pairs: makeTable(PAIR_SHIFT, anchors.length * 4),
    words: makeTable(WORD_SHIFT, singles.reduce((sum, count) => sum + count, 0)),
  };
  const shared = sharedPairs(anchors);
  for (const [owner, anchor] of anchors.entries()) {
    if (anchor.length < SHORTEST) throw new Error(`anchor '${texts[owner]}' is shorter than ${SHORTEST} bytes`);
    const start = rarestStart(anchor, shared);
    for (let at = start; at < start + 4; at++) {
      const word = wordAt(anchor, at);
      const right = wordAt(anchor, at + 4);
      if (at + 8 <= anchor.length) enter(finder.pairs, PAIR_SHIFT, mix(word, right), right, owner, at + 4);
      else if (at + 4 <= anchor.length) enter(finder.words, WORD_SHIFT, Math.imul(word, LEFT), word, owner, at);
      else enterBehind(finder.words, anchor, owner);
    }
  }
  return finder;
}

/**
 * Enters the words in which any byte stands before the first three of an anchor, since one of 6 may hold no whole word.
 * @type {(table: Table, anchor: Uint8Array, owner: number) => void}
 */
function enterBehind(table, anchor, owner) {
  for (let byte = 0; byte < BYTES; byte++) {
    const word = (wordAt(anchor, 0) << 8) | byte;
    enter(table, WORD_SHIFT, Math.imul(word, LEFT), word, owner, -1);
  }
}

/**
 * The hashes of the pairs of words of an anchor, by where they begin.
 * @param {Uint8Array} anchor
 */
function pairsOf(anchor) {
  const found = [];
  for (let at = 0; at + 8 <= anchor.length; at++) found.push(mix(wordAt(anchor, at), wordAt(anchor, at + 4)));
  return found;
}

/**
 * How many anchors have each pair of words, or one of the same hash.
 * @param {Uint8Array[]} anchors
 */
function sharedPairs(anchors) {
  const counts = new Uint32Array(1 << (32 - SIEVE_SHIFT));
  for (const anchor of anchors) {
    for (const hash of pairsOf(anchor)) counts[hash >>> SIEVE_SHIFT] = (counts[hash >>> SIEVE_SHIFT] ?? 0) + 1;
  }
  return counts;
}

/**
 * Where in a long anchor the four pairs begin that the fewest others have; one of four in a row is aligned.
 * @type {(anchor: Uint8Array, shared: Uint32Array) => number}
 */
function rarestStart(anchor, shared) {
  const counts = pairsOf(anchor).map((hash) => shared[hash >>> SIEVE_SHIFT] ?? 0);
  let best = 0;
  let fewest = Infinity;
  for (let start = 0; start + 4 <= counts.length; start++) {
    const most = Math.max(...counts.slice(start, start + 4));
    if (most < fewest) [best, fewest] = [start, most];
  }
  return best;
}

/**
 * Room for what is noticed in blocks of up to so many words.
 * @param {number} words
 * @returns {Noticed}
 */
export const makeNoticed = (words) => ({
  controls: new Int32Array(words),
  controlCount: 0,
  hits: new Int32Array(words),
  hitCount: 0,
});

/**
 * Notes the words of a block that hold control characters, and those where an anchor may stand, both in order.
 * @param {Finder} finder
 * @param {Int32Array} block
 * @param {number} count
 * @param {Noticed} noticed
 */
export function notice(finder, block, count, noticed) {
  const { controls, hits } = noticed;
  const pairs = finder.pairs.bits;
  const words = finder.words.bits;
  let controlCount = 0;
  let hitCount = 0;
  let before = 0;
  for (let at = 0; at < count; at++) {
    const word = /** @type {number} */ (block[at]);
    // Not zero if a byte of the word is below 32.
    if (((word - 0x20202020) & ~word & 0x80808080) !== 0) controls[controlCount++] = at;
    const mixed = Math.imul(word, LEFT);
    const pair = (before ^ Math.imul(word, RIGHT)) >>> PAIR_SHIFT;
    const single = mixed >>> WORD_SHIFT;
    before = mixed;
    const bits = /** @type {number} */ (pairs[pair >>> 5]) >>> (pair & 31);
    if (((bits | (/** @type {number} */ (words[single >>> 5]) >>> (single & 31))) & 1) !== 0) hits[hitCount++] = at;
  }
  noticed.controlCount = controlCount;
  noticed.hitCount = hitCount;
}

/**
 * Where an anchor starts that was noticed at a word of a block, or -1 if none stands there.
 * @param {Finder} finder
 * @param {Uint8Array} bytes  the block as bytes
 * @param {Int32Array} block
 * @param {number} at
 */
export function prove(finder, bytes, block, at) {
  const word = block[at] ?? 0;
  const before = at ? (block[at - 1] ?? 0) : 0;
  const pair = proven(finder.anchors, finder.pairs, mix(before, word), word, bytes, at);
  if (pair >= 0) return pair;
  return proven(finder.anchors, finder.words, Math.imul(word, LEFT), word, bytes, at);
}

/** @type {(anchors: Uint8Array[], table: Table, hash: number, word: number, bytes: Uint8Array, at: number) => number} */
function proven(anchors, { sieve, heads, words, owners, offsets, next }, hash, word, bytes, at) {
  const bit = Math.imul(hash, AGAIN) >>> SIEVE_SHIFT;
  if (((/** @type {number} */ (sieve[bit >>> 5]) >>> (bit & 31)) & 1) === 0) return -1;
  for (let entry = heads[hash >>> HEAD_SHIFT] ?? -1; entry >= 0; entry = next[entry] ?? -1) {
    if (words[entry] !== word) continue;
    const start = at * 4 - (offsets[entry] ?? 0);
    if (standsAt(bytes, start, /** @type {Uint8Array} */ (anchors[owners[entry] ?? 0]))) return start;
  }
  return -1;
}

/** @type {(bytes: Uint8Array, start: number, anchor: Uint8Array) => boolean} */
function standsAt(bytes, start, anchor) {
  if (start < 0) return false;
  for (let at = 0; at < anchor.length; at++) if (bytes[start + at] !== anchor[at]) return false;
  return true;
}
