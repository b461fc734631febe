// Say which failure came first: by how far each kind of line can be trusted, then by time or order.
import { compareLists } from "./comparison.js";
import { weightOf } from "./match.js";

/** @typedef {import("./index.js").Index} Index */
/** @typedef {import("./match.js").Hit} Hit */
/** @typedef {import("./normalise.js").Event} Event */
/** @typedef {import("./signs.js").Signs} Signs */

/** Tiers of trust: a line that names its cause, one that several failures print, one that follows, one that reports. */
export const CAUSE = 0;
export const AMBIGUOUS = 1;
export const DOWNSTREAM = 2;
const WRAPPER = 3;
const TIERS = new Map([
  ["cause", CAUSE],
  ["ambiguous", AMBIGUOUS],
  ["downstream", DOWNSTREAM],
]);
/** Events after the first sign of failure on a rank from which on a cause there only follows from it. */
const LATE = 20;
/** Events from which on an error line is no part of the message that a later line ends. */
const APART = 100;
/** Events around the first cause among which the one that says most wins. */
const NEIGHBOURS = 3;
/** Events up to which a text is taken for an excerpt, which need not show how the process ended. */
export const SHORT = 400;
/** Events up to which a quotation is taken for the message itself. */
const PASTED = 3;

/**
 * A hit as it counts: its entry, how far it can be trusted, and its place in time.
 * @typedef {{hit: Hit, entry: number, tier: number, order: number[], weight: number}} Failure
 */

/**
 * What is said about an attempt. `failures`: all, those of the entry that comes first in front. `reasons`: names of
 * phrases that say why that entry was chosen. `notices`: entries of harmless lines.
 * @typedef {object} Verdict
 * @property {"match" | "unknown" | "no-failure"} verdict
 * @property {Failure[]} failures
 * @property {string[]} reasons
 * @property {number[]} notices
 */

/** @type {(at: number, events: Event[]) => Event} */
const eventAt = (at, events) => /** @type {Event} */ (events[at]);

/** @type {(entries: Iterable<number>) => number[]} */
const sorted = (entries) => [...new Set(entries)].sort((one, other) => one - other);

/**
 * Judge the hits of one attempt; an excerpt need not show the end of a process.
 *
 * `places` are those of events among those of their rank: ranks write at the same time, so what stands far apart in the
 * log may be neighbours.
 * @param {Event[]} events
 * @param {number[]} places
 * @param {Hit[]} hits
 * @param {Signs} signs
 * @param {Index} index
 * @param {boolean} excerpt
 * @returns {Verdict}
 */
export function attribute(events, places, hits, signs, index, excerpt) {
  const roleOf = (/** @type {Hit} */ hit) => index.signatures[hit.signature]?.role ?? "cause";
  const entryOf = (/** @type {Hit} */ hit) => index.signatures[hit.signature]?.entry ?? 0;
  const counted = hits.filter((hit) => roleOf(hit) !== "notice");
  const order = orderOf(events, counted, signs);
  const first = counted.map((hit) => failureOf(hit, entryOf(hit), roleOf(hit), order, index));
  const all = withLate(first, events, places, signs).sort(compare);
  const failures = all.filter(({ hit }) => !signs.mentions.has(hit.at));
  const notices = sorted(hits.filter((hit) => roleOf(hit) === "notice").map(entryOf));
  if (!signs.terminal && !(excerpt && stated(failures, events))) {
    if (excerpt && (signs.errors.length || all.length)) return { verdict: "unknown", failures: all, reasons: [], notices };
    const harmless = sorted([...notices, ...all.map(({ entry }) => entry)]);
    return { verdict: "no-failure", failures: [], reasons: [], notices: harmless };
  }
  const chosen = choose(failures, events, places);
  const alone = (/** @type {Failure} */ claim) =>
    !preceded(claim, hits, events, places, signs, order) && !outlived(claim, hits, events, signs);
  if (!chosen || (chosen.tier === AMBIGUOUS && !alone(chosen))) {
    const verdict = signs.errors.length || failures.length ? "unknown" : "no-failure";
    return { verdict, failures, reasons: [], notices };
  }
  const [own, others] = [true, false].map((same) => failures.filter(({ entry }) => (entry === chosen.entry) === same));
  return {
    verdict: "match",
    failures: [...(own ?? []), ...(others ?? [])],
    reasons: reasonsOf(chosen, failures, signs),
    notices: notices.filter((entry) => entry !== chosen.entry),
  };
}

