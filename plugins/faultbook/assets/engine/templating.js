// A template from an error line: what varies becomes a placeholder. Its twin is `scaffold/templating.py`.
//
// The rules are data, `draft` in rules.json: each has a pattern and the type of placeholder that takes the place of what
// it matches, but for its groups `before` and `after`. Without a type what it matches stays as it is, and so do the groups
// `keep` and, beside it, `after`. A rule sees only what no rule before it has settled.
import { length } from "./points.js";
import { segments, walk } from "./walker.js";

/** @typedef {import("./rules.js").Rules} Rules */
/** A text, and whether later rules leave it alone, or the type of a placeholder. */
/** @typedef {{text: string, settled?: boolean} | {type: string}} Part */

const LONGEST = 300;
const LETTERS = 6;
const AFTER_CUT = /^[ :,;.)\]>|}-]+/;
// Lines are found by what stands between characters that a log of JSON lines may escape.
const ESCAPED = /["\\<>&]|[^ -~]/u;

/** @type {WeakMap<{pattern: string}, RegExp>} */
const compiled = new WeakMap();

/** @param {{pattern: string}} row */
function patternOf(row) {
  const found = compiled.get(row) ?? new RegExp(row.pattern, "gsu");
  compiled.set(row, found);
  return found;
}

/** @type {(part: Part, row: {type: string, pattern: string}) => Part[]} */
function applied(part, row) {
  if (!("text" in part) || part.settled) return [part];
  /** @type {Part[]} */
  const parts = [];
  let at = 0;
  for (const found of part.text.matchAll(patternOf(row))) {
    const { before = "", keep = "", after = "" } = found.groups ?? {};
    const start = found.index + before.length + keep.length;
    const end = found.index + found[0].length - after.length;
    parts.push({ text: part.text.slice(at, found.index) + before }, { text: keep, settled: true });
    parts.push(row.type ? { type: row.type } : { text: part.text.slice(start, end), settled: true });
    parts.push({ text: after, settled: Boolean(keep) });
    at = found.index + found[0].length;
  }
  return [...parts, { text: part.text.slice(at) }];
}

/**
 * Texts that touch are one. The template ends before a placeholder that touches another, or a backslash, which would make
 * a text of it.
 * @param {Part[]} parts
 */
function joined(parts) {
  /** @type {Part[]} */
  const whole = [];
  for (const part of parts) {
    const last = whole.at(-1);
    if ("text" in part) {
      if (last && "text" in last) last.text += part.text;
      else if (part.text) whole.push({ text: part.text });
    } else if (last && ("type" in last || last.text.endsWith("\\"))) {
      break;
    } else {
      whole.push(part);
    }
  }
  return whole;
}

/**
 * The parts from the first text with a letter on.
 * @param {Part[]} parts
 * @returns {Part[]}
 */
function started(parts) {
  const first = parts.findIndex((part) => "text" in part && /[A-Za-z]/.test(part.text));
  const head = parts[first];
  if (!head || !("text" in head)) return [];
  return [{ text: first ? head.text.replace(AFTER_CUT, "") : head.text }, ...parts.slice(first + 1)];
}

/**
 * No more of a long line than tells it from others, up to a blank.
 * @param {Part[]} parts
 */
function cut(parts) {
  /** @type {Part[]} */
  const kept = [];
  let room = LONGEST;
  for (const part of parts) {
    const size = length(written(part));
    if (size > room) {
      const words = "text" in part ? [...part.text].slice(0, room).join("") : "";
      const text = words.slice(0, Math.max(0, words.lastIndexOf(" ")));
      if (text.trim()) kept.push({ text });
      break;
    }
    room -= size;
    kept.push(part);
  }
  const last = kept.at(-1);
  if (last && "text" in last) last.text = last.text.replace(/ +$/, "");
  return kept.filter((part) => !("text" in part) || part.text);
}

/**
 * A part as it stands in a template; a `<` that could begin a placeholder gets a backslash.
 * @param {Part} part
 */
const written = (part) => ("text" in part ? part.text.replace(/\\<|<(?=[A-Za-z*])/g, "\\$&") : `<${part.type}>`);

/** @param {Part[]} parts */
function letters(parts) {
  const runs = parts.flatMap((part) => ("text" in part ? part.text.split(ESCAPED) : []));
  return Math.max(0, ...runs.map((run) => run.match(/[A-Za-z]/g)?.length ?? 0));
}

/**
 * The parts of the template of a masked error line without prefixes; nothing if it has too few words of its own.
 * @param {string} line
 * @param {Rules} rules
 */
function partsOf(line, rules) {
  // A template holds no characters that show nowhere, so it ends before the first.
  /** @type {Part[]} */
  let parts = [{ text: (line.split(rules.pattern("draft_end"))[0] ?? "").replace(/^ +| +$/g, "") }];
  for (const row of rules.data.draft) parts = parts.flatMap((part) => applied(part, row));
  parts = cut(started(joined(parts)));
  const bare = rules.pattern("draft_bare").test(parts.map(written).join(""));
  return letters(parts) < LETTERS || bare ? null : parts;
}

/**
 * The template of a masked error line without prefixes; nothing if it has too few words of its own.
 * @param {string} line
 * @param {Rules} rules
 */
export const templateOf = (line, rules) => partsOf(line, rules)?.map(written).join("") ?? null;

/**
 * The same, if it matches the line as the log has it.
 * @param {string} masked
 * @param {string} line
 * @param {import("./index.js").Index} index
 */
export function fittingTemplate(masked, line, index) {
  const parts = partsOf(masked, index.rules);
  if (!parts) return null;
  const own = parts.map((part) => ("text" in part ? part.text.replace(/[ \t\r\n]+/g, " ") : index.types.indexOf(part.type)));
  return walk(segments(own, index.patterns), line) ? parts.map(written).join("") : null;
}
