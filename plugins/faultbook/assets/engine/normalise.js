// Turn kept pieces into events: what was said, by which rank, on which node, when, how bad.
import { readTime } from "./clock.js";
import { length } from "./points.js";
import { peeled, votesOf } from "./prefixes.js";
import { hasInk, LONGEST_PREFIX, Room, unwrapJson } from "./wrapping.js";

/** @typedef {import("./rules.js").Rules} Rules */
/** @typedef {import("./clock.js").Time} Time */
/** @typedef {import("./wrapping.js").Known} Known */
/** @typedef {import("./keep.js").Piece} Piece */

/**
 * A line as the program that printed it meant it. `run`: number of the run of pieces without a gap that it stands in.
 * `full`: the line without colours, wrapping and boxes, its blanks folded; templates are matched on it. `text`: the same
 * without prefixes.
 * @typedef {object} Event
 * @property {number} file
 * @property {number} line
 * @property {number} run
 * @property {string} full
 * @property {string} text
 * @property {number | null} rank
 * @property {number | null} local
 * @property {string | null} node
 * @property {string | null} pid
 * @property {Time | null} time
 * @property {string | null} level
 * @property {number} repeat
 * @property {boolean} kernel
 * @property {boolean} indented
 */

/**
 * A piece on its way: its text, and what a collector's wrapping said about it. `end`: number of the last piece that is
 * part of it.
 * @typedef {{number: number, end: number, line: number, text: string, known: Known}} Line
 */

/** Lines of a file whose looks decide for all. */
export const SAMPLE = 400;
const NARROWEST = 60;
const WIDEST = 250;
const MOST_PARTS = 16;
const EDGE = /[\u2500\u2502\u256e\u256f\u2524]$/;
const FRAME = /^[\u2500\u2502\u256d\u2570\u251c]/;

/**
 * The events of one file, in order; lines that are blank, or blank but for prefixes, are none.
 * @param {Piece[]} pieces
 * @param {Rules} rules
 * @param {number} file
 */
export function normalise(pieces, rules, file = 0) {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const room = new Room();
  const unwrapped = pieces.flatMap((piece) => unwrap(piece, decoder.decode(piece.data), rules, room));
  const lines = glued(unwrapped, rules);
  const votes = votesOf(rules, firstInked(lines));
  /** @type {Event[]} */
  const events = [];
  let run = 0;
  let expected = 0;
  for (const line of lines) {
    if (line.number > expected) run += 1;
    expected = line.end + 1;
    events.push(...eventsOf(line, { file, run, rules, votes, room }).filter((event) => event.text));
  }
  return events;
}

/**
 * The first lines that are not blank, their blanks folded.
 * @param {Line[]} lines
 */
function firstInked(lines) {
  const found = [];
  for (const line of lines) {
    const text = folded(line.text);
    if (text) found.push(text);
    if (found.length === SAMPLE) break;
  }
  return found;
}

/**
 * The line or, of a collector's JSON, the lines that a piece stands for.
 * @type {(piece: Piece, decoded: string, rules: Rules, room: Room) => Line[]}
 */
function unwrap({ number, line }, text, rules, room) {
  const whole = { number, end: number, line, text: uncoloured(text, rules), known: {} };
  const within = linesWithin(text, whole, rules, room);
  return within.length ? within : [whole];
}

/**
 * The lines that a text holds if it is a collector's JSON, behind the prefix of the line that it is part of.
 * @type {(text: string, line: Line, rules: Rules, room: Room, prefix?: string) => Line[]}
 */
function linesWithin(text, line, rules, room, prefix = "") {
  const found = unwrapJson(text, rules);
  if (!found) return [];
  // Of a record with a traceback only the first line says what the level is about.
  const { level, ...rest } = found.known;
  const outer = Object.fromEntries(Object.entries(line.known).filter(([, value]) => value !== undefined));
  return room.lines(found.message).map((part, at) => {
    const plain = uncoloured(part.replace(rules.every("ansi"), ""), rules);
    return { ...line, text: prefix + plain, known: { ...(at ? rest : found.known), ...outer } };
  });
}

/**
 * The text without colours that lost their escape bytes.
 * @type {(text: string, rules: Rules) => string}
 */
const uncoloured = (text, rules) =>
  text.includes("m") && text.includes("[") ? text.replace(rules.every("lost_escape"), "") : text;

/**
 * Put together what a terminal of fixed width broke.
 * @param {Line[]} lines
 * @param {Rules} rules
 */
