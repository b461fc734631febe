// The answer as the contract says it.
import { AMBIGUOUS, byEntry, CAUSE, DOWNSTREAM } from "./attribute.js";
import { compareLists } from "./comparison.js";
import { head } from "./points.js";
import { rankNumber, shape } from "./signs.js";

/** @typedef {import("./attribute.js").Failure} Failure */
/** @typedef {import("./attribute.js").Verdict} Verdict */
/** @typedef {import("./index.js").Index} Index */
/** @typedef {import("./index.js").Entry} Entry */
/** @typedef {import("./normalise.js").Event} Event */
/** @typedef {import("./signs.js").Signs} Signs */

/** @typedef {{file: string, line: number, text: string}} Row */

/**
 * @typedef {object} Finding
 * @property {string} entry
 * @property {string} title
 * @property {string} url
 * @property {"initiating" | "possible" | "downstream"} role
 * @property {string} why
 * @property {number | null} rank
 * @property {string | null} node
 * @property {boolean} all_ranks
 * @property {Row[]} evidence
 * @property {number} count
 */

/**
 * The answer of the contract in docs/engine.md.
 * @typedef {object} Answer
 * @property {number} schema
 * @property {"match" | "unknown" | "no-failure"} verdict
 * @property {Finding[]} findings
 * @property {string[]} notices
 * @property {(Row & {rank: number | null})[]} error_lines
 * @property {{entry: string, score: number}[]} similar
 * @property {string | null} missing
 * @property {{file: string, first_line: number, last_line: number, verdict: string, entry: string | null}[]} episodes
 * @property {string[]} remarks
 * @property {{lines: number, bytes: number, seconds: number}} stats
 */

/** Version of the contract. */
export const SCHEMA = 1;
export const EVIDENCE = 10;
/** Characters of a line that are shown. */
export const SHOWN = 1000;
const ERRORS = 10;

/** Puts the verdict of one attempt into words. */
export class Teller {
  /**
   * @param {Event[]} events
   * @param {string[]} names
   * @param {Index} index
   */
  constructor(events, names, index) {
    this.events = events;
    this.names = names;
    this.index = index;
    this.ranks = new Set(events.flatMap(({ rank }) => rank ?? [])).size;
  }

  /** @param {string} name */
  phrase(name) {
    return this.index.rules.data.phrases[name] ?? "";
  }

  /** @param {number} at */
  event(at) {
    return /** @type {Event} */ (this.events[at]);
  }

  /** @param {Event} event */
  file(event) {
    return this.names[event.file] ?? "";
  }

  /** @param {number} position */
  entry(position) {
    return /** @type {Entry} */ (this.index.entries[position]);
  }

  /**
   * The entries that the attempt shows, the most probable first.
   * @param {Verdict} verdict
   * @param {Signs} signs
   * @returns {Finding[]}
   */
  findings(verdict, signs) {
    return byEntry(verdict.failures).map((failures, position) => {
      const role = roleOf(verdict, position, failures);
      return this.#finding(/** @type {[Failure, ...Failure[]]} */ (failures), role, verdict, signs);
    });
  }

  /** @type {(failures: [Failure, ...Failure[]], role: Finding["role"], verdict: Verdict, signs: Signs) => Finding} */
  #finding(failures, role, verdict, signs) {
    const { id, title } = this.entry(failures[0].entry);
    const { at } = failures[0].hit;
    const rows = apart(failures);
    const ranks = new Set(failures.flatMap((failure) => this.#rank(failure) ?? []));
    const world = signs.world || Math.max(this.ranks, 2);
    const everywhere = ranks.size >= 2 && ranks.size * 10 >= world * 9;
    const shown = role !== "downstream" && !signs.outside.has(at) ? signs.rank : null;
    return {
      entry: id,
      title,
      url: `entries/${id}/`,
      role,
      why: this.#why(role, failures, verdict),
      rank: everywhere ? null : (this.#rank(failures[0]) ?? shown),
      node: this.event(at).node,
      all_ranks: everywhere,
      evidence: rows.slice(0, EVIDENCE).map(({ hit }) => this.row(hit.at)),
      count: rows.reduce((sum, { hit }) => sum + this.event(hit.at).repeat, 0),
    };
  }

  /** @param {Failure} failure */
  #rank({ hit }) {
    return this.event(hit.at).rank ?? rankNumber(hit.span.captures.get("rank") ?? "");
  }

  /** @type {(role: string, failures: [Failure, ...Failure[]], verdict: Verdict) => string} */
  #why(role, failures, { verdict, failures: all, reasons }) {
    if (verdict === "match" && failures[0] === all[0]) {
      return reasons.map((reason) => this.phrase(`why-${reason}`)).join(" ");
    }
    if (role === "possible") return this.phrase("why-possible");
    const { hit, tier } = failures[0];
    const late = tier === DOWNSTREAM && this.index.signatures[hit.signature]?.role === "cause";
    return this.phrase(late || tier <= AMBIGUOUS ? "why-later" : "why-reports");
  }

  /**
   * An event as a line of a file.
   * @param {number} at
   * @returns {Row}
   */
  row(at) {
    const event = this.event(at);
    return { file: this.file(event), line: event.line, text: head(event.full, SHOWN) };
  }

  /**
   * The first error lines that no entry describes, each message once.
   * @param {Signs} signs
   * @param {Set<number>} covered
   */
  errorLines({ errors }, covered) {
    const seen = new Set();
    const rows = [];
    for (const at of errors) {
      const key = shape(this.event(at).text);
      if (covered.has(at) || seen.has(key)) continue;
      seen.add(key);
      rows.push({ ...this.row(at), rank: this.event(at).rank });
      if (rows.length === ERRORS) break;
    }
    return rows;
  }

  /**
   * What would decide, if the cause is not known.
   * @param {Verdict} verdict
   * @param {Signs} signs
   */
  missing({ verdict, failures }, { silent, report, rank }) {
    if (verdict !== "unknown") return null;
    if (silent.length) return this.phrase("missing-silent").replaceAll("{ranks}", silent.join(", "));
    if (failures.some(({ tier }) => tier === AMBIGUOUS)) return this.phrase("missing-check");
    const named = failures.length > 0 && rank !== null && report.has("rank");
    if (named) return this.phrase("missing-rank").replaceAll("{rank}", String(rank));
    return this.phrase(failures.length ? "missing-before" : "missing-entry");
  }
}

/** @type {(verdict: Verdict, position: number, failures: Failure[]) => Finding["role"]} */
function roleOf({ verdict, failures: [first] }, position, failures) {
  const [own] = failures;
  if (verdict === "match" && position === 0) return own?.tier === CAUSE ? "initiating" : "possible";
  if (failures.every(({ tier }) => tier > AMBIGUOUS)) return "downstream";
  const later = own && first && compareLists(own.order, first.order) > 0;
  return verdict === "match" && later ? "downstream" : "possible";
}

/**
 * One failure an event, the first of it; the events stand as the last failures of each do.
 * @param {Failure[]} failures
 */
export function apart(failures) {
  /** @type {Map<number, Failure>} */
  const found = new Map();
  for (const failure of [...failures].reverse()) found.set(failure.hit.at, failure);
  return [...found.values()].reverse();
}