/**
 * Whether a line names a failure: not as mere information, nor as a quotation beside other lines.
 * @type {(failures: Failure[], events: Event[]) => boolean}
 */
const stated = (failures, events) =>
  failures
    .filter(({ hit }) => !["info", "debug"].includes(eventAt(hit.at, events).level ?? ""))
    .some(({ hit }) => events.length <= PASTED || !quoted(hit, events));

/**
 * Whether a match stands between marks that open and close a quotation, as in settings and source code.
 * @type {(hit: Hit, events: Event[]) => boolean}
 */
function quoted(hit, events) {
  const line = eventAt(hit.at, events).full;
  const [before, after] = [line.slice(0, hit.span.start), line.slice(hit.span.end)];
  return ['"', "`"].some((mark) => (before.split(mark).length - 1) % 2 === 1 && after.includes(mark));
}

/**
 * How events follow each other: by time if all hits have one of the same kind, else as they stand.
 *
 * What the kernel or a scheduler prints stands before all else: it is written apart from the job, at any place.
 * @type {(events: Event[], hits: Hit[], signs: Signs) => (at: number) => number[]}
 */
function orderOf(events, hits, signs) {
  const kinds = new Set(hits.map(({ at }) => eventAt(at, events).time?.kind ?? null));
  const timed = kinds.size === 1 && !kinds.has(null);
  return (at) => {
    const time = timed ? eventAt(at, events).time : null;
    return [Number(!signs.outside.has(at)), time?.days ?? 0, time?.within ?? 0, at];
  };
}

/**
 * Whether an error that no entry describes came before, on another rank or long before on the same one.
 * @type {(chosen: Failure, hits: Hit[], events: Event[], places: number[], signs: Signs, order: (at: number) => number[]) => boolean}
 */
function preceded(chosen, hits, events, places, signs, order) {
  const known = new Set(hits.map(({ at }) => at));
  const here = eventAt(chosen.hit.at, events);
  return signs.errors.some((at) => {
    const event = eventAt(at, events);
    const elsewhere = event.rank !== null && here.rank !== null && event.rank !== here.rank;
    const between = event.rank === here.rank ? distance(at, chosen.hit.at, places) : chosen.hit.at - at;
    const apart = event.file === here.file && between > APART;
    return !known.has(at) && (elsewhere || apart) && compareLists(order(at), chosen.order) < 0;
  });
}

/**
 * Whether its rank went on until an error that no entry describes, in a traceback that is not chained to it.
 * @type {(chosen: Failure, hits: Hit[], events: Event[], signs: Signs) => boolean}
 */
function outlived(chosen, hits, events, signs) {
  const known = new Set(hits.flatMap(({ at, end }) => [at, end]));
  const here = eventAt(chosen.hit.at, events);
  return [...signs.raised].some(([at, start]) => {
    const { file, rank } = eventAt(at, events);
    return start > chosen.hit.end && !known.has(at) && file === here.file && rank === here.rank;
  });
}

/** @type {(hit: Hit, entry: number, role: string, order: (at: number) => number[], index: Index) => Failure} */
function failureOf(hit, entry, role, order, index) {
  const tier = index.entries[entry]?.kind === "wrapper" ? WRAPPER : (TIERS.get(role) ?? CAUSE);
  return { hit, entry, tier, order: order(hit.at), weight: weightOf(hit, index) };
}

/**
 * The failures, where a cause on a rank that had failed before counts as following from that.
 * @type {(failures: Failure[], events: Event[], places: number[], signs: Signs) => Failure[]}
 */
