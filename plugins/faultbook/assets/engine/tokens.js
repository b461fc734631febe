// Cut text into the terms under which entries are found; only ASCII classes, so that every engine cuts alike.

/**
 * A word as it stands in a text, with the terms that it gives: itself in small letters, then its parts.
 * @typedef {{start: number, end: number, terms: string[]}} Token
 */

const TOKEN = /[0-9]+(?:\.[0-9]+)+|[0-9A-Za-z]+(?:[_-]+[0-9A-Za-z]+)*/g;
const PARTS = /[A-Z]{2,}(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z]+[0-9]*/g;
const PLAIN = /^(?:[0-9.]+|[0-9a-z]+|[0-9A-Z]+)$/;
const FOLDERS = /(?:\/[0-9A-Za-z_.+~@-]{1,255}){1,64}\//g;
const NUMBER = /^[0-9]+(?:\.[0-9]+)*$/;
const ADDRESS = /^(?:0x[0-9a-f]+|(?=.*[0-9])[0-9a-f]{8,})$/;
const LONGEST = 40;

/**
 * The words of a text; those joined by `-`, `_` or a change of case also give their parts.
 * @param {string} text
 * @returns {Token[]}
 */
export function tokens(text) {
  return [...text.matchAll(TOKEN)].map((found) => ({
    start: found.index,
    end: found.index + found[0].length,
    terms: termsOf(found[0]),
  }));
}

/**
 * The words of an error line but for what varies: addresses, folders, numbers unless a telling word precedes.
 * @param {string} text
 * @param {string[]} telling
 */
export function maskedTokens(text, telling) {
  // The folders become blanks one by one, so that the places of the other words stay.
  const found = tokens(text.replace(FOLDERS, (folders) => " ".repeat(folders.length)));
  return found.filter(({ terms: [word = ""] }, at) => {
    const before = found[at - 1]?.terms[0] ?? "";
    return !ADDRESS.test(word) && (!NUMBER.test(word) || telling.includes(before));
  });
}

/** @param {string} word */
function termsOf(word) {
  const pieces = word.split(/[_-]+/);
  const whole = folded(pieces.join(""));
  if (PLAIN.test(word)) return [whole];
  const parts = pieces.flatMap(partsOf).map(folded);
  return [...new Set([whole, ...parts.filter((part) => part.length > 1)])];
}

/** @param {string} piece */
function partsOf(piece) {
  const parts = piece.match(PARTS) ?? [];
  return parts.length < 2 ? parts : [piece, ...parts];
}

/**
 * The word in small letters, without the ending of a plural, cut where nobody reads on.
 * @param {string} text
 */
function folded(text) {
  const word = text.toLowerCase().slice(0, LONGEST);
  if (word.length < 4 || !word.endsWith("s") || /[sui0-9]s$/.test(word)) return word;
  if (word.endsWith("ies") && word.length > 4) return `${word.slice(0, -3)}y`;
  return /(?:ss|x|sh|tch)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}
