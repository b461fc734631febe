// Attempts within a log: a launcher that restarts its workers begins a new one.
import { head } from "./points.js";
import { LOOK } from "./rules.js";

/** @typedef {import("./normalise.js").Event} Event */
/** @typedef {import("./rules.js").Rules} Rules */

/**
 * One attempt of a job in all files: its events, and the first and last line of each file that has part in it.
 * @typedef {{positions: number[], places: {file: number, first: number, last: number}[]}} Episode
 */

/**
 * The attempts in order; those of several files are brought together from the last one back.
 * @param {Event[]} events
 * @param {Rules} rules
 * @returns {Episode[]}
 */
export function episodes(events, rules) {
  const files = [...attempts(events, rules).values()].map((parts) => parts.filter((part) => part.length));
  const count = Math.max(0, ...files.map((parts) => parts.length));
  return Array.from({ length: count }, (_, at) => {
    const parts = files.flatMap((own) => (own.length >= count - at ? [own.at(at - count) ?? []] : []));
    return {
      positions: parts.flat().sort((one, other) => one - other),
      places: parts.map((part) => placeOf(part, events)),
    };
  });
}

/**
 * The events of each attempt, by file.
 * @type {(events: Event[], rules: Rules) => Map<number, number[][]>}
 */
function attempts(events, rules) {
  const [ends, starts, terminal] = ["attempt_end", "attempt_start", "terminal"].map((name) => rules.pattern(name));
  /** @type {Map<number, number[][]>} */
  const found = new Map();
  const failed = new Set();
  for (const [at, { file, text: whole }] of events.entries()) {
    const text = head(whole, LOOK);
    const parts = found.get(file) ?? [[]];
    found.set(file, parts);
    // Programs also print their first words twice: only an attempt that met its end is followed by another.
    if (failed.has(file) && starts?.test(text)) {
      parts.push([]);
      failed.delete(file);
    }
    parts.at(-1)?.push(at);
    if (terminal?.test(text)) failed.add(file);
    if (ends?.test(text)) {
      parts.push([]);
      failed.delete(file);
    }
  }
  return found;
}

/** @type {(positions: number[], events: Event[]) => {file: number, first: number, last: number}} */
function placeOf(positions, events) {
  const first = /** @type {Event} */ (events[positions.at(0) ?? 0]);
  const last = /** @type {Event} */ (events[positions.at(-1) ?? 0]);
  return { file: first.file, first: first.line, last: last.line };
}
