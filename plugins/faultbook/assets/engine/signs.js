// Signs of failure that no entry is needed for: error lines, ends of processes, silent ranks, launchers' reports.
import { mentions } from "./mentions.js";
import { head } from "./points.js";
import { LOOK } from "./rules.js";

/** @typedef {import("./normalise.js").Event} Event */
/** @typedef {import("./rules.js").Rules} Rules */

/**
 * What the events of an attempt show apart from entries. `errors`: positions of error lines, in order. `terminal`:
 * whether a process ended badly. `outside`: positions of lines that the kernel, a driver or a scheduler printed. `world`:
 * how many ranks the job has, if the log says so. `silent`: ranks that did not report a timeout that nearly all others
 * reported. `report`: what a launcher says about the first failure. `rank`: the rank that failed, if the log shows it
 * without a line that names the cause. `mentions`: positions of lines that speak of a message and do not say it; they are
 * no signs. `raised`: by error line that ends a traceback of its own, chained to none before, the position of that
 * traceback.
 * @typedef {object} Signs
 * @property {number[]} errors
 * @property {boolean} terminal
 * @property {Set<number>} outside
 * @property {number | null} world
 * @property {number[]} silent
 * @property {Map<string, string>} report
 * @property {number | null} rank
 * @property {Set<number>} mentions
 * @property {Map<number, number>} raised
 */

const REPORT_LINES = 12;
const TRACEBACK = "Traceback (most recent call last)";
const LARGEST_WORLD = 1_000_000;
const LARGEST_LISTED = 65_536;

/** @type {Signs} */
export const NO_SIGNS = {
  errors: [],
  terminal: false,
  outside: new Set(),
  world: null,
  silent: [],
  report: new Map(),
  rank: null,
  mentions: new Set(),
  raised: new Map(),
};

/**
 * Read the signs of an attempt; `known` are the positions of lines that an entry describes.
 * @param {Event[]} events
 * @param {number[]} positions
 * @param {Rules} rules
 * @param {Set<number>} known
 * @returns {Signs}
 */
export function readSigns(events, positions, rules, known) {
  const mentioned = mentions(events, positions, rules);
  const kept = positions.filter((at) => !mentioned.has(at));
  const own = kept.map((at) => /** @type {Event} */ (events[at]));
  const has = (/** @type {string} */ name) => own.filter(({ text }) => rules.pattern(name).test(head(text, LOOK)));
  const world = own.reduce((/** @type {number | null} */ known, event) => worldOf(event, rules) || known, null);
  const reported = ranksOf(has("timeout_report"));
  const report = reportOf(own, rules);
  const errors = errorsOf(own, kept, rules, known);
  return {
    errors,
    terminal: own.some(({ level }) => level === "fatal") || has("terminal").length > 0,
    outside: new Set(kept.filter((_, at) => own[at]?.kernel || rules.pattern("outside").test(head(own[at]?.text ?? "", LOOK)))),
    world,
    silent: silentOf(reported, world, ranksOf(own)),
    report,
    rank: failedRank(report, world, ranksOf(own.filter(({ text }) => text.startsWith(TRACEBACK)))) ?? failedTask(own, rules),
    mentions: mentioned,
    raised: raisedIn(events, kept, new Set(errors), rules),
  };
}

/** @type {(events: Event[]) => Set<number>} */
const ranksOf = (events) => new Set(events.flatMap(({ rank }) => rank ?? []));

/**
 * Error lines, and tracebacks whose last line is not there or is no error line by any rule: they still say that something
 * failed.
 * @type {(own: Event[], positions: number[], rules: Rules, known: Set<number>) => number[]}
 */
function errorsOf(own, positions, rules, known) {
  const errors = [];
  /** @type {Map<string, number>} */
  const openTracebacks = new Map();
  for (const [at, { file, rank, level, text: whole }] of own.entries()) {
    const text = head(whole, LOOK);
    const position = positions[at] ?? 0;
    const bad = level === "error" || level === "fatal" || (level === null && rules.pattern("error").test(text));
    const said = bad && !rules.pattern("harmless").test(text);
    if (said) errors.push(position);
    if (said || known.has(position)) {
      openTracebacks.delete(`${file} ${rank}`);
    } else if (text.startsWith(TRACEBACK)) {
      openTracebacks.set(`${file} ${rank}`, position);
    }
  }
  return [...new Set([...errors, ...openTracebacks.values()])].sort((one, other) => one - other);
}

