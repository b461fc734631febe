// The report: an answer as Markdown, for a ticket or a chat.
import { plain } from "../plain.js";
import { visible } from "./visible.js";
import { factsOf, firstSeen, ranksOf, summaryOf, verdictOf, whereOf } from "./words.js";

/** @typedef {import("./types.js").Diagnosis} Diagnosis */
/** @typedef {import("./types.js").Finding} Finding */
/** @typedef {import("./lines.js").Show} Show */

/**
 * Text of a log that Markdown must leave alone: the fence is longer than any within.
 * @param {string} text
 */
export function fenced(text) {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}

/**
 * Words within a line of Markdown.
 * @param {string} text
 */
export const escaped = (text) => text.replace(/\s+/g, " ").replace(/[\\`*_[\]<>|#&]/g, "\\$&");

/**
 * Lines with their places, one file after the other.
 * @param {import("./types.js").Line[]} lines
 * @param {Show} show
 */
function quoted(lines, show) {
  const files = [...new Set(lines.map(({ file }) => file))];
  return files.flatMap((file) => {
    const own = lines.filter((line) => line.file === file).sort((a, b) => a.line - b.line);
    return [`${escaped(file)}:`, fenced(own.map(({ line, text }) => `${line}: ${show(text).slice(0, 2000)}`).join("\n"))];
  });
}

/** @type {(diagnosis: Diagnosis, root: URL) => (finding: Finding) => string} */
const downstreamLine = ({ details }, root) => (finding) => {
  const ranks = ranksOf(finding, details);
  const { when, file, line } = firstSeen(finding, details);
  const facts = [ranks && `ranks ${ranks}`, file !== null && `${when}${file}:${line}`, `${finding.count} lines`].filter(Boolean);
  return `- [${escaped(plain(finding.title))}](${new URL(finding.url, root).href}): ${escaped(facts.join("; "))}`;
};

/**
 * The report of an answer.
 * @param {Diagnosis} diagnosis
 * @param {{files: number, root: URL, show: Show, lines: (at: number) => import("./types.js").Line[]}} options
 *   `lines` gives what is shown of a finding.
 */
export function makeReport(diagnosis, { files, root, show, lines }) {
  const { answer } = diagnosis;
  const [strong, rest] = verdictOf(answer);
  const causes = answer.findings.filter(({ role }) => role !== "downstream");
  const downstream = answer.findings.filter(({ role }) => role === "downstream");
  const blocks = [`## ${strong}${rest ? ` ${escaped(rest)}` : ""}`, escaped(factsOf(diagnosis, files).join(", "))];
  const summary = summaryOf(answer);
  if (summary) blocks.push(summary);
  for (const finding of causes) {
    const title = `### [${escaped(plain(finding.title))}](${new URL(finding.url, root).href})`;
    blocks.push(title, `${escaped(show(finding.why))} ${escaped(whereOf(finding))}`.trim());
    blocks.push(...quoted(lines(answer.findings.indexOf(finding)), show));
  }
  if (answer.missing) blocks.push("### What is missing", escaped(show(answer.missing)));
  if (downstream.length) blocks.push("### Only downstream", downstream.map(downstreamLine(diagnosis, root)).join("\n"));
  const matched = answer.verdict === "match";
  const errors = answer.error_lines;
  if (errors.length) blocks.push(matched ? "### Unmatched error lines" : "### First error lines", ...quoted(errors, show));
  if (answer.remarks.length) blocks.push(answer.remarks.map((remark) => `- ${escaped(show(remark))}`).join("\n"));
  return visible(`${blocks.join("\n\n")}\n`);
}
