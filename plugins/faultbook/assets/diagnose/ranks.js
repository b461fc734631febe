// The first failure of each rank as a grid of nodes and local ranks, and the same in a sentence.
import { make } from "../dom.js";
import { isolated, visible } from "./visible.js";
import { after, counted, number, ranges } from "./words.js";

/** @typedef {import("./types.js").RankFailure} RankFailure */
/** @typedef {{name: string, cells: (RankFailure | undefined)[]}} Line One node; a rank that did not fail leaves a gap. */
/** @typedef {{lines: Line[]}} Group Nodes that look alike. */

const NEAR = 10;
const WIDTH = 8;
const GROUPED_FROM = 64;

/** @type {(ranks: RankFailure[]) => RankFailure[]} */
const byTime = (ranks) => [...ranks].sort((a, b) => (a.seconds ?? Infinity) - (b.seconds ?? Infinity) || a.rank - b.rank);

/**
 * The nodes with their ranks; without names of nodes, eight ranks a line.
 * @param {RankFailure[]} ranks
 * @returns {Line[]}
 */
export function linesOf(ranks) {
  const named = ranks.every(({ node }) => node !== null);
  /** @type {Map<string, (RankFailure | undefined)[]>} */
  const lines = new Map();
  for (const failure of [...ranks].sort((a, b) => a.rank - b.rank)) {
    const from = Math.floor(failure.rank / WIDTH) * WIDTH;
    const name = named ? `${failure.node}` : `${from} to ${from + WIDTH - 1}`;
    const cells = lines.get(name) ?? [];
    cells[failure.local ?? (named ? cells.length : failure.rank - from)] = failure;
    lines.set(name, cells);
  }
  return [...lines].map(([name, cells]) => ({ name, cells }));
}

/** @type {(seconds: number | null) => number} */
const coarse = (seconds) => (seconds === null ? -1 : Number(seconds.toPrecision(2)));

/**
 * What makes two nodes look alike: the same failures at about the same times.
 * @param {Line} line
 */
function look({ cells: all }) {
  const cells = all.filter((cell) => cell !== undefined);
  const times = [...new Set(cells.map(({ seconds }) => coarse(seconds)))].sort((a, b) => a - b);
  return JSON.stringify([cells.length, [...new Set(cells.map(({ entry }) => entry))].sort(), times]);
}

/**
 * Neighbours that look alike as one, where there are too many nodes to show each.
 * @param {Line[]} lines
 * @returns {Group[]}
 */
export function groupsOf(lines) {
  if (lines.length <= GROUPED_FROM) return lines.map((line) => ({ lines: [line] }));
  /** @type {Group[]} */
  const groups = [];
  for (const line of lines) {
    const last = groups.at(-1);
    if (last?.lines[0] && look(last.lines[0]) === look(line)) last.lines.push(line);
    else groups.push({ lines: [line] });
  }
  return groups;
}

/**
 * The ranks that failed soon after the first, if they are few.
 * @param {RankFailure[]} ranks
 */
export function nearOf(ranks) {
  const [first, ...others] = byTime(ranks);
  const near = others.filter(({ seconds }) => seconds !== null && seconds <= NEAR);
  return first && near.length * 4 <= others.length ? near : [];
}

/** @type {(failures: RankFailure[]) => string} */
function spread(failures) {
  const times = failures.flatMap(({ seconds }) => (seconds === null ? [] : [seconds]));
  const [low, high] = [Math.min(...times), Math.max(...times)];
  if (!times.length) return "at an unknown time";
  return high - low < 0.05 ? `after ${low.toFixed(1)} s` : `after ${low.toFixed(1)} to ${high.toFixed(1)} s`;
}

/**
 * The grid in words, since the first rank may be out of view on a phone.
 * @param {RankFailure[]} ranks
 */
export function sentenceOf(ranks) {
  const [first, ...others] = byTime(ranks);
  if (!first) return "";
  if (first.seconds === null) return "The log has no times. Each cell: rank, and the line of its first failure.";
  const place = [first.node === null ? null : visible(first.node), first.local === null ? null : `local ${first.local}`].filter((part) => part !== null).join(", ");
  const near = nearOf(ranks);
  const rest = others.filter((failure) => !near.includes(failure));
  const parts = [`Rank ${first.rank}${place ? ` (${place})` : ""} failed first`];
  if (near.length) parts.push(`${counted(near.length, "rank")} (${ranges(near.map(({ rank }) => rank))}) ${spread(near)}`);
  if (rest.length) parts.push(`${near.length ? `the other ${number(rest.length)}` : counted(rest.length, "rank")} ${spread(rest)}`);
  return `${parts.join(", ")}. Each cell: rank, seconds after the first failure.`;
}

/**
 * @param {RankFailure[]} failures The same local rank of alike nodes.
 * @param {RankFailure | undefined} first
 * @param {RankFailure[]} near
 */
function makeCell(failures, first, near) {
  const [failure] = failures;
  if (!failure) return make("td", "");
  const isFirst = failure === first && failure.seconds !== null;
  const times = failures.flatMap(({ seconds }) => (seconds === null ? [] : [seconds]));
  const [low, high] = [Math.min(...times), Math.max(...times)].map(after);
  const name = make("span", "fb-grid__r", make("span", "fb-sr", "rank "), ranges(failures.map(({ rank }) => rank)));
  const when = times.length ? (low === high ? `${low}` : `${low} to ${high}`) : `line ${failure.line}`;
  const state = isFirst ? "is-first" : near.includes(failure) ? "is-near" : "";
  if (failures.length > 1) return make("td", state, when);
  return make("td", state, name, " ", isFirst ? make("b", "", "first") : when);
}

/** @type {(scope: string, ...content: (Node | string)[]) => HTMLTableCellElement} */
function makeHead(scope, ...content) {
  const head = make("th", "", ...content);
  head.scope = scope;
  return head;
}

/**
 * @param {Group} group
 * @param {number[]} columns
 * @param {RankFailure[]} ranks
 */
function makeRow({ lines }, columns, ranks) {
  const [first] = byTime(ranks);
  const near = nearOf(ranks);
  const [from, to] = [lines[0]?.name ?? "", lines.at(-1)?.name ?? ""];
  const name = from === to ? [isolated(from)] : [isolated(from), " to ", isolated(to), ` (${lines.length})`];
  const cells = columns.map((column) => lines.flatMap(({ cells: all }) => all[column] ?? []));
  return make("tr", "", makeHead("row", ...name), ...cells.map((found) => makeCell(found, first, near)));
}

/**
 * The grid.
 * @param {RankFailure[]} ranks
 */
export function makeGrid(ranks) {
  const lines = linesOf(ranks);
  const columns = [...Array(Math.max(...lines.map(({ cells }) => cells.length))).keys()];
  const local = columns.map((column) => {
    const head = makeHead("col");
    head.append(make("span", "fb-sr", "local rank "), `${column}`);
    return head;
  });
  const named = ranks.every(({ node }) => node !== null);
  const head = make("thead", "", make("tr", "", makeHead("col", named ? "Node" : "Ranks"), ...local));
  const rows = groupsOf(lines).map((group) => makeRow(group, columns, ranks));
  return make("table", "fb-cells", head, make("tbody", "", ...rows));
}
