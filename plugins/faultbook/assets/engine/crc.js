// The sum by which gzip proves what was unpacked (CRC-32), four bytes at a time.

const FIRST = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});
const SECOND = FIRST.map((value) => step(value));
const THIRD = SECOND.map((value) => step(value));
const FOURTH = THIRD.map((value) => step(value));

/**
 * A sum with a zero byte added.
 * @param {number} sum
 */
function step(sum) {
  return (FIRST[sum & 255] ?? 0) ^ (sum >>> 8);
}

/**
 * The sum of some bytes, going on from the sum of those before.
 * @param {Uint8Array} bytes
 * @param {number} before
 */
export function crc32(bytes, before = 0) {
  let sum = ~before;
  let at = 0;
  for (; at + 4 <= bytes.length; at += 4) {
    const word =
      /** @type {number} */ (bytes[at]) |
      (/** @type {number} */ (bytes[at + 1]) << 8) |
      (/** @type {number} */ (bytes[at + 2]) << 16) |
      (/** @type {number} */ (bytes[at + 3]) << 24);
    const mixed = sum ^ word;
    sum =
      /** @type {number} */ (FOURTH[mixed & 255]) ^
      /** @type {number} */ (THIRD[(mixed >>> 8) & 255]) ^
      /** @type {number} */ (SECOND[(mixed >>> 16) & 255]) ^
      /** @type {number} */ (FIRST[mixed >>> 24]);
  }
  for (; at < bytes.length; at++) sum = step(sum ^ (bytes[at] ?? 0));
  return ~sum;
}
