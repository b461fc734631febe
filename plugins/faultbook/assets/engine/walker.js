// Match a template in a line: its segments one after the other, each leftmost, in linear time.

/**
 * A literal text, the number of a type, or `[number, name]`; type 0 is the gap.
 * @typedef {string | number | [number, string]} Part
 */

/**
 * What stands between two gaps; a text where no placeholder is in it, since finding that is cheaper.
 * @typedef {string | RegExp} Segment
 */

/**
 * Where a template matches, in UTF-16 units of the line, with the values of its named placeholders.
 * @typedef {{start: number, end: number, captures: Map<string, string>}} Span
 */

/** @param {string} text */
export const escapePattern = (text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/**
 * The segments of a template; `patterns` holds the pattern of each type by its number.
 * @param {Part[]} parts
 * @param {string[]} patterns
 * @returns {Segment[]}
 */
export function segments(parts, patterns) {
  /** @type {Part[][]} */
  const found = [[]];
  for (const part of parts) {
    if (part === 0) found.push([]);
    else found.at(-1)?.push(part);
  }
  return found.filter((segment) => segment.length).map((segment) => segmentOf(segment, patterns));
}

/** @type {(parts: Part[], patterns: string[]) => Segment} */
function segmentOf(parts, patterns) {
  if (parts.every((part) => typeof part === "string")) return parts.join("");
  return new RegExp(parts.map((part) => patternOf(part, patterns)).join(""), "gsu");
}

/** @type {(part: Part, patterns: string[]) => string} */
function patternOf(part, patterns) {
  if (typeof part === "string") return escapePattern(part);
  if (typeof part === "number") return `(?:${patterns[part]})`;
  const [number, name] = part;
  return `(?<${name}>${patterns[number]})`;
}

/**
 * The leftmost match of a template.
 *
 * Each segment is looked for after the end of the last one and never moved again: an earlier end leaves more room for the
 * rest, so a second place could not help, and the time stays linear in the line.
 * @param {Segment[]} template
 * @param {string} line
 * @returns {Span | null}
 */
export function walk(template, line) {
  let at = 0;
  let start = -1;
  /** @type {Map<string, string>} */
  const captures = new Map();
  for (const segment of template) {
    let begin = -1;
    let end = -1;
    if (typeof segment === "string") {
      begin = line.indexOf(segment, at);
      end = begin + segment.length;
    } else {
      segment.lastIndex = at;
      const found = segment.exec(line);
      if (found) {
        begin = found.index;
        end = segment.lastIndex;
        for (const [name, value] of Object.entries(found.groups ?? {})) captures.set(name, value);
      }
    }
    if (begin < 0) return null;
    if (start < 0) start = begin;
    at = end;
  }
  return { start, end: at, captures };
}
