// The blocks that an answer is made of: findings with their lines and checks, rows, links.
import { make } from "../dom.js";
import { plain } from "../plain.js";
import { entryAddress, readEntry } from "./entry.js";
import { makeLines, makeTables } from "./lines.js";
import { isolated, visible } from "./visible.js";
import { firstSeen, number, ranksOf } from "./words.js";

/**
 * @typedef {import("./types.js").Diagnosis} Diagnosis
 * @typedef {import("./types.js").Finding} Finding
 * @typedef {{diagnosis: Diagnosis, show: import("./lines.js").Show, nameOf: (slug: string) => string,
 *   sharedOf: (slug: string) => string[]}} View
 * @typedef {Awaited<ReturnType<typeof readEntry>>} Parts
 */

/** @type {(name: string) => SVGElement} */
export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `#fb-i-${name}`);
  svg.setAttribute("class", "fb-i");
  svg.setAttribute("aria-hidden", "true");
  svg.append(use);
  return svg;
}

/** @type {(url: string, text: string, anchor?: string) => HTMLElement} */
export function entryLink(url, text, anchor = "") {
  const address = entryAddress(url);
  if (!address) return make("span", "", plain(text));
  const link = make("a", "", plain(text));
  link.href = address.href + anchor;
  return link;
}

/** @type {(slug: string, view: View) => HTMLElement} */
export const linkTo = (slug, { nameOf }) => entryLink(`entries/${encodeURIComponent(slug)}/`, nameOf(slug));

/** @type {(term: string, text: string | Node) => HTMLElement} */
const pair = (term, text) => make("div", "", make("dt", "", term), make("dd", "", text));

/**
 * The lines of a finding: in place where the answer has their neighbours.
 * @param {number} at
 * @param {View} view
 */
function evidenceOf(at, { diagnosis: { answer, details }, show }) {
  const contexts = details.context.filter(({ finding }) => finding === at);
  const tables = contexts.length
    ? contexts.map(({ file, rows }) => makeLines(file, rows, show))
    : makeTables(answer.findings[at]?.evidence ?? [], show);
  const log = make("div", "fb-log", ...tables);
  log.setAttribute("role", "region");
  log.setAttribute("aria-label", `Evidence lines: ${plain(answer.findings[at]?.title ?? "")}`);
  return log;
}

/**
 * Rank and node of a finding, then what the entry's page says beside its title.
 * @param {Finding} finding
 * @param {View} view
 * @param {Parts} parts
 */
function metaOf({ rank, node, all_ranks: everywhere, entry }, { diagnosis }, parts) {
  const local = diagnosis.details.ranks.find((found) => found.rank === rank && found.entry === entry)?.local ?? null;
  const ranks = everywhere ? "all" : rank === null ? "" : `${rank}${local === null ? "" : ` (local ${local})`}`;
  const own = [ranks && pair("Rank", ranks), node && pair("Node", isolated(node))].filter((found) => found instanceof HTMLElement);
  const pairs = [...own, ...(parts?.meta ?? [])];
  return pairs.length ? [make("dl", "fb-meta", ...pairs)] : [];
}

/** @type {(level: 3 | 4, text: string, id?: string) => HTMLElement} */
function heading(level, text, id = "") {
  const head = make(level === 3 ? "h3" : "h4", "", text);
  if (id) head.id = id;
  return head;
}

/**
 * The check that decides, from the entry's page; without it the words of the index.
 * @param {Finding} finding
 * @param {View} view
 * @param {Parts} parts
 */
function checkOf({ entry, url }, { diagnosis }, parts) {
  if (parts?.check) return parts.check;
  const text = plain(diagnosis.entries[entry]?.check ?? "");
  return make("p", "", ...(text ? [`${text} `] : []), entryLink(url, "Its checklist", "#checklist"));
}

/**
 * @param {Finding} finding
 * @param {number} at
 * @param {View} view
 * @param {Parts} parts
 */
export function causeBody(finding, at, view, parts) {
  const nodes = [
    ...metaOf(finding, view, parts),
    make("p", "", make("strong", "", "Why this one."), " ", isolated(view.show(finding.why))),
    heading(3, "Evidence lines", "lines"),
    evidenceOf(at, view),
    heading(3, "Deciding check", "decide"),
    checkOf(finding, view, parts),
  ];
  if (parts?.fix) nodes.push(heading(3, "Quick fix", "first-aid"), parts.fix);
  if (parts?.alike) nodes.push(heading(3, "Looks alike", "alike"), parts.alike);
  return nodes;
}

/**
 * @param {Finding} finding
 * @param {number} at
 * @param {View} view
 * @param {Parts} parts
 */
export function candidateBody(finding, at, view, parts) {
  const head = make("h3", "", entryLink(finding.url, finding.title));
  return [head, make("p", "", visible(view.show(finding.why))), evidenceOf(at, view), heading(4, "Deciding check"), checkOf(finding, view, parts)];
}

/**
 * @param {Finding} finding
 * @param {View} view
 */
export function downstreamRow(finding, { diagnosis: { answer, details } }) {
  const name = make("th", "", icon("downstream"), " ", entryLink(finding.url, finding.title));
  name.scope = "row";
  // Where no cause is known, the page of a message that reports one is the way to it.
  if (answer.verdict === "unknown") name.append(" ", make("span", "fb-dim", entryLink(finding.url, "how to find its cause", "#checklist")));
  const cells = [
    ["Ranks", ranksOf(finding, details)],
    ["First seen", ...seenFirst(finding, details)],
    ["Lines", number(finding.count)],
  ];
  return asRow(name, cells);
}

/**
 * Where a finding was seen first, its file apart.
 * @param {Finding} finding
 * @param {Diagnosis["details"]} details
 */
function seenFirst(finding, details) {
  const { when, file, line } = firstSeen(finding, details);
  return file === null ? [] : [when, isolated(file), `:${line}`];
}

/**
 * A row that keeps its meaning where its cells become blocks.
 * @param {HTMLTableCellElement} name
 * @param {(string | Node)[][]} cells The name of the column, then what stands in it.
 */
function asRow(name, cells) {
  const row = make("tr", "", name);
  row.setAttribute("role", "row");
  name.setAttribute("role", "rowheader");
  for (const [column, ...content] of cells) {
    const cell = make("td", "", ...content);
    cell.setAttribute("role", "cell");
    cell.dataset.th = `${column}`;
    row.append(cell);
  }
  return row;
}

/**
 * @param {import("./types.js").Episode} episode
 * @param {View} view
 */
export function episodeRow({ file, first_line: first, last_line: last, verdict, entry }, view) {
  const name = make("th", "", `${first} to ${last}`);
  name.scope = "row";
  const word = verdict === "no-failure" ? "no failure found" : "no cause found";
  return asRow(name, [["File", isolated(file)], ["Result", entry ? linkTo(entry, view) : word]]);
}

/**
 * @param {string} slug
 * @param {View} view
 */
export function similarItem(slug, view) {
  const shared = view.sharedOf(slug);
  return make("li", "", linkTo(slug, view), ...(shared.length ? [make("span", "fb-dim", `shares: ${shared.join(", ")}`)] : []));
}
