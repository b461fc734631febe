// The entries of which a template matches a line of a query, with the places in the query.
import { match } from "./match.js";
import { normalise } from "./normalise.js";
import { length, placeOf } from "./points.js";
import { escapePattern, walk } from "./walker.js";
import { GRAM } from "./index.js";

/** @typedef {import("./index.js").Index} Index */
/** @typedef {import("./normalise.js").Event} Event */

/** An entry, and the places of the query that its templates match. */
/** @typedef {{entry: number, spans: [number, number][]}} LineHit */

/** @typedef {{tier: number, weight: number, entry: number, span: [number, number] | null}} Found */

/** @typedef {(event: Event, signature: number, template: number, start: number, end: number) => Found} FoundAt */

const TIERS = new Map([
  ["cause", 0],
  ["ambiguous", 1],
  ["downstream", 2],
  ["notice", 4],
]);
/** Tiers of a message that only reports, and of one line of a signature that asks for several. */
const WRAPPER = 3;
const PART = 5;

/**
 * The entries that a line of the query names: those that it names for sure first, then the most specific.
 * @param {Index} index
 * @param {string} query
 * @returns {LineHit[]}
 */
export function lineHits(index, query) {
  if (length(query) < GRAM) return [];
  const found = allFound(index, query);
  found.sort((one, other) => one.tier - other.tier || other.weight - one.weight || one.entry - other.entry);
  /** @type {Map<number, [number, number][]>} */
  const spans = new Map();
  for (const { entry, span } of found) {
    const own = spans.get(entry) ?? [];
    spans.set(entry, own);
    if (span) own.push(span);
  }
  return [...spans].map(([entry, own]) => ({ entry, spans: merged(own) }));
}

/**
 * The spans in order, those that overlap or touch as one.
 * @param {[number, number][]} spans
 */
function merged(spans) {
  /** @type {[number, number][]} */
  const found = [];
  for (const [start, end] of spans.sort((one, other) => one[0] - other[0] || one[1] - other[1])) {
    const last = found.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else found.push([start, end]);
  }
  return found;
}

/** @type {(index: Index, query: string) => Found[]} */
function allFound(index, query) {
  const lines = query.split("\n");
  const encoder = new TextEncoder();
  const pieces = lines.map((line, number) => ({ number, line: number + 1, data: encoder.encode(line) }));
  const events = normalise(pieces, index.rules);
  let next = 0;
  const starts = lines.map((line) => (next += line.length + 1) - line.length - 1);

  /** @type {FoundAt} */
  const foundAt = (event, position, template, start, end) => {
    const { entry = 0, role = "cause" } = index.signatures[position] ?? {};
    const place = placeIn(event.full.slice(start, end), lines[event.line - 1] ?? "", starts[event.line - 1] ?? 0);
    return {
      tier: index.entries[entry]?.kind === "wrapper" ? WRAPPER : (TIERS.get(role) ?? 0),
      weight: index.templates[template]?.[2] ?? 0,
      entry,
      span: place && [placeOf(query, place[0]), placeOf(query, place[1])],
    };
  };

  const whole = match(events, index).flatMap(({ at, signature, template, span }) => {
    const event = events[at];
    return event ? [foundAt(event, signature, template, span.start, span.end)] : [];
  });
  return [...whole, ...events.flatMap((event) => partsIn(event, index, foundAt))];
}

/** @type {(event: Event, index: Index, foundAt: FoundAt) => Found[]} */
function partsIn(event, index, foundAt) {
  return index.candidates(event.full).flatMap((template) => {
    const signatures = index.parts.get(template) ?? [];
    const span = signatures.length ? walk(index.segments(template), event.full) : null;
    if (!span) return [];
    return signatures.map((position) => ({ ...foundAt(event, position, template, span.start, span.end), tier: PART }));
  });
}

/**
 * Where a match stands in the query, in which blanks may be doubled; nowhere if wrapping or colours cut it.
 * @type {(matched: string, line: string, start: number) => [number, number] | null}
 */
function placeIn(matched, line, start) {
  const found = new RegExp(matched.split(" ").map(escapePattern).join("[ \t]+"), "u").exec(line);
  return found && [start + found.index, start + found.index + found[0].length];
}