function glued(lines, rules) {
  const width = wrapWidth(lines.slice(0, SAMPLE), rules);
  if (!width) return lines;
  const startsAnew = rules.pattern("starts_anew");
  /** @type {Line[]} */
  const found = [];
  let full = false;
  for (const line of lines) {
    const last = found.at(-1);
    const near = last && line.number <= Math.min(last.end + 1, last.number + MOST_PARTS);
    if (near && full && line.text && !startsAnew.test(line.text)) {
      found[found.length - 1] = { ...last, end: line.end, text: last.text + line.text };
    } else {
      found.push(line);
    }
    full = fills(line.text, width);
  }
  return found;
}

/**
 * The width at which lines are broken, or 0: two different lines have exactly it, none more, and most go on.
 * @param {Line[]} lines
 * @param {Rules} rules
 */
function wrapWidth(lines, rules) {
  const lengths = lines.map((line) => length(line.text));
  const width = Math.max(0, ...lengths);
  if (width < NARROWEST || width > WIDEST) return 0;
  const full = lines.filter(({ text }) => fills(text, width));
  const shapes = new Set(full.map((line) => line.text.replace(/[0-9]+/g, "#")));
  const startsAnew = rules.pattern("starts_anew");
  const after = lines.filter((_, at) => at > 0 && fills(lines[at - 1]?.text ?? "", width));
  const goingOn = after.filter(({ text }) => hasInk(text) && !startsAnew.test(text)).length;
  return shapes.size >= 2 && goingOn >= 2 && goingOn * 2 >= full.length ? width : 0;
}

/**
 * Whether a line goes up to a width, other than with blanks or as the edge of a box; a break may be at a blank.
 * @type {(text: string, width: number) => boolean}
 */
const fills = (text, width) =>
  length(text) === width && length(text.replace(/ +$/, "")) >= width - 1 && !EDGE.test(text);

/** @typedef {{file: number, run: number, rules: Rules, votes: import("./prefixes.js").Votes, room: Room}} Place */

/**
 * The event of a line or, if JSON stands behind its prefixes, those of the lines in it.
 * @type {(line: Line, place: Place) => Event[]}
 */
function eventsOf(line, place) {
  const event = eventOf(line, place);
  const prefix = event.full.slice(0, event.full.length - event.text.length);
  const record = event.text.startsWith("{") && length(prefix) <= LONGEST_PREFIX;
  const within = record ? linesWithin(event.text, line, place.rules, place.room, prefix) : [];
  return within.length ? within.map((inner) => eventOf(inner, place)) : [event];
}

/** @type {(line: Line, place: Place) => Event} */
function eventOf({ line, text: raw, known }, { file, run, rules, votes }) {
  const { text, repeat } = repeated(raw, rules);
  const whole = folded(unboxed(text, rules));
  const { rest, found } = peeled(whole, rules, votes);
  const said = rest !== whole && FRAME.test(rest) ? folded(unboxed(rest, rules)) : rest;
  const rank = known.rank ?? found.rank ?? null;
  const stamped = known.stamp ? readTime({ stamp: known.stamp }, rules) : null;
  return {
    file,
    line,
    run,
    full: said === rest ? whole : said && whole.slice(0, whole.length - rest.length) + said,
    text: said,
    rank: rank === null ? null : Number(rank),
    local: found.local === undefined ? null : Number(found.local),
    node: known.node ?? found.node ?? null,
    pid: found.pid ?? null,
    time: stamped ?? found.time ?? null,
    level: found.level ?? known.level ?? null,
    repeat,
    kernel: found.kernel ?? known.kernel ?? false,
    indented: /^[ \t]/.test(raw),
  };
}

/**
 * A line of a box that rich or loguru drew, without its frame.
 * @type {(text: string, rules: Rules) => string}
 */
function unboxed(text, rules) {
  if (text.includes("\u2500") && rules.pattern("box_edge").test(text)) {
    return text.includes("Traceback") ? "Traceback (most recent call last):" : "";
  }
  const found = text.includes("\u2502") ? rules.pattern("box").exec(text) : null;
  return found?.groups?.inside ?? text;
}

/** @type {(text: string, rules: Rules) => {text: string, repeat: number}} */
function repeated(text, rules) {
  const found = text.includes("[repeated ") ? rules.pattern("repeated").exec(text) : null;
  return found ? { text: text.slice(0, found.index), repeat: Number(found.groups?.times) } : { text, repeat: 1 };
}

/** @param {string} text */
function folded(text) {
  return text
    .replace(/[\x00-\x08\x0a-\x1f\x7f\ufeff]/g, "")
    .replace(/[ \t\u00a0]+/g, " ")
    .replace(/^ | $/g, "");
}
