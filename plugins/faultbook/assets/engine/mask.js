// Take secrets out of what is shown: tokens, keys, passwords and mail addresses become `••••`.
//
// What helps the reader stays: the name of the setting, the scheme and the host of an address. Of a match all is replaced
// but the groups `before` and `after`. A rule is tried only on texts that contain one of its hints, in whatever case; a
// rule without hints is tried on all.
import { placeOf, unitOf } from "./points.js";

/** @typedef {import("./index.js").Index} Index */
/** @typedef {{name: string, hints: string[], pattern: string}} MaskRule */
/** @typedef {{mask: string, rules: MaskRule[]}} MaskData */
/** @typedef {[number, number]} Range */

/** @type {WeakMap<MaskRule, RegExp>} */
const compiled = new WeakMap();

/**
 * The text without secrets.
 * @param {string} text
 * @param {Index} index
 */
export const mask = (text, index) => maskWithSpans(text, [], index).text;

/**
 * The text without secrets, and where spans of it are then, all in characters; one that ends within a secret takes in the
 * mark.
 * @param {string} text
 * @param {Range[]} spans
 * @param {Index} index
 * @returns {{text: string, spans: Range[]}}
 */
export function maskWithSpans(text, spans, index) {
  if (!index.mask) throw new Error("the index has no rules for secrets");
  const { mask: mark, rules } = index.mask;
  const lower = text.toLowerCase();
  let masked = text;
  let moved = spans.map((span) => /** @type {Range} */ (span.map((place) => unitOf(text, place))));
  for (const rule of rules) {
    if (rule.hints.length && !rule.hints.some((hint) => lower.includes(hint))) continue;
    const found = rangesOf(rule, masked).filter(([start, end]) => masked.slice(start, end) !== mark);
    moved = moved.map(([start, end]) => [moveTo(start, found, mark, false), moveTo(end, found, mark, true)]);
    masked = replaced(masked, found, mark);
  }
  const places = moved.map((span) => /** @type {Range} */ (span.map((unit) => placeOf(masked, unit))));
  return { text: masked, spans: places };
}

/**
 * The secrets that a rule finds.
 * @type {(rule: MaskRule, text: string) => Range[]}
 */
function rangesOf(rule, text) {
  const pattern = compiled.get(rule) ?? new RegExp(rule.pattern, "dgsu");
  compiled.set(rule, pattern);
  return [...text.matchAll(pattern)].map((found) => {
    const { before, after } = found.indices?.groups ?? {};
    return [before?.[1] ?? found.index, after?.[0] ?? found.index + found[0].length];
  });
}

/** @type {(text: string, found: Range[], mark: string) => string} */
function replaced(text, found, mark) {
  const parts = found.map(([start], at) => text.slice(found[at - 1]?.[1] ?? 0, start) + mark);
  return parts.join("") + text.slice(found.at(-1)?.[1] ?? 0);
}

/**
 * A place in the text after secrets were replaced by marks.
 * @type {(place: number, found: Range[], mark: string, endsSpan: boolean) => number}
 */
function moveTo(place, found, mark, endsSpan) {
  let shift = 0;
  for (const [start, end] of found) {
    if (place <= start) break;
    if (place < end) return start + shift + (endsSpan ? mark.length : 0);
    shift += mark.length - (end - start);
  }
  return place + shift;
}
