// Keep of a log what may matter: candidates, their neighbours, head and tail; always bounded.
import { Shapes } from "./shapes.js";

/**
 * A part of a line between two CR or LF: its number in the file from 0, its line from 1, its bytes.
 * @typedef {{number: number, line: number, data: Uint8Array}} Piece
 */

/**
 * The pieces of a block: `number` and `line` of the first, and for each where it starts and ends and how many LF stand
 * before it in the block.
 * @typedef {object} Cut
 * @property {Uint8Array} bytes
 * @property {number} number
 * @property {number} line
 * @property {number} count
 * @property {Int32Array} starts
 * @property {Int32Array} ends
 * @property {Int32Array} lines
 */

/** A candidate; its bytes are copied late, since few of many alike stay. */
/** @typedef {{number: number, size: number, piece: Piece | null, kept: boolean}} Candidate */

/** Blocks that are looked at again before their memory may be used for others. */
export const HELD = 8;
const HEAD = 400;
const TAIL = 200;
/** Pieces that are kept on either side of a candidate. */
const AROUND = 12;
/** Candidates of one shape that are kept, from the first on and from the last back. */
const SHAPE_ENDS = 100;
const MOST_CANDIDATES = 20_000;
const MOST_BYTES = 32 << 20;
/** Bytes that are kept of a neighbour that is no candidate itself. */
const NEIGHBOUR_BYTES = 512;
/** Neighbours that may be there in vain before they are sorted out. */
const SPARE = 5_000;

/** @type {(cut: Cut, at: number, most?: number) => Piece} */
const pieceAt = (cut, at, most = Infinity) => ({
  number: cut.number + at,
  line: cut.line + (cut.lines[at] ?? 0),
  data: cut.bytes.slice(cut.starts[at], Math.min(cut.ends[at] ?? 0, (cut.starts[at] ?? 0) + most)),
});

/** @type {(piece: Piece) => Piece} */
const shortened = (piece) => ({ ...piece, data: piece.data.subarray(0, NEIGHBOUR_BYTES) });

export class Keep {
  /** @type {Piece[]} */
  #head = [];
  /** The last pieces before those of the held blocks, whole. @type {Piece[]} */
  #recent = [];
  /** @type {Cut[]} */
  #held = [];
  /** @type {Candidate[]} */
  #candidates = [];
  /** Candidates of the held blocks. @type {Candidate[]} */
  #fresh = [];
  /** Candidates whose neighbours are not all read. @type {Candidate[]} */
  #open = [];
  /** @type {Map<number, Piece>} */
  #neighbours = new Map();
  #needed = 0;
  #count = 0;
  #bytes = 0;
  #shapes = new Shapes();

  /**
   * Takes a candidate of the current block.
   * @param {Cut} cut
   * @param {number} at
   */
  candidate(cut, at) {
    const start = cut.starts[at] ?? 0;
    const size = (cut.ends[at] ?? 0) - start;
    const shape = this.#shapes.of(cut.bytes, start, size);
    if (shape.seen >= 2 * SHAPE_ENDS) this.#forget(shape.last.shift());
    else if (this.#count >= MOST_CANDIDATES) return;
    if (this.#bytes + size > MOST_BYTES) {
      shape.seen = Math.min(shape.seen, SHAPE_ENDS + shape.last.length);
      return;
    }
    shape.seen += 1;
    const candidate = { number: cut.number + at, size, piece: null, kept: true };
    if (shape.seen > SHAPE_ENDS) shape.last.push(candidate);
    this.#fresh.push(candidate);
    this.#count += 1;
    this.#bytes += size;
  }

  /** @param {Candidate | undefined} candidate */
  #forget(candidate) {
    if (!candidate) return;
    candidate.kept = false;
    candidate.piece = null;
    this.#count -= 1;
    this.#bytes -= candidate.size;
  }

  /**
   * Ends a block; its memory may be used again after `HELD` more.
   * @param {Cut} cut
   */
  endBlock(cut) {
    for (let at = 0; at < cut.count && cut.number + at < HEAD; at++) this.#head.push(pieceAt(cut, at));
    this.#held.push(cut);
    if (this.#held.length === HELD) this.#settle();
  }

  /** Copies from the held blocks what stays. */
  #settle() {
    const end = this.#held.reduce((sum, { count }) => sum + count, this.#held[0]?.number ?? 0);
    const fresh = this.#fresh.filter(({ kept }) => kept);
    for (const candidate of fresh) {
      candidate.piece = this.#pieceOf(candidate.number, Infinity);
      if (candidate.piece) this.#neighbours.set(candidate.number, shortened(candidate.piece));
    }
    const open = [...this.#open.filter(({ kept }) => kept), ...fresh];
    for (const { number } of open) this.#keepAround(number, end);
    this.#open = open.filter(({ number }) => number + AROUND >= end);
    this.#candidates.push(...fresh);
    this.#fresh = [];
    this.#keepRecent();
    if (this.#neighbours.size > 2 * this.#needed + SPARE) this.#sortOut();
  }

  /**
   * Keeps the neighbours of a candidate as far as they have been read.
   * @type {(number: number, end: number) => void}
   */
  #keepAround(number, end) {
    const last = Math.min(number + AROUND, end - 1);
    for (let other = Math.max(0, number - AROUND); other <= last; other++) {
      if (this.#neighbours.has(other)) continue;
      const piece = this.#pieceOf(other, NEIGHBOUR_BYTES);
      if (piece) this.#neighbours.set(other, piece);
    }
  }

  /** @type {(number: number, most: number) => Piece | null} */
  #pieceOf(number, most) {
    const cut = this.#held.findLast((held) => held.number <= number);
    if (cut) return pieceAt(cut, number - cut.number, most);
    const piece = this.#recent[number - (this.#recent[0]?.number ?? 0)];
    return piece ? shortened(piece) : null;
  }

  #keepRecent() {
    /** @type {Piece[]} */
    let recent = [];
    for (const cut of this.#held.reverse()) {
      const first = Math.max(0, cut.count - TAIL + recent.length);
      recent = [...Array.from({ length: cut.count - first }, (_, at) => pieceAt(cut, first + at)), ...recent];
    }
    this.#recent = [...this.#recent, ...recent].slice(-TAIL);
    this.#held = [];
  }

  /** Drops the neighbours that no candidate needs any more. */
  #sortOut() {
    this.#candidates = this.#candidates.filter(({ kept }) => kept);
    const needed = new Map();
    let next = 0;
    for (const { number } of this.#candidates) {
      for (next = Math.max(next, number - AROUND); next <= number + AROUND; next++) {
        const piece = this.#neighbours.get(next);
        if (piece) needed.set(next, piece);
      }
    }
    this.#neighbours = needed;
    this.#needed = needed.size;
  }

  /** Everything that is kept, in order. */
  pieces() {
    this.#settle();
    this.#sortOut();
    const kept = new Map(this.#neighbours);
    for (const piece of [...this.#recent, ...this.#head]) kept.set(piece.number, piece);
    for (const { piece } of this.#candidates) if (piece) kept.set(piece.number, piece);
    return [...kept.values()].sort((one, other) => one.number - other.number);
  }
}
