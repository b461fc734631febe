// The entries whose names come nearest to a mistyped one.
import { fold, words } from "./fold.js";

/** @typedef {{slug: string, title: string, url: string, aliases: string[]}} Named */

const LIMIT = 5;
const NEAR = 0.6;

/**
 * The number of single-character changes between two texts.
 * @param {string} a
 * @param {string} b
 */
export function editDistance(a, b) {
  let row = [...b, ""].map((_, at) => at);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      next.push(Math.min((row[j] ?? 0) + Number(letter !== other), (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** @type {(a: string, b: string) => number} */
function likeness(a, b) {
  const [short, long] = [a.length, b.length].sort((m, n) => m - n);
  return long && short && short / long >= NEAR ? 1 - editDistance(a, b) / long : 0;
}

/** @type {(a: string, b: string) => boolean} */
const sameWord = (a, b) => a === b || (a.length > 4 && Math.abs(a.length - b.length) < 2 && editDistance(a, b) === 1);

/** @type {(wanted: string[], own: string[]) => number} */
function sharedWords(wanted, own) {
  const found = wanted.filter((word) => own.some((other) => sameWord(word, other))).length;
  // One word in common says little where the other name has many.
  return found / (found > 1 ? wanted.length : Math.max(wanted.length, own.length));
}

/** @type {(wanted: string, entry: Named) => number} */
function score(wanted, entry) {
  const names = [entry.slug, entry.title, ...entry.aliases].map(fold);
  return Math.max(...names.flatMap((name) => [likeness(wanted, name), 0.95 * sharedWords(words(wanted), words(name))]));
}

/**
 * The nearest entries, best first; none where nothing is near.
 * @param {string} name
 * @param {Named[]} entries
 */
export function nearest(name, entries) {
  const wanted = fold(name);
  return entries
    .map((entry) => ({ entry, score: wanted ? score(wanted, entry) : 0 }))
    .filter((rated) => rated.score >= NEAR)
    .sort((a, b) => b.score - a.score || (a.entry.slug < b.entry.slug ? -1 : 1))
    .slice(0, LIMIT)
    .map((rated) => rated.entry);
}

/**
 * The last part of a path that names something: `/entries/a-b/` and `/entries/a-b/index.html` give `a-b`.
 * @param {string} path
 */
export function lastName(path) {
  const part = path.replace(/(\/index)?\.(html|md|json)$/, "").split("/").filter(Boolean).at(-1) ?? "";
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
