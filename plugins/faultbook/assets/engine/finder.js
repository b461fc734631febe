// Find where one of thousands of anchors stands in a block, four bytes at a time.
//
// An anchor of 7 bytes holds an aligned word of 4 wherever it stands, one of 11 two of them in a row, and one of 6 either
// a word or two halves. A bit for each of these is enough to notice it, and nothing is ever missed; what was noticed is
// then proven byte by byte. The reads do not wait for each other, so this is faster than shift tables after Wu and Manber.

/**
 * What was noticed by its hash, and the anchors behind it in chains; an owner is 4 times an anchor's number, and where in
 * the anchor the noticed word begins.
 * @typedef {{bits: Int32Array, heads: Int32Array, owners: number[], next: number[]}} Table
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

/** @type {(bytes: Uint8Array, at: number) => number} */
const wordAt = (bytes, at) =>
  (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);

/** @type {(left: number, right: number) => number} */
const mix = (left, right) => Math.imul(left, LEFT) ^ Math.imul(right, RIGHT);

/** @returns {Table} */
const makeTable = () => ({
  bits: new Int32Array(1 << (32 - SHIFT - 5)),
  heads: new Int32Array(1 << (32 - HEAD_SHIFT)).fill(-1),
  owners: [],
  next: [],
});

/** @type {(table: Table, hash: number, owner: number) => void} */
function enter({ bits, heads, owners, next }, hash, owner) {
  const at = hash >>> SHIFT;
  bits[at >>> 5] = (bits[at >>> 5] ?? 0) | (1 << (at & 31));
  next.push(heads[hash >>> HEAD_SHIFT] ?? -1);
  heads[hash >>> HEAD_SHIFT] = owners.push(owner) - 1;
}

/**
 * The tables for a set of anchors.
 * @param {string[]} texts
 * @returns {Finder}
 */
export function buildFinder(texts) {
  const encoder = new TextEncoder();
  const anchors = [...new Set(texts)].map((text) => encoder.encode(text));
  const finder = { anchors, pairs: makeTable(), words: makeTable(), splits: makeTable() };
  for (const [number, anchor] of anchors.entries()) {
    if (anchor.length < SHORTEST) throw new Error(`anchor '${texts[number]}' is shorter than ${SHORTEST} bytes`);
    for (const at of [0, 1, 2, 3]) {
      const owner = number * 4 + at;
      if (at + 8 <= anchor.length) enter(finder.pairs, mix(wordAt(anchor, at), wordAt(anchor, at + 4)), owner);
      else if (at + 4 <= anchor.length) enter(finder.words, Math.imul(wordAt(anchor, at), LEFT), owner);
      else enter(finder.splits, mix(wordAt(anchor, 0) & 0xffffff, wordAt(anchor, 3) & 0xffffff), owner);
    }
  }
  return finder;
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
  if (finder.splits.owners.length) noticeSplits(finder.splits.bits, block, count, noticed);
}

/**
 * Adds the halves of short anchors; in a pass of its own, since few corpora have any.
 * @type {(bits: Int32Array, block: Int32Array, count: number, noticed: Noticed) => void}
 */
function noticeSplits(bits, block, count, noticed) {
  const found = [...noticed.hits.subarray(0, noticed.hitCount)];
  let before = 0;
  for (let at = 0; at < count; at++) {
    const word = /** @type {number} */ (block[at]);
    const split = mix(before >>> 8, word & 0xffffff) >>> SHIFT;
    before = word;
    if (((/** @type {number} */ (bits[split >>> 5]) >>> (split & 31)) & 1) !== 0) found.push(at);
  }
  const merged = Int32Array.from(new Set(found)).sort();
  noticed.hits.set(merged);
  noticed.hitCount = merged.length;
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
  const pair = proven(finder.anchors, finder.pairs, mix(before, word), bytes, at * 4 - 4);
  if (pair >= 0) return pair;
  const single = proven(finder.anchors, finder.words, Math.imul(word, LEFT), bytes, at * 4);
  if (single >= 0 || !finder.splits.owners.length) return single;
  return proven(finder.anchors, finder.splits, mix(before >>> 8, word & 0xffffff), bytes, at * 4);
}

/** @type {(anchors: Uint8Array[], table: Table, hash: number, bytes: Uint8Array, place: number) => number} */
function proven(anchors, { heads, owners, next }, hash, bytes, place) {
  for (let entry = heads[hash >>> HEAD_SHIFT] ?? -1; entry >= 0; entry = next[entry] ?? -1) {
    const owner = owners[entry] ?? 0;
    const start = place - (owner & 3);
    if (standsAt(bytes, start, /** @type {Uint8Array} */ (anchors[owner >>> 2]))) return start;
  }
  return -1;
}

/** @type {(bytes: Uint8Array, start: number, anchor: Uint8Array) => boolean} */
function standsAt(bytes, start, anchor) {
  if (start < 0) return false;
  for (let at = 0; at < anchor.length; at++) if (bytes[start + at] !== anchor[at]) return false;
  return true;
}