/** @type {(events: Event[], kept: number[], errors: Set<number>, rules: Rules) => Map<number, number>} */
function raisedIn(events, kept, errors, rules) {
  const raised = new Map();
  const started = new Map();
  const chained = new Set();
  for (const at of kept) {
    const { file, rank, text } = /** @type {Event} */ (events[at]);
    const stream = `${file} ${rank}`;
    if (text.startsWith(TRACEBACK)) {
      started.delete(stream);
      if (!chained.delete(stream)) started.set(stream, at);
    } else if (rules.pattern("chain").test(text)) {
      chained.add(stream);
    } else if (errors.has(at) && started.has(stream) && !rules.pattern("interrupted").test(text)) {
      raised.set(at, started.get(stream));
      started.delete(stream);
    }
  }
  return raised;
}

/**
 * The rank that a launcher names, the only one of the job, or the only one with a traceback.
 * @type {(report: Map<string, string>, world: number | null, traced: Set<number>) => number | null}
 */
function failedRank(report, world, traced) {
  const named = rankNumber(report.get("rank") ?? "");
  if (named !== null) return named;
  if (world === 1) return 0;
  const [only = null] = traced;
  return traced.size === 1 ? only : null;
}

/**
 * The number of the task that a scheduler reports before all others, which is a rank where it starts one a task.
 * @type {(own: Event[], rules: Rules) => number | null}
 */
function failedTask(own, rules) {
  const first = own.find(({ text }) => rules.pattern("task_report").test(text));
  return rankNumber(rules.pattern("task_report").exec(first?.text ?? "")?.groups?.task ?? "");
}

/**
 * The rank that a text names; no job has a million of them.
 * @param {string} text
 */
export const rankNumber = (text) => (/^[0-9]{1,6}$/.test(text) ? Number(text) : null);

/** @type {(event: Event, rules: Rules) => number | null} */
function worldOf({ full }, rules) {
  const found = rules.pattern("world").exec(full);
  const value = Number(found?.slice(1).find(Boolean) ?? 0);
  return value > 0 && value <= LARGEST_WORLD ? value : null;
}

/**
 * The ranks missing among those that report, if they are few; else the reports say nothing about a rank.
 * @type {(reported: Set<number>, world: number | null, ranks: Set<number>) => number[]}
 */
function silentOf(reported, world, ranks) {
  if (reported.size < 2) return [];
  const everyone = world && world <= LARGEST_LISTED ? upTo(world) : new Set(ranks);
  const highest = Math.max(...reported);
  if (highest < LARGEST_LISTED) for (const rank of upTo(highest + 1)) everyone.add(rank);
  const missing = [...everyone].filter((rank) => !reported.has(rank)).sort((one, other) => one - other);
  return missing.length <= Math.max(1, Math.floor(everyone.size / 8)) ? missing : [];
}

/** @type {(count: number) => Set<number>} */
const upTo = (count) => new Set(Array.from({ length: count }, (_, at) => at));

/**
 * The fields of the first report of a launcher about the failure that it saw first.
 * @type {(own: Event[], rules: Rules) => Map<string, string>}
 */
function reportOf(own, rules) {
  const place = own.findIndex(({ text }) => rules.pattern("report").test(text));
  /** @type {Map<string, string>} */
  const found = new Map();
  if (place < 0) return found;
  for (const { text } of own.slice(place + 1, place + 1 + REPORT_LINES)) {
    const { key, value } = rules.pattern("report_field").exec(text)?.groups ?? {};
    if (key !== undefined && value !== undefined && !found.has(key)) found.set(key, value);
  }
  return found;
}

/**
 * A line with its digits masked, to see the same message once.
 * @param {string} text
 */
export const shape = (text) => head(text, 200).replace(/[0-9]+/g, "#");