function withLate(failures, events, places, signs) {
  /** @type {Map<string, Failure>} */
  const first = new Map();
  const keyOf = (/** @type {Failure} */ { hit }) => `${eventAt(hit.at, events).file} ${eventAt(hit.at, events).rank}`;
  const ranked = failures.filter(({ hit }) => eventAt(hit.at, events).rank !== null);
  for (const failure of ranked.sort((one, other) => compareLists(one.order, other.order))) {
    const key = keyOf(failure);
    if (failure.tier === DOWNSTREAM && !first.has(key)) first.set(key, failure);
  }
  return failures.map((failure) => {
    const before = first.get(keyOf(failure));
    if (!before || failure.tier !== CAUSE || signs.outside.has(failure.hit.at)) return failure;
    const follows = compareLists(before.order, failure.order) < 0;
    const late = follows && distance(before.hit.at, failure.hit.at, places) > LATE;
    return late ? { ...failure, tier: DOWNSTREAM } : failure;
  });
}

/** @type {(from: number, to: number, places: number[]) => number} */
const distance = (from, to, places) => (places[to] ?? 0) - (places[from] ?? 0);

/** @type {(one: Failure, other: Failure) => number} */
const compare = (one, other) =>
  one.tier - other.tier || compareLists(one.order, other.order) || other.weight - one.weight || one.entry - other.entry;

/**
 * The failure that the answer names: the first cause, or what several failures may print if one entry claims it.
 * @type {(failures: Failure[], events: Event[], places: number[]) => Failure | null}
 */
function choose(failures, events, places) {
  const [first, ...later] = failures.filter(({ tier }) => tier === CAUSE);
  if (first) return later.filter((failure) => near(failure, first, events, places)).reduce(moreSpecific, first);
  const claims = failures.filter(({ tier }) => tier === AMBIGUOUS);
  return new Set(claims.map(({ entry }) => entry)).size === 1 ? (claims[0] ?? null) : null;
}

/** @type {(best: Failure, failure: Failure) => Failure} */
const moreSpecific = (best, failure) => {
  const order = best.weight - failure.weight || compareLists(failure.order, best.order) || failure.entry - best.entry;
  return order < 0 ? failure : best;
};

/** @type {(failure: Failure, first: Failure, events: Event[], places: number[]) => boolean} */
function near(failure, first, events, places) {
  const [one, other] = [eventAt(failure.hit.at, events), eventAt(first.hit.at, events)];
  const same = one.file === other.file && one.rank === other.rank;
  return same && Math.abs(distance(first.hit.at, failure.hit.at, places)) <= NEIGHBOURS;
}

/**
 * Why this one.
 * @type {(chosen: Failure, failures: Failure[], signs: Signs) => string[]}
 */
function reasonsOf(chosen, failures, signs) {
  const follows = failures.some(({ tier }) => tier >= DOWNSTREAM);
  const others = failures.some(({ entry }) => entry !== chosen.entry);
  const reason = reasonOf(chosen, failures.filter(({ tier }) => tier === CAUSE), signs);
  return others && follows ? [reason, "follows"] : [reason];
}

/** @type {(chosen: Failure, causes: Failure[], signs: Signs) => string} */
function reasonOf(chosen, causes, signs) {
  if (chosen.tier === AMBIGUOUS) return "claimed";
  if (signs.outside.has(chosen.hit.at)) return "outside";
  if (causes.every(({ entry }) => entry === chosen.entry)) return "only";
  return causes[0]?.entry === chosen.entry ? "first" : "specific";
}

/**
 * The failures of each entry, in the order in which the entries come first.
 * @param {Failure[]} failures
 */
export function byEntry(failures) {
  /** @type {Map<number, Failure[]>} */
  const found = new Map();
  for (const failure of failures) {
    const own = found.get(failure.entry);
    if (own) own.push(failure);
    else found.set(failure.entry, [failure]);
  }
  return [...found.values()];
}
