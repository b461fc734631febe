// The lengths and distances of copies in DEFLATE: a first value for each symbol, and how many bits are added to it.

export const LONGEST_COPY = 258;
export const DISTANCE_EXTRA = Uint8Array.from({ length: 30 }, (_, at) => Math.max(0, (at >> 1) - 1));
export const DISTANCE_BASE = bases(DISTANCE_EXTRA, 1);
export const LENGTH_EXTRA = Uint8Array.from({ length: 29 }, (_, at) => (at === 28 ? 0 : Math.max(0, (at >> 2) - 1)));
export const LENGTH_BASE = bases(LENGTH_EXTRA, 3).fill(LONGEST_COPY, 28);

/** @type {(extra: Uint8Array, first: number) => Uint16Array} */
function bases(extra, first) {
  const found = new Uint16Array(extra.length);
  let base = first;
  for (const [at, bits] of extra.entries()) {
    found[at] = base;
    base += 1 << bits;
  }
  return found;
}
