// Find where one of thousands of anchors stands in a block, four bytes at a time.
//
// An anchor of 7 bytes holds an aligned word of 4 wherever it stands, one of 11 two of them in a row, and one of 6 either
// a word or two halves. A bit for each of these is enough to notice it, and nothing is ever missed; what was noticed is
// then proven byte by byte. The reads do not wait for each other, so this is faster than shift tables after Wu and Manber.

/**
 * What was noticed by its hash, and what is behind it in chains: the word itself, the number of the anchor, and where in
 * the anchor the word begins.
 * @typedef {object} Table
 * @property {Int32Array} bits
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
 * @property {Table} splits  the two halves of an anchor of 6 bytes
 */

/**
 * What a pass over a block found, by position of words: controls such as LF and CR, and where an anchor may stand.
 * @typedef {{controls: Int32Array, controlCount: number, hits: Int32Array, hitCount: number}} Noticed
 */

export const SHORTEST = 6;
const SHIFT = 12;
const HEAD_SHIFT = 16;
const LEFT = 0x9e3779b1 | 0;
const RIGHT = 0x85ebca6b | 0;
/** The first three bytes of a word. */
const LOW = 0xffffff;

/** @type {(bytes: Uint8Array, at: number) => number} */
const wordAt = (bytes, at) =>
  (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);

/** @type {(left: number, right: number) => number} */
const mix = (left, right) => Math.imul(left, LEFT) ^ Math.imul(right, RIGHT);

/**
 * @param {number} entries
 * @returns {Table}
 */
const makeTable = (entries) => ({
  bits: new Int32Array(1 << (32 - SHIFT - 5)),
  heads: new Int32Array(1 << (32 - HEAD_SHIFT)).fill(-1),
  words: new Int32Array(entries),
  owners: new Int32Array(entries),
  offsets: new Int32Array(entries),
  next: new Int32Array(entries),
  count: 0,
});

/** @type {(table: Table, hash: number, word: number, owner: number, offset: number) => void} */
function enter(table, hash, word, owner, offset) {
  const { bits, heads, words, owners, offsets, next } = table;
  const at = hash >>> SHIFT;
  const entry = table.count++;
  bits[at >>> 5] = (bits[at >>> 5] ?? 0) | (1 << (at & 31));
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
  const finder = {
    anchors,
    pairs: makeTable(anchors.length * 4),
    words: makeTable(anchors.length * 4),
    splits: makeTable(anchors.length),
  };
  const shared = sharedPairs(anchors);
  for (const [owner, anchor] of anchors.entries()) {
    if (anchor.length < SHORTEST) throw new Error(`anchor '${texts[owner]}' is shorter than ${SHORTEST} bytes`);
    const start = rarestStart(anchor, shared);
    for (let at = start; at < start + 4; at++) {
      const word = wordAt(anchor, at);
      if (at + 8 <= anchor.length) {
        const right = wordAt(anchor, at + 4);
        enter(finder.pairs, mix(word, right), right, owner, at + 4);
      } else if (at + 4 <= anchor.length) enter(finder.words, Math.imul(word, LEFT), word, owner, at);
      else enter(finder.splits, mix(wordAt(anchor, 0) & LOW, word & LOW), word & LOW, owner, at);
    }
  }
  return finder;
}

/**
 * How many anchors have each pair of words, by its hash.
 * @param {Uint8Array[]} anchors
 */
function sharedPairs(anchors) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const anchor of anchors) {
    for (let at = 0; at + 8 <= anchor.length; at++) {
      const hash = mix(wordAt(anchor, at), wordAt(anchor, at + 4));
      counts.set(hash, (counts.get(hash) ?? 0) + 1);
    }
  }
  return counts;
}

/**
 * Where in a long anchor the four pairs begin that the fewest others have; one of four in a row is aligned.
 * @type {(anchor: Uint8Array, shared: Map<number, number>) => number}
 */
function rarestStart(anchor, shared) {
  let best = 0;
  let fewest = Infinity;
  for (let start = 0; start + 11 <= anchor.length; start++) {
    let most = 0;
    for (let at = start; at < start + 4; at++) {
      most = Math.max(most, shared.get(mix(wordAt(anchor, at), wordAt(anchor, at + 4))) ?? 0);
    }
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
    const pair = (before ^ Math.imul(word, RIGHT)) >>> SHIFT;
    const single = mixed >>> SHIFT;
    before = mixed;
    const bits = /** @type {number} */ (pairs[pair >>> 5]) >>> (pair & 31);
    if (((bits | (/** @type {number} */ (words[single >>> 5]) >>> (single & 31))) & 1) !== 0) hits[hitCount++] = at;
  }
  noticed.controlCount = controlCount;
  noticed.hitCount = hitCount;
  if (finder.splits.count) noticeSplits(finder.splits.bits, block, count, noticed);
}

/**
 * Adds the halves of short anchors; in a pass of its own, since few corpora have any.
 * @type {(bits: Int32Array, block: Int32Array, count: number, noticed: Noticed) => void}
 */
function noticeSplits(bits, block, count, noticed) {
  const whole = noticed.hits.slice(0, noticed.hitCount);
  const { hits } = noticed;
  let hitCount = 0;
  let next = 0;
  let before = 0;
  for (let at = 0; at < count; at++) {
    const word = /** @type {number} */ (block[at]);
    const split = mix(before >>> 8, word & LOW) >>> SHIFT;
    before = word;
    const known = whole[next] === at;
    if (known) next += 1;
    if (known || ((/** @type {number} */ (bits[split >>> 5]) >>> (split & 31)) & 1) !== 0) hits[hitCount++] = at;
  }
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
  const single = proven(finder.anchors, finder.words, Math.imul(word, LEFT), word, bytes, at);
  if (single >= 0 || !finder.splits.count) return single;
  return proven(finder.anchors, finder.splits, mix(before >>> 8, word & LOW), word & LOW, bytes, at);
}

/** @type {(anchors: Uint8Array[], table: Table, hash: number, word: number, bytes: Uint8Array, at: number) => number} */
function proven(anchors, { heads, words, owners, offsets, next }, hash, word, bytes, at) {
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
