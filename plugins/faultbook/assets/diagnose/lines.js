// Lines of logs in place, with their numbers and with what matched marked. They are text nodes, whatever they hold.
import { make } from "../dom.js";
import { isolated, visible } from "./visible.js";

/** @typedef {import("./types.js").Row} Row */
/** @typedef {(text: string) => string} Show Masks a text, unless the reader asked to see all. */
/** @typedef {[number, number][]} Spans */

const LONGEST = 1200;
const LEAD = 200;

/**
 * Spans of a text where they stand in another one that differs in one stretch, as a masked text does.
 * @param {Spans} spans
 * @param {string} text
 * @param {string} other
 * @returns {Spans}
 */
export function moveSpans(spans, text, other) {
  if (text === other) return spans;
  const most = Math.min(text.length, other.length);
  let head = 0;
  while (head < most && text[head] === other[head]) head += 1;
  let tail = 0;
  while (tail < most - head && text.at(-1 - tail) === other.at(-1 - tail)) tail += 1;
  const shift = other.length - text.length;
  /** @type {(at: number, within: number) => number} */
  const move = (at, within) => (at <= head ? at : at >= text.length - tail ? at + shift : within);
  return spans.map(([from, to]) => [move(from, head), move(to, other.length - tail)]);
}

/**
 * The text with its spans marked; of a very long one, what surrounds the first span.
 * @param {string} text
 * @param {Spans} spans
 */
export function markedText(text, spans) {
  const start = text.length > LONGEST ? Math.max(0, (spans[0]?.[0] ?? 0) - LEAD) : 0;
  const end = Math.min(text.length, start + LONGEST);
  /** @type {(Node | string)[]} */
  const nodes = start ? ["… "] : [];
  let at = start;
  for (const [from, to] of spans) {
    if (from < at || from >= end) continue;
    nodes.push(visible(text.slice(at, from)), make("mark", "", visible(text.slice(from, Math.min(to, end)))));
    at = Math.min(to, end);
  }
  nodes.push(visible(text.slice(at, end)));
  if (end < text.length) nodes.push(` … ${text.length - end} more characters`);
  return nodes.filter((node) => node !== "");
}

/**
 * @param {Row} row
 * @param {boolean} apart Whether lines were left out before it.
 * @param {Show} show
 */
function makeRow({ line, text, hit, spans }, apart, show) {
  const number = make("th", "", `${line}`);
  const shown = show(text);
  const row = make("tr", hit ? "is-hit" : "", number, make("td", "", ...markedText(shown, moveSpans(spans, text, shown))));
  number.scope = "row";
  if (hit) number.append(make("span", "fb-sr", " match"));
  row.classList.toggle("is-apart", apart);
  return row;
}

/**
 * Lines of one file.
 * @param {string} caption
 * @param {Row[]} rows
 * @param {Show} show
 */
export function makeLines(caption, rows, show) {
  const body = make("tbody", "");
  rows.forEach((row, at) => {
    const before = rows[at - 1];
    body.append(makeRow(row, before !== undefined && row.line > before.line + 1, show));
  });
  return make("table", "fb-lines", make("caption", "", isolated(caption)), body);
}

/**
 * Lines of several files, each file with a table of its own, in the order in which they come.
 * @param {{file: string, line: number, text: string}[]} lines
 * @param {Show} show
 */
export function makeTables(lines, show) {
  const files = [...new Set(lines.map(({ file }) => file))];
  return files.map((file) => {
    const rows = lines.filter((line) => line.file === file).sort((a, b) => a.line - b.line);
    return makeLines(file, rows.map(({ line, text }) => ({ line, text, hit: false, spans: [] })), show);
  });
}
