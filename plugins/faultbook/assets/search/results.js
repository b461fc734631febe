// What a search found, as groups of options or links.
import { withinSite } from "../address.js";
import { make } from "../dom.js";
import { plain } from "../plain.js";
import { request } from "./client.js";

/**
 * @typedef {{entry: string, title: string, url: string, kind: "slug" | "line" | "words", spans: [number, number][]}} Result
 * @typedef {{name: string, results: Result[]}} Group
 */

const ROOT = new URL("../../../", import.meta.url);
const LIMIT = 8;
const LEAST = 2;
const BEFORE = 40;
const AFTER = 80;

/**
 * Searches; texts that are too short find nothing.
 * @param {string} query
 * @returns {Promise<Result[]>}
 */
export async function find(query) {
  if (query.trim().length < LEAST) return [];
  return (await request({ type: "search", query: query.trim(), limit: LIMIT })).results;
}

/** @param {Result} result */
export const isMatch = (result) => result.kind !== "words";

/**
 * The full address of a result, or null where it would leave the site.
 * @param {Result} result
 */
export const addressOf = (result) => withinSite(result.url, ROOT)?.href ?? null;

/**
 * The results in groups, best first; what is only similar never stands among the matches.
 * @param {Result[]} results
 * @returns {Group[]}
 */
export function groupsOf(results) {
  const known = results.filter(addressOf);
  const matched = known.some(isMatch);
  /** @type {[name: string, kind: string][]} */
  const kinds = [
    ["This name", "slug"],
    ["The line matches", "line"],
    [matched ? "Similar words, not a match" : "Entries", "words"],
  ];
  const groups = kinds.map(([name, kind]) => ({ name, results: known.filter((result) => result.kind === kind) }));
  return groups.filter((group) => group.results.length);
}

/** @type {(number: number, one: string, many: string) => string} */
const count = (number, one, many) => `${number} ${number === 1 ? one : many}`;

/**
 * The sentence that a screen reader hears.
 * @param {Result[]} results
 */
export function summaryOf(results) {
  const matches = results.filter((result) => result.kind === "line").length;
  const similar = results.filter((result) => !isMatch(result)).length;
  if (matches) return `${count(matches, "entry matches", "entries match")} the line, ${similar} similar`;
  return results.length ? count(results.length, "entry", "entries") : "";
}

/**
 * A line with what a template matched marked, cut to what surrounds it.
 * @param {string} line
 * @param {[number, number][]} spans
 */
function markedLine(line, spans) {
  const from = Math.max(0, (spans[0]?.[0] ?? 0) - BEFORE);
  const code = make("code", "");
  let at = from;
  if (from) code.append("… ");
  for (const [start, end] of spans) {
    code.append(line.slice(at, start), make("mark", "", line.slice(start, end)));
    at = end;
  }
  code.append(line.slice(at, at + AFTER));
  return code;
}

/**
 * One result: its title, its name, and the line that matched.
 * @template {"a" | "div"} Tag
 * @param {Tag} tag
 * @param {Result} result
 * @param {string} query
 */
export function makeOption(tag, result, query) {
  const option = make(tag, "fb-opt", make("div", "fb-opt__t", plain(result.title), make("span", "", result.entry)));
  if (result.kind === "line" && result.spans.length) option.append(markedLine(query.trim(), result.spans));
  return option;
}
