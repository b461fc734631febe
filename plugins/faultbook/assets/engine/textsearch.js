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
/** The level of a term that an entry only mentions, which makes the term no less rare. */
const MENTION = 1;
/** Characters from which on an unfinished word is completed. */
const SHORTEST = 2;

/**
 * Entries for a query: named by it, matching a line of it, or sharing words with it, in this order. Of those of the last
 * kind the ones come first whose names begin with the query.
 * @param {Index} index
 * @param {string} query
 * @param {number} limit
 */
export function search(index, query, limit = 10) {
  /** @type {Map<number, [SearchRow["kind"], number, [number, number][]]>} */
  const rows = new Map();
  const { named, begun } = namedBy(index, query);
  if (named !== undefined) rows.set(named, ["slug", 100, []]);
  for (const { entry, spans } of lineHits(index, query)) if (!rows.has(entry)) rows.set(entry, ["line", 100, spans]);
  const scores = new Map(byWords(index, query));
  for (const entry of [...begun, ...scores.keys()]) if (!rows.has(entry)) rows.set(entry, ["words", scores.get(entry) ?? LEAST, []]);
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
  const near = byMasked(index.search, text, index.search.generic).slice(0, limit);
  return near.map(([entry, score]) => ({ entry: index.entries[entry]?.id ?? "", score: score / 100 }));
}

/** @type {(index: Index, entry: number, found: [SearchRow["kind"], number, [number, number][]]) => SearchRow} */
function rowOf(index, entry, [kind, score, spans]) {
  const { id = "", title = "" } = index.entries[entry] ?? {};
  return { entry: id, title, url: `entries/${id}/`, kind, score: score / 100, spans };
}

/**
 * The entry whose slug or alias the query is, with any mark or blank between the words, and those it begins.
 * @type {(index: Index, query: string) => {named: number | undefined, begun: number[]}}
 */
function namedBy(index, query) {
  const found = tokens(query);
  const name = found.flatMap(({ start, end }) => query.slice(start, end).toLowerCase().split(/[-_.]/)).join("-");
  const begin = found.at(-1)?.end === query.length ? name : `${name}-`;
  /** @type {[string, number][]} */
  const names = [...index.entries.map(({ id }, at) => /** @type {[string, number]} */ ([id, at])), ...(index.search?.aliases ?? [])];
  const begun = names.filter(([own]) => name.length >= SHORTEST && own.startsWith(begin)).map(([, at]) => at);
  return { named: names.find(([own]) => own === name)?.[1], begun };
}

/** @type {(index: Index, query: string) => [number, number][]} */
function byWords(index, query) {
  if (!index.search) return [];
  const found = tokens(query);
  if (found.length >= MANY) return byMasked(index.search, query);
  return wordsOf(index.search).scores(found, found.at(-1)?.end === query.length);
}

/** @type {(data: SearchData, text: string, silent?: string[]) => [number, number][]} */
function byMasked(data, text, silent = []) {
  const words = wordsOf(data);
  const stop = new Set([...data.stop, ...silent]);
  const found = maskedTokens(text, data.telling).filter(({ terms: [first = ""] }) => !stop.has(first));
  return words.scores(found, false, stop).filter(([, score]) => score >= LEAST);
}

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
   * @param {Set<string>} stop  words that say nothing
   * @returns {[number, number][]}
   */
  scores(queried, unfinished = false, stop = this.stop) {
    const last = (unfinished && queried.at(-1)?.terms) || [];
    const seen = new Set();
    /** @type {Map<number, number>} */
    const sums = new Map();
    let full = 0;
    for (const { terms } of queried) {
      let most = 0;
      for (const term of terms.filter((own) => !stop.has(own))) {
        if (seen.has(term)) continue;
        seen.add(term);
        const { worth, gains } = this.#gains(term, last.includes(term));
        most += worth;
        for (const [entry, gain] of gains) sums.set(entry, (sums.get(entry) ?? 0) + gain);
      }
      full += (most || (stop.has(terms[0] ?? "") ? 0 : (this.worth[0] ?? 0))) * this.levels;
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
      const telling = posting.filter((packed) => packed % (this.levels + 1) > MENTION).length;
      const own = this.worth[telling || posting.length] ?? 0;
      worth = Math.max(worth, own);
      let entry = 0;
      for (const packed of posting) {
        const level = packed % (this.levels + 1);
        entry += quotient(packed, this.levels + 1);
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
