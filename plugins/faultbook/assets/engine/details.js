// What a page shows beside the answer: lines in place, and the first failure of each rank.
import { apart, EVIDENCE, SHOWN } from "./answer.js";
import { byEntry } from "./attribute.js";
import { DAY } from "./clock.js";
import { head, placeOf } from "./points.js";

/** @typedef {import("./answer.js").Teller} Teller */
/** @typedef {import("./attribute.js").Failure} Failure */
/** @typedef {import("./attribute.js").Verdict} Verdict */
/** @typedef {import("./normalise.js").Event} Event */
/** @typedef {import("./signs.js").Signs} Signs */

/** @typedef {{line: number, text: string, hit: boolean, spans: [number, number][]}} ContextRow */
/** @typedef {{finding: number, file: string, rows: ContextRow[]}} ContextBlock */

/**
 * @typedef {object} RankRow
 * @property {number} rank
 * @property {number | null} local
 * @property {string | null} node
 * @property {number | null} seconds
 * @property {string} file
 * @property {number} line
 * @property {string | null} entry
 */

/** @typedef {{context: ContextBlock[], ranks: RankRow[], world: number | null}} Details */

/** @type {(one: number, other: number) => number} */
const ascending = (one, other) => one - other;

/**
 * @param {Verdict} verdict
 * @param {Signs} signs
 * @param {Teller} teller
 * @param {number} context  lines on either side of a hit
 * @returns {Details}
 */
export function detailsOf(verdict, signs, teller, context) {
  const blocks = byEntry(verdict.failures).flatMap((failures, finding) => contextOf(finding, failures, teller, context));
  return { context: blocks, ranks: ranksOf(verdict, signs, teller), world: signs.world };
}

/**
 * The evidence of a finding among the lines around it, one block a file.
 * @type {(finding: number, failures: Failure[], teller: Teller, context: number) => ContextBlock[]}
 */
function contextOf(finding, failures, teller, context) {
  const hits = new Map(apart(failures).slice(0, EVIDENCE).map((failure) => [failure.hit.at, failure]));
  const near = [...hits.keys()].flatMap((hit) => Array.from({ length: 2 * context + 1 }, (_, at) => hit - context + at));
  /** @type {Map<number, number[]>} */
  const shown = new Map();
  for (const at of [...new Set(near)].sort(ascending)) {
    const event = teller.events[at];
    if (!event || !beside(at, event, [...hits.keys()], teller, context)) continue;
    shown.set(event.file, [...(shown.get(event.file) ?? []), at]);
  }
  return [...shown].map(([file, positions]) => ({
    finding,
    file: teller.names[file] ?? "",
    rows: positions.map((at) => rowOf(teller.event(at), hits.get(at))),
  }));
}

/**
 * Whether an event stands in the same run as a hit near it.
 * @type {(at: number, event: Event, hits: number[], teller: Teller, context: number) => boolean}
 */
function beside(at, { file, run }, hits, teller, context) {
  const near = hits.filter((hit) => Math.abs(hit - at) <= context);
  return near.some((hit) => teller.event(hit).file === file && teller.event(hit).run === run);
}

/** @type {(event: Event, failure: Failure | undefined) => ContextRow} */
function rowOf({ line, full }, failure) {
  const text = head(full, SHOWN);
  if (!failure) return { line, text, hit: false, spans: [] };
  const { start, end } = failure.hit.span;
  return { line, text, hit: true, spans: [[placeOf(full, start), Math.min(placeOf(full, end), SHOWN)]] };
}

/**
 * The first failure of each rank: a line of an entry, or an error line that none describes.
 * @type {(verdict: Verdict, signs: Signs, teller: Teller) => RankRow[]}
 */
function ranksOf({ failures }, { errors }, teller) {
  const entries = new Map([...failures].reverse().map(({ hit, entry }) => [hit.at, entry]));
  /** @type {Map<number, number>} */
  const first = new Map();
  for (const at of [...new Set([...entries.keys(), ...errors])].sort(ascending)) {
    const { rank } = teller.event(at);
    if (rank !== null && !first.has(rank)) first.set(rank, at);
  }
  const secondsAt = secondsOf([...first.values()].map((at) => teller.event(at)));
  return [...first].sort(([one], [other]) => one - other).map(([rank, at]) => {
    const event = teller.event(at);
    const entry = entries.get(at);
    return {
      rank,
      local: event.local,
      node: event.node,
      seconds: secondsAt(event),
      file: teller.file(event),
      line: event.line,
      entry: entry === undefined ? null : teller.entry(entry).id,
    };
  });
}

/**
 * Seconds since the first of some events, to the tenth, if they have times of one kind.
 * @type {(events: Event[]) => (event: Event) => number | null}
 */
function secondsOf(events) {
  const times = events.flatMap(({ time }) => time ?? []);
  const [first] = [...times].sort((one, other) => one.days - other.days || one.within - other.within);
  if (!first || times.length < events.length || times.some(({ kind }) => kind !== first.kind)) return () => null;
  return ({ time }) => {
    if (!time) return null;
    const since = (time.days - first.days) * DAY + time.within - first.within;
    return Math.floor((since + 50_000) / 100_000) / 10;
  };
}
