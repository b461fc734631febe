// Comparisons of `only_if`: between what a template captured and constants.

/** @typedef {["capture" | "constant", string]} Operand */

/**
 * `[left, operator, right, reading]`; the reading says what both sides are: `number`, `version` or `text`.
 * @typedef {[Operand, string, Operand, string]} Comparison
 */

const SIZE = /^([+-]?(?:[0-9]{1,20}(?:\.[0-9]{0,20})?|\.[0-9]{1,20})(?:[eE][+-]?[0-9]{1,4})?) ?([A-Za-z]{1,5})?$/;
const VERSION = /^[0-9]{1,9}(?:\.[0-9]{1,9}){0,6}$/;
const UNITS = new Map([
  ["", 1],
  ["b", 1],
  ["byte", 1],
  ["bytes", 1],
  ...["k", "m", "g", "t", "p"].flatMap((letter, power) => [
    /** @type {[string, number]} */ ([`${letter}b`, 1000 ** (power + 1)]),
    /** @type {[string, number]} */ ([`${letter}ib`, 1024 ** (power + 1)]),
  ]),
]);

/**
 * Whether a comparison holds; a value that is missing or cannot be read makes it fail.
 * @param {Comparison} comparison
 * @param {Map<string, string>} captures
 */
export function holds([left, operator, right, reading], captures) {
  const one = valueOf(left, captures);
  const other = valueOf(right, captures);
  if (one === undefined || other === undefined) return false;
  if (reading === "text") return operator === "==" ? one === other : operator === "!=" && one !== other;
  const read = reading === "number" ? numberOf : versionOf;
  const [first, second] = [read(one), read(other)];
  return first !== null && second !== null && ordered(compareLists(first, second), operator);
}

/** @type {(side: Operand, captures: Map<string, string>) => string | undefined} */
const valueOf = ([kind, value], captures) => (kind === "capture" ? captures.get(value) : value);

/** @type {(order: number, operator: string) => boolean} */
function ordered(order, operator) {
  switch (operator) {
    case "==":
      return order === 0;
    case "!=":
      return order !== 0;
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    case ">":
      return order > 0;
    default:
      return order >= 0;
  }
}

/**
 * Below, at or above 0 as the first list comes before, with or after the second; a list comes after its own beginning.
 * @param {number[]} one
 * @param {number[]} other
 */
export function compareLists(one, other) {
  for (const [at, value] of one.entries()) {
    const against = other[at];
    if (against === undefined) return 1;
    if (value !== against) return value < against ? -1 : 1;
  }
  return one.length - other.length;
}

/** @param {string} text */
const trimmed = (text) => text.replace(/^[ \t]+|[ \t]+$/g, "");

/**
 * A number or a size in bytes.
 * @param {string} text
 */
function numberOf(text) {
  const found = SIZE.exec(trimmed(text));
  const unit = UNITS.get((found?.[2] ?? "").toLowerCase());
  return found && unit ? [Number(found[1]) * unit] : null;
}

/**
 * The release numbers of a version without its local part and without trailing zeros, which PEP 440 ignores.
 * @param {string} text
 */
function versionOf(text) {
  const [release = ""] = trimmed(text).split("+");
  if (!VERSION.test(release)) return null;
  const numbers = release.split(".").map(Number);
  while (numbers.at(-1) === 0) numbers.pop();
  return numbers;
}
