// Find entries by name, by an error line, or by words; `docs/engine.md` says how words are scored.
import { lineHits } from "./lines.js";
import { maskedTokens, tokens } from "./tokens.js";

/** @typedef {import("./index.js").Index} Index */
/** @typedef {import("./index.js").SearchData} SearchData */
/** @typedef {import("./tokens.js").Token} Token */

/**
 * @typedef {object} SearchRow
 * @property {string} entry
 * @property {string} title
 * @property {string} url
 * @property {"slug" | "line" | "words"} kind
 * @property {number} score
 * @property {[number, number][]} spans  places of the query that a template matches, in characters
 */

/** Words from which on a query is taken for an error line, of which what varies is left out. */
const MANY = 7;
/** Hundredths of the full score from which on an entry counts as similar to an error line. */
const LEAST = 10;
/** Characters from which on an unfinished word is completed. */
const SHORTEST = 2;

/**
 * Entries for a query: named by it, matching a line of it, or sharing words with it, in this order.
 * @param {Index} index
 * @param {string} query
 * @param {number} limit
 */
export function search(index, query, limit = 10) {
  /** @type {Map<number, [SearchRow["kind"], number, [number, number][]]>} */
  const rows = new Map();
  const named = namedBy(index, query);
  if (named !== null) rows.set(named, ["slug", 100, []]);
  for (const { entry, spans } of lineHits(index, query)) if (!rows.has(entry)) rows.set(entry, ["line", 100, spans]);
  for (const [entry, score] of byWords(index, query)) if (!rows.has(entry)) rows.set(entry, ["words", score, []]);
  return [...rows].slice(0, limit).map(([entry, found]) => rowOf(index, entry, found));
}

/**
 * The entries whose words are nearest to those of error lines, the best first.
 * @param {Index} index
 * @param {string} text
 * @param {number} limit
 */
export function similar(index, text, limit = 3) {
  if (!index.search) return [];
  const near = byMasked(index.search, text).slice(0, limit);
  return near.map(([entry, score]) => ({ entry: index.entries[entry]?.id ?? "", score: score / 100 }));
}

/** @type {(index: Index, entry: number, found: [SearchRow["kind"], number, [number, number][]]) => SearchRow} */
function rowOf(index, entry, [kind, score, spans]) {
  const { id = "", title = "" } = index.entries[entry] ?? {};
  return { entry: id, title, url: `entries/${id}/`, kind, score: score / 100, spans };
}

/**
 * The entry whose slug or alias the query is, with any mark or blank between the words.
 * @type {(index: Index, query: string) => number | null}
 */
function namedBy(index, query) {
  const pieces = tokens(query).flatMap(({ start, end }) => query.slice(start, end).toLowerCase().split(/[-_.]/));
  const name = pieces.join("-");
  const position = index.entries.findIndex(({ id }) => id === name);
  if (position >= 0) return position;
  return index.search?.aliases.find(([alias]) => alias === name)?.[1] ?? null;
}

/** @type {(index: Index, query: string) => [number, number][]} */
function byWords(index, query) {
  if (!index.search) return [];
  const found = tokens(query);
  if (found.length >= MANY) return byMasked(index.search, query);
  return wordsOf(index.search).scores(found, found.at(-1)?.end === query.length);
}

/** @type {(data: SearchData, text: string) => [number, number][]} */
const byMasked = (data, text) =>
  wordsOf(data)
    .scores(maskedTokens(text, data.telling))
    .filter(([, score]) => score >= LEAST);

/** @type {WeakMap<SearchData, Words>} */
const known = new WeakMap();

/** @param {SearchData} data */
function wordsOf(data) {
  const words = known.get(data) ?? new Words(data);
  known.set(data, words);
  return words;
}

/** The words of an index. */
class Words {
  /** @param {SearchData} data */
  constructor({ terms, postings, worth, levels, stop }) {
    this.terms = terms.split(" ");
    this.postings = postings;
    this.worth = worth;
    this.levels = levels;
    this.stop = new Set(stop);
  }

  /**
   * Entries with the hundredths that they have of the score in which each word says the most, best first.
   * @param {Token[]} queried
   * @param {boolean} unfinished
   * @returns {[number, number][]}
   */
  scores(queried, unfinished = false) {
    const last = (unfinished && queried.at(-1)?.terms) || [];
    const seen = new Set();
    /** @type {Map<number, number>} */
    const sums = new Map();
    let full = 0;
    for (const { terms } of queried) {
      let most = 0;
      for (const term of terms.filter((own) => !this.stop.has(own))) {
        if (seen.has(term)) continue;
        seen.add(term);
        const { worth, gains } = this.#gains(term, last.includes(term));
        most += worth;
        for (const [entry, gain] of gains) sums.set(entry, (sums.get(entry) ?? 0) + gain);
      }
      full += (most || (this.stop.has(terms[0] ?? "") ? 0 : (this.worth[0] ?? 0))) * this.levels;
    }
    const ranked = [...sums].sort((one, other) => other[1] - one[1] || one[0] - other[0]);
    return ranked.map(([entry, gain]) => [entry, quotient(200 * gain + full, 2 * full)]);
  }

  /**
   * What a term is worth, and what each entry gains by it; a completed term counts seven tenths.
   * @type {(term: string, unfinished: boolean) => {worth: number, gains: Map<number, number>}}
   */
  #gains(term, unfinished) {
    let worth = 0;
    /** @type {Map<number, number>} */
    const gains = new Map();
    for (const at of this.#places(term, unfinished)) {
      const posting = this.postings[at] ?? [];
      const own = this.worth[posting.length / 2] ?? 0;
      worth = Math.max(worth, own);
      for (let place = 0; place < posting.length; place += 2) {
        const entry = posting[place] ?? 0;
        const level = posting[place + 1] ?? 0;
        const gain = this.terms[at] === term ? own * level : quotient(own * level * 7, 10);
        gains.set(entry, Math.max(gains.get(entry) ?? 0, gain));
      }
    }
    return { worth, gains };
  }

  /** @type {(term: string, unfinished: boolean) => number[]} */
  #places(term, unfinished) {
    const first = this.#lowerBound(term);
    if (!unfinished || term.length < SHORTEST) return this.terms[first] === term ? [first] : [];
    const found = [];
    for (let at = first; this.terms[at]?.startsWith(term); at++) found.push(at);
    return found;
  }

  /**
   * Where a term stands among the sorted ones, or would.
   * @param {string} term
   */
  #lowerBound(term) {
    let low = 0;
    let high = this.terms.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.terms[middle] ?? "") < term) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * The whole quotient, exact as long as the numbers are.
 * @type {(dividend: number, divisor: number) => number}
 */
const quotient = (dividend, divisor) => (dividend - (dividend % divisor)) / divisor;
