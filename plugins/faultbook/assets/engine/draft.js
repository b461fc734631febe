// A proposed entry from the answer to a log. Its twin is `scaffold/draft.py`. It is valid as a draft, and says in its
// comments what is to be done with it. Nothing of the log stands in it unmasked.
import { mask } from "./mask.js";
import { normalise } from "./normalise.js";
import { fittingTemplate } from "./templating.js";

/** @typedef {import("./index.js").Index} Index */
/**
 * @typedef {{error_lines: {text: string}[], findings: {entry: string}[], similar: {entry: string}[]}} Answer
 */

const FURTHER = 4;
const NEAR = 5;
const MOST_TAGS = 4;
const FEWEST_TAGS = 2;
// What stands in YAML as it is; everything else is an escape within double quotes.
const STANDS = /^[\n\t\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]*$/u;

/**
 * The draft for the error lines that no entry describes; nothing if none of them gives a template.
 * @param {Answer} answer
 * @param {Record<string, string>} tags  each with the category that it is nearest to
 * @param {Index} index
 * @param {Record<string, string>} [titles]  of the entries that the answer names
 */
export function draftText(answer, tags, index, titles = titlesOf(index)) {
  const lines = answer.error_lines.map(({ text }) => text);
  const templates = [...new Set(lines.map((line) => template(line, index)).filter((found) => found !== null))];
  if (!templates.length) return null;
  const shown = lines.map((line) => mask(line, index));
  const own = tagsIn(shown, tags);
  const category = tags[own[0] ?? ""] ?? "CATEGORY";
  const rows = [...head(category), ...near(answer, titles), ...fields(own, tags), ...symptoms(templates), ...sample(shown)];
  return `${rows.join("\n")}\n`;
}

/** @param {Index} index */
const titlesOf = (index) => Object.fromEntries(index.entries.map(({ id, title }) => [id, title]));

/** @type {(line: string, index: Index) => string | null} */
function template(line, index) {
  const [event] = normalise([{ number: 0, line: 1, data: new TextEncoder().encode(line) }], index.rules);
  return event ? fittingTemplate(mask(event.text, index), line, index) : null;
}

/** @param {string} category */
const head = (category) => [
  "# yaml-language-server: $schema=../_schema.json",
  `# A draft from a log. Save it as entries/${category}/SLUG.yaml, with a slug that names the cause. Read each`,
  "# line: what varies is a guess, and secrets are masked by rules that do not know them all.",
  "# 'faultbook doctor SLUG' says what is missing.",
];

/** @type {(answer: Answer, titles: Record<string, string>) => string[]} */
function near({ findings, similar }, titles) {
  const slugs = new Set([...findings, ...similar].map(({ entry }) => entry));
  const found = [...slugs].filter((slug) => Object.hasOwn(titles, slug)).slice(0, NEAR);
  if (!found.length) return [];
  const question = "# Is it one of these? Then the lines belong there, as a signature and a sample.";
  return ["#", question, ...found.map((slug) => `# - ${slug}: ${titles[slug]?.trim().replace(/\s+/g, " ")}`)];
}

/** @type {(lines: string[], tags: Record<string, string>) => string[]} */
function tagsIn(lines, tags) {
  const words = new Set(lines.join("\n").toLowerCase().match(/[a-z0-9]+/g));
  const found = Object.keys(tags).sort().filter((tag) => tag.split("-").every((word) => words.has(word)));
  return found.sort((a, b) => b.split("-").length - a.split("-").length).slice(0, MOST_TAGS);
}

/** @type {(own: string[], tags: Record<string, string>) => string[]} */
function fields(own, tags) {
  const category = tags[own[0] ?? ""];
  const near = Object.keys(tags).sort().sort((a, b) => Number(tags[a] !== category) - Number(tags[b] !== category));
  const others = near.filter((tag) => !own.includes(tag));
  const filled = [...own, ...others].slice(0, Math.max(FEWEST_TAGS, own.length));
  const words = own.length >= FEWEST_TAGS ? "their words stand in the lines" : "REPLACE what does not fit";
  return [
    'title: "Cause of the failure, as short as it can be said"',
    "summary: >-",
    "  What happens and why, in one or two sentences of at least sixty characters together.",
    "status: draft",
    `tags: [${filled.join(", ")}] # ${words}; two to eight of entries/_tags.yaml`,
    "impact: [crash] # fails-to-start, crash, hang, slowdown, wrong-results, data-loss, resource-leak",
    "scope: job # rank, job, node, cluster",
  ];
}

/** @param {string[]} templates */
function symptoms([first = "", ...others]) {
  const note = "      # Later error lines. One that only follows from the cause gets 'role: downstream'.";
  return [
    "",
    "symptoms:",
    "  - observed: What the reader sees.",
    "    means: What it says about the cause.",
    "    signatures:",
    `      - text: ${quoted(first)}`,
    ...(others.length ? [note] : []),
    ...others.slice(0, FURTHER).map((other) => `      # - text: ${quoted(other)}`),
  ];
}

/** @param {string[]} lines */
function sample(lines) {
  const log = lines.map((line) => `${line}\n`).join("");
  const [first, ...rest] = literal(log, 6) ?? [quoted(log)];
  return ["", "samples:", "  - expect: match", "    origin: reported", `    log: ${first}`, ...rest];
}

/**
 * A text between double quotes, or between single ones if that saves escapes.
 * @param {string} value
 */
function quoted(value) {
  if (/["\\]/.test(value) && /^[^'\n\t]*$/.test(value) && STANDS.test(value)) return `'${value}'`;
  return [...JSON.stringify(value)].map((char) => (STANDS.test(char) ? char : escaped(char))).join("");
}

/** @param {string} char */
function escaped(char) {
  const code = char.codePointAt(0) ?? 0;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
}

/**
 * A text of several lines as it stands, the sign that begins it first; nothing if it cannot be so.
 * @type {(value: string, indent: number) => string[] | null}
 */
function literal(value, indent) {
  const body = value.replace(/\n+$/, "");
  const ends = value.length - body.length;
  if (!/[^ \t\n]/.test(body) || ends > 1 || !STANDS.test(value)) return null;
  const [first = "", ...rest] = body.split("\n");
  // Where the text does not show how far the block is indented, a digit says it.
  const digit = !first.trim() || first.startsWith(" ") ? "2" : "";
  const rows = [first, ...rest].map((line) => (line ? " ".repeat(indent) + line : ""));
  return [`|${digit}${ends ? "" : "-"}`, ...rows];
}
