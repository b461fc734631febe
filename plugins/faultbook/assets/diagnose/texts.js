// The texts of an answer that came from the log, and the words that it shares with similar entries.
import { request } from "../search/client.js";

/** @typedef {import("./types.js").Diagnosis} Diagnosis */

const LONGEST_QUERY = 2000;
const MOST = 5;

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
 * The words of the first error lines by which each similar entry was found.
 * @param {Diagnosis["answer"]} answer
 * @returns {Promise<Map<string, string[]>>}
 */
export async function wordsShared({ similar, error_lines: lines }) {
  if (!similar.length) return new Map();
  const query = lines.map(({ text }) => text).join("\n").slice(0, LONGEST_QUERY).trim();
  try {
    const { results } = await request({ type: "search", query, limit: 50 });
    return new Map(results.map((/** @type {{entry: string, spans: [number, number][]}} */ { entry, spans }) => {
      return [entry, [...new Set(spans.map(([from, to]) => query.slice(from, to)))].slice(0, MOST)];
    }));
  } catch {
    return new Map();
  }
}
