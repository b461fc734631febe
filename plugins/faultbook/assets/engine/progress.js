// Failures that the training got over: it went on after them.
import { compareLists } from "./comparison.js";

/** @typedef {import("./index.js").Index} Index */
/** @typedef {import("./match.js").Hit} Hit */
/** @typedef {import("./normalise.js").Event} Event */
/** @typedef {import("./rules.js").Rules} Rules */
/** @typedef {import("./signs.js").Signs} Signs */

/** @typedef {{at: number, numbers: number[]}} Step */
/** @typedef {{at: number, goesOn: boolean}} Start */

/** Growing steps after a line that show that training went on; other ranks may finish one or two after a failure. */
const ENOUGH = 3;
/** What stands for the end of training: it comes after all steps, whose numbers have nine digits at most. */
const END = 1e9;

/** @type {(event: Event) => string} */
const streamOf = ({ file, rank }) => `${file} ${rank}`;

/**
 * The entries whose hits in an attempt all have steps of training of the same file and rank after them.
 *
 * One step and the end of training are enough; a script may say that it ended whatever came before.
 * Steps that begin anew are those of another run, whose start proves nothing about the one before.
 * @type {(events: Event[], positions: number[], hits: Hit[], signs: Signs, index: Index) => Set<number>}
 */
export function overcome(events, positions, hits, signs, index) {
  const starts = hits.length ? startsOf(events, positions, index.rules) : new Map();
  const over = new Set();
  const standing = new Set();
  for (const hit of hits) {
    const own = starts.get(streamOf(/** @type {Event} */ (events[hit.at]))) ?? [];
    const passed = firstAfter(own, hit.end)?.goesOn && !signs.outside.has(hit.at);
    (passed ? over : standing).add(index.signatures[hit.signature]?.entry);
  }
  return new Set([...over].filter((entry) => !standing.has(entry)));
}

/**
 * The first of some steps after a place.
 * @type {(starts: Start[], at: number) => Start | undefined}
 */
function firstAfter(starts, at) {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (/** @type {Start} */ (starts[middle]).at <= at) low = middle + 1;
    else high = middle;
  }
  return starts[low];
}

/**
 * By file and rank the lines that give a step, and whether enough growing ones begin there, as none before did.
 * @type {(events: Event[], positions: number[], rules: Rules) => Map<string, Start[]>}
 */
function startsOf(events, positions, rules) {
  /** @type {Map<string, Step[]>} */
  const steps = new Map();
  for (const at of positions) {
    const event = /** @type {Event} */ (events[at]);
    const numbers = numbersOf(event.text, rules);
    if (!numbers.length) continue;
    const key = streamOf(event);
    const own = steps.get(key) ?? [];
    const last = own.at(-1);
    if (!last || compareLists(last.numbers, numbers) !== 0) own.push({ at, numbers });
    steps.set(key, own);
  }
  return new Map([...steps].map(([key, own]) => [key, withGrowth(own)]));
}

/** @type {(steps: Step[]) => Start[]} */
function withGrowth(steps) {
  const grows = (/** @type {number} */ place) => {
    const [one, other] = [steps[place], steps[place + 1]];
    return one !== undefined && other !== undefined && compareLists(one.numbers, other.numbers) < 0;
  };
  /** @type {Start[]} */
  const starts = [];
  let growing = 0;
  for (const [back, { at, numbers }] of steps.toReversed().entries()) {
    const place = steps.length - 1 - back;
    growing = numbers[0] === END ? ENOUGH - 1 : grows(place) ? growing + 1 : 1;
    starts.push({ at, goesOn: growing >= ENOUGH && (place === 0 || grows(place - 1)) });
  }
  return starts.reverse();
}

/**
 * The numbers of epochs and steps in a line that measures training, or none.
 * @type {(text: string, rules: Rules) => number[]}
 */
function numbersOf(text, rules) {
  if (rules.pattern("finished").test(text)) return [END];
  if (!rules.pattern("progress").test(text)) return [];
  const found = [...text.matchAll(rules.every("step"))];
  return found.flatMap(([, ...numbers]) => numbers.filter(Boolean).map(Number));
}
