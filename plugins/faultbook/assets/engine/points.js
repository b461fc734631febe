// Places and lengths in characters (code points), as the engine in Python counts them; JavaScript counts UTF-16 units.

const PAIR = /[\ud800-\udbff][\udc00-\udfff]/;
const PAIRS = /[\ud800-\udbff][\udc00-\udfff]/g;

/** @param {string} text */
export const length = (text) => (PAIR.test(text) ? text.length - (text.match(PAIRS) ?? []).length : text.length);

/**
 * The first characters of a text.
 * @param {string} text
 * @param {number} count
 */
export function head(text, count) {
  if (text.length <= count) return text;
  return PAIR.test(text) ? [...text].slice(0, count).join("") : text.slice(0, count);
}

/**
 * The characters before a place that is given in units.
 * @param {string} text
 * @param {number} unit
 */
export const placeOf = (text, unit) => (PAIR.test(text) ? length(text.slice(0, unit)) : unit);

/**
 * The units before a place that is given in characters.
 * @param {string} text
 * @param {number} place
 */
export const unitOf = (text, place) => (PAIR.test(text) ? [...text].slice(0, place).join("").length : place);
