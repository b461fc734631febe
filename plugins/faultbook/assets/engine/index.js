// The compiled corpus, as the engine reads it.
import { buildFinder } from "./finder.js";
import { Rules } from "./rules.js";
import { segments } from "./walker.js";

/** @typedef {import("./walker.js").Part} Part */
/** @typedef {import("./walker.js").Segment} Segment */
/** @typedef {import("./comparison.js").Comparison} Comparison */

/** @typedef {{id: string, title: string, kind: string, check: string | null, alike: [string, string][]}} Entry */

/** @typedef {[Part[], string[], number]} Template */

/**
 * What makes a match, by positions of templates.
 * @typedef {object} Signature
 * @property {number} entry
 * @property {number[]} templates
 * @property {boolean} all
 * @property {number} within
 * @property {number[]} unless
 * @property {Comparison[]} comparisons
 * @property {string} role
 */

/**
 * @typedef {{e: number, t: number[], all?: boolean, within?: number, unless?: number[], if?: Comparison[],
 *   role?: string}} SignatureRow
 */

/**
 * @typedef {object} SearchData
 * @property {number} levels
 * @property {string[]} stop
 * @property {string[]} telling
 * @property {string[]} generic
 * @property {[string, number][]} aliases
 * @property {number[]} worth
 * @property {string} terms
 * @property {number[][]} postings
 */

/**
 * @typedef {object} IndexData
 * @property {number} schema
 * @property {[string, string][]} types
 * @property {Entry[]} entries
 * @property {Template[]} templates
 * @property {SignatureRow[]} signatures
 * @property {import("./rules.js").RulesData} rules
 * @property {import("./mask.js").MaskData} [mask]
 */

/** Letters of the text by which the templates are found that may match a line; no literal part is shorter. */
export const GRAM = 6;
const SCHEMA = 1;
const BITS = 16;
const FACTOR = 0x01000193;
const LAST_FACTOR = Array.from({ length: GRAM - 1 }).reduce((/** @type {number} */ power) => Math.imul(power, FACTOR), 1);

/** @type {(row: SignatureRow) => Signature} */
const signatureOf = (row) => ({
  entry: row.e,
  templates: row.t,
  all: row.all ?? false,
  within: row.within ?? 5,
  unless: row.unless ?? [],
  comparisons: row.if ?? [],
  role: row.role ?? "cause",
});

/** The compiled corpus: entries, templates and signatures by position, the rules, and the words if they are there. */
export class Index {
  /** @type {Map<number, Segment[]>} */
  #segments = new Map();
  /** @type {import("./finder.js").Finder | null} */
  #finder = null;
  #bits = new Uint8Array(1 << BITS);

  /**
   * @param {IndexData} data
   * @param {SearchData | null} search
   */
  constructor(data, search) {
    if (data.schema !== SCHEMA) throw new Error(`the index has schema ${data.schema}, not ${SCHEMA}; load the page again`);
    this.entries = data.entries;
    this.templates = data.templates;
    this.types = data.types.map(([name]) => name);
    this.patterns = data.types.map(([, pattern]) => pattern);
    this.signatures = data.signatures.map(signatureOf);
    this.rules = new Rules(data.rules);
    this.mask = data.mask ?? null;
    this.search = search;
    /** The signatures whose match a template starts: each variant, or the first of `all`. */
    this.byTemplate = grouped(this.signatures, ({ all, templates }) => (all ? templates.slice(0, 1) : templates));
    /** The signatures that ask for several lines, by each of their templates. */
    this.parts = grouped(this.signatures, ({ all, templates }) => (all ? templates : []));
    this.byGram = byGram(data.templates);
    for (const gram of this.byGram.keys()) this.#bits[hashOf(gram) >>> (32 - BITS)] = 1;
  }

  /** Finds the anchors of all templates and of the rules. */
  get finder() {
    const anchors = this.templates.flatMap(([, own]) => own);
    this.#finder ??= buildFinder([...anchors, ...this.rules.data.alarms]);
    return this.#finder;
  }

  /**
   * The segments of a template, compiled when they are first wanted.
   * @param {number} template
   */
  segments(template) {
    const found = this.#segments.get(template) ?? segments(this.templates[template]?.[0] ?? [], this.patterns);
    this.#segments.set(template, found);
    return found;
  }

  /**
   * The templates that may match a line: those whose gram it contains, and none of whose literals is missing.
   * @param {string} line
   * @returns {number[]}
   */
  candidates(line) {
    /** @type {Set<number>} */
    const found = new Set();
    let hash = 0;
    for (let at = 0; at < line.length; at++) {
      // Few grams are looked up: a hash that rolls along the line leaves out nearly all of them.
      if (at >= GRAM) hash = (hash - Math.imul(line.charCodeAt(at - GRAM), LAST_FACTOR)) | 0;
      hash = (Math.imul(hash, FACTOR) + line.charCodeAt(at)) | 0;
      if (at < GRAM - 1 || !this.#bits[hash >>> (32 - BITS)]) continue;
      for (const template of this.byGram.get(line.slice(at - GRAM + 1, at + 1)) ?? []) found.add(template);
    }
    // To compile a pattern takes a thousand times as long as this.
    return [...found].filter((template) => this.#literals(template).every((part) => line.includes(part)));
  }

  /** @param {number} template */
  #literals(template) {
    return (this.templates[template]?.[0] ?? []).filter((part) => typeof part === "string");
  }
}

/** @param {string} gram */
function hashOf(gram) {
  let hash = 0;
  for (let at = 0; at < GRAM; at++) hash = (Math.imul(hash, FACTOR) + gram.charCodeAt(at)) | 0;
  return hash;
}

/**
 * The positions of signatures by the templates that they give.
 * @type {(signatures: Signature[], give: (signature: Signature) => number[]) => Map<number, number[]>}
 */
function grouped(signatures, give) {
  const found = new Map();
  for (const [position, signature] of signatures.entries()) {
    for (const template of give(signature)) found.set(template, [...(found.get(template) ?? []), position]);
  }
  return found;
}

/**
 * Each template under the gram of its first anchor that the fewest templates share.
 * @param {Template[]} templates
 */
function byGram(templates) {
  const grams = templates.map(([, [anchor = ""]]) => gramsOf(anchor));
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const gram of grams.flatMap((found) => [...found])) counts.set(gram, (counts.get(gram) ?? 0) + 1);
  /** @type {Map<string, number[]>} */
  const found = new Map();
  for (const [template, own] of grams.entries()) {
    let rarest = null;
    for (const gram of own) {
      if (rarest === null || (counts.get(gram) ?? 0) < (counts.get(rarest) ?? 0)) rarest = gram;
    }
    if (rarest === null) continue;
    const shared = found.get(rarest);
    if (shared) shared.push(template);
    else found.set(rarest, [template]);
  }
  return found;
}

/**
 * Some grams to choose from; all of them would take as long to count as a short log takes to diagnose.
 * @param {string} text
 */
function gramsOf(text) {
  if (text.length < GRAM) return new Set();
  const middle = (text.length - GRAM) >> 1;
  return new Set([text.slice(0, GRAM), text.slice(-GRAM), text.slice(middle, middle + GRAM)]);
}
