// Fills the sections of the page with an answer, and shows those that have something to say.
import { start as startCopying } from "../copy.js";
import { all, make } from "../dom.js";
import { start as watchScrollers } from "../scrollers.js";
import { candidateBody, causeBody, downstreamRow, entryLink, episodeRow, linkTo, similarItem } from "./blocks.js";
import { readEntry } from "./entry.js";
import { makeTables } from "./lines.js";
import { makeGrid, sentenceOf } from "./ranks.js";
import { isolated } from "./visible.js";
import { counted } from "./words.js";

/**
 * @typedef {import("./types.js").Answer} Answer
 * @typedef {import("./blocks.js").View} View
 * @typedef {import("./blocks.js").Parts} Parts
 */

const CANDIDATES = 5;

/**
 * What stands in each section, by name; a section without anything stays hidden.
 * @param {View} view
 * @param {Parts[]} parts Of the findings, in order.
 * @returns {Record<string, {body?: (Node | string)[], lines?: Node[], note?: string}>}
 */
function contents(view, parts) {
  const { answer, details } = view.diagnosis;
  const { findings, verdict } = answer;
  const [first] = findings;
  const cause = verdict === "match" && first ? first : null;
  const candidates = findings.filter((finding) => finding !== cause && finding.role !== "downstream").slice(0, CANDIDATES);
  const errors = makeTables(answer.error_lines, view.show);
  return {
    cause: { body: cause ? causeBody(cause, 0, view, parts[0] ?? null) : [] },
    possible: {
      body: candidates.flatMap((found) => candidateBody(found, findings.indexOf(found), view, parts[findings.indexOf(found)] ?? null)),
      note: cause ? "These stand in the log too, but came later or say less." : "The lines fit each of these. The check of each decides.",
    },
    missing: { body: answer.missing ? [isolated(view.show(answer.missing))] : [] },
    errors: { lines: verdict === "match" ? [] : errors },
    downstream: {
      body: findings.filter(({ role }) => role === "downstream").map((finding) => downstreamRow(finding, view)),
      note: cause ? "These follow from the failure above. Fixing them fixes nothing." : "These only report a failure that came before them.",
    },
    ranks: { body: details.ranks.length > 1 ? [makeGrid(details.ranks)] : [], note: sentenceOf(details.ranks) },
    unmatched: { lines: verdict === "match" ? errors : [] },
    similar: { body: answer.similar.map(({ entry }) => similarItem(entry, view)) },
    notices: { body: answer.notices.map((slug) => make("li", "", linkTo(slug, view))) },
    episodes: { body: answer.episodes.length > 1 ? answer.episodes.map((episode) => episodeRow(episode, view)) : [] },
  };
}

/**
 * Reads the pages of the entries whose checks are shown.
 * @param {Answer} answer
 */
export async function readParts({ findings }) {
  const shown = findings.slice(0, CANDIDATES + 1);
  const parts = await Promise.all(shown.map(({ role, url }) => (role === "downstream" ? null : readEntry(url))));
  for (const part of parts) for (const block of [part?.check, part?.fix]) if (block) startCopying(block);
  return parts;
}

/**
 * Shows an answer.
 * @param {HTMLElement} root
 * @param {View} view
 * @param {Parts[]} parts
 */
export function fillAnswer(root, view, parts) {
  const [first] = view.diagnosis.answer.findings;
  for (const head of all("#cause", root)) head.replaceChildren(...(first ? [entryLink(first.url, first.title)] : []));
  for (const [name, content] of Object.entries(contents(view, parts))) {
    const [section] = all(`section[data-fb=${name}]`, root);
    if (!section) continue;
    for (const key of /** @type {const} */ (["body", "lines"])) {
      const filled = content[key];
      const [place] = all(`[data-fb=${key}]`, section);
      if (filled) place?.replaceChildren(...filled);
    }
    for (const note of all("[data-fb=note]", section)) note.textContent = content.note ?? "";
    section.hidden = !(content.body ?? content.lines)?.length;
  }
  watchScrollers(root);
}

/** @type {(answer: Answer) => string[]} */
export function remarksOf({ remarks, episodes }) {
  const attempts = episodes.length > 1 ? [`The log holds ${counted(episodes.length, "attempt")}; the answer is for the last one that failed.`] : [];
  return [...attempts, ...remarks];
}
