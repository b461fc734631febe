// Lines that speak of a message and do not say it: source text, its history, tests that passed, instructions.

/** @typedef {import("./normalise.js").Event} Event */
/** @typedef {import("./rules.js").Rules} Rules */
/** @typedef {{at: number, event: Event}} Placed */

const FENCE = /^(?:```|~~~)/;
const PRINTED = /^(?:Traceback \(most recent call last\)|File ")/;

/**
 * The positions of such lines in an attempt; a log that a program printed has none but those of tests.
 * @param {Event[]} events
 * @param {number[]} positions
 * @param {Rules} rules
 * @returns {Set<number>}
 */
export function mentions(events, positions, rules) {
  const placed = positions.map((at) => ({ at, event: /** @type {Event} */ (events[at]) }));
  const passed = rules.pattern("mention");
  const files = new Set(placed.map(({ event }) => event.file));
  const parts = [...files].map((file) => placed.filter(({ event }) => event.file === file));
  const found = parts.flatMap((own) => [
    ...own.filter(({ event }) => passed.test(event.full)),
    ...prefixed(own, rules),
    ...inBlocks(own, rules),
    ...inProse(own, rules),
  ]);
  return new Set(found.map(({ at }) => at));
}

/**
 * Lines behind what a search, a list of commits or a patch puts before each, if at least half have it.
 * @type {(own: Placed[], rules: Rules) => Placed[]}
 */
function prefixed(own, rules) {
  return rules.data.mention_most.flatMap((/** @type {string} */ source) => {
    const pattern = new RegExp(source, "su");
    const having = own.filter(({ event }) => pattern.test(event.full));
    return 2 * having.length >= own.length ? having : [];
  });
}

/**
 * Lines of commits and of patches, each up to the first line that cannot be part of it.
 * @type {(own: Placed[], rules: Rules) => Placed[]}
 */
function inBlocks(own, rules) {
  const [starts, within] = [rules.pattern("mention_block"), rules.pattern("mention_within")];
  let inside = false;
  return own.filter(({ event }) => {
    inside = starts.test(event.full) || (inside && (event.indented || within.test(event.full)));
    return inside;
  });
}

/**
 * Lines of indented and fenced blocks below a heading, in a text in which nothing is as programs print it.
 * @type {(own: Placed[], rules: Rules) => Placed[]}
 */
function inProse(own, rules) {
  if (own.some(({ event }) => printed(event))) return [];
  const heading = rules.pattern("heading");
  let headed = false;
  let fenced = false;
  return own.filter(({ event }) => {
    const fence = FENCE.test(event.full);
    if (fence) fenced = !fenced;
    const mentioned = !fence && headed && (fenced || event.indented);
    headed ||= !fenced && !event.indented && heading.test(event.full);
    return mentioned;
  });
}

/** @type {(event: Event) => boolean} */
const printed = ({ text, time, rank, level }) =>
  PRINTED.test(text) || [time, rank, level].some((value) => value !== null);
