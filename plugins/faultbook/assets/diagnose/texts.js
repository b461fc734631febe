// The texts of an answer that came from the log, and the words that it shares with similar entries.
import { readWords } from "./entry.js";

/** @typedef {import("./types.js").Diagnosis} Diagnosis */

const MOST = 5;
const WORD = /[A-Za-z][0-9A-Za-z_]{3,40}/g;
// They stand in most lines and on most pages.
const STOP = new Set(
  ["error", "errors", "failed", "from", "with", "that", "this", "when", "have", "rank", "file", "line", "python"].concat(
    ["traceback", "most", "recent", "call", "last", "warning", "exception"],
  ),
);

/**
 * Every text of an answer that is shown or copied, once.
 * @param {Diagnosis} diagnosis
 */
export function textsOf({ answer, details }) {
  const lines = answer.findings.flatMap(({ evidence }) => evidence).concat(answer.error_lines);
  const rows = details.context.flatMap((context) => context.rows);
  const said = [...answer.findings.map(({ why }) => why), ...answer.remarks, ...(answer.missing ? [answer.missing] : [])];
  return [...new Set([...lines.map(({ text }) => text), ...rows.map(({ text }) => text), ...said])];
}

/**
 * The words of the first error lines that each similar entry has too, the longest first.
 * @param {Diagnosis["answer"]} answer
 * @returns {Promise<Map<string, string[]>>}
 */
export async function wordsShared({ similar, error_lines: lines }) {
  const found = lines.flatMap(({ text }) => text.match(WORD) ?? []);
  const words = [...new Map(found.map((word) => [word.toLowerCase(), word]))].filter(([folded]) => !STOP.has(folded));
  words.sort(([a], [b]) => b.length - a.length);
  const rows = similar.map(async ({ entry }) => {
    const text = await readWords(`entries/${encodeURIComponent(entry)}/`);
    const own = new Set((text.match(WORD) ?? []).map((word) => word.toLowerCase()));
    const shared = words.filter(([folded]) => own.has(folded)).map(([, word]) => word);
    return /** @type {const} */ ([entry, shared.slice(0, MOST)]);
  });
  return new Map(await Promise.all(rows));
}
