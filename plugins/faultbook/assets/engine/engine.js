// The engine: from logs to the answer, and from a query to entries. It knows no page; a worker or Node may run it.
import { SCHEMA, Teller } from "./answer.js";
import { attribute, SHORT } from "./attribute.js";
import { detailsOf } from "./details.js";
import { episodes } from "./episodes.js";
import { Index } from "./index.js";
import { match, Streams } from "./match.js";
import { normalise } from "./normalise.js";
import { overcome } from "./progress.js";
import { scan } from "./scan.js";
import { NO_SIGNS, readSigns } from "./signs.js";
import { similar } from "./textsearch.js";

export { Index } from "./index.js";
export { mask, maskWithSpans } from "./mask.js";
export { search } from "./textsearch.js";

/** @typedef {import("./answer.js").Answer} Answer */
/** @typedef {import("./attribute.js").Verdict} Verdict */
/** @typedef {import("./details.js").Details} Details */
/** @typedef {import("./episodes.js").Episode} Episode */
/** @typedef {import("./match.js").Hit} Hit */
/** @typedef {import("./normalise.js").Event} Event */
/** @typedef {import("./scan.js").Scanned} Scanned */
/** @typedef {import("./signs.js").Signs} Signs */

/** A log: the name to show, and its bytes. @typedef {{name: string, stream: ReadableStream<Uint8Array>}} Input */

/**
 * `onProgress` gets the bytes read so far of all files as they are, compressed or not; `context` is the number of lines
 * shown on either side of a hit.
 * @typedef {{onProgress?: (bytes: number) => void, signal?: AbortSignal, context?: number}} Options
 */

/** @typedef {{episode: Episode, verdict: Verdict, signs: Signs, hits: Hit[]}} Attempt */

const SIMILAR_LINES = 3;

/** What an empty log shows. @type {Attempt} */
const NOTHING = {
  episode: { positions: [], places: [] },
  verdict: { verdict: "no-failure", failures: [], reasons: [], notices: [] },
  signs: NO_SIGNS,
  hits: [],
};

/**
 * Read what the site published: `index.json` and, to search by words, `search.json`.
 * @param {import("./index.js").IndexData} index
 * @param {import("./index.js").SearchData | null} search
 */
export const loadIndex = (index, search = null) => new Index(index, search);

/**
 * Diagnose one incident, of which each file is a log; rejects with the signal's reason if it is aborted.
 * @param {Input[]} files
 * @param {Index} index
 * @param {Options} options
 * @returns {Promise<{answer: Answer, details: Details}>}
 */
export async function diagnose(files, index, { onProgress, signal, context = 2 } = {}) {
  const started = performance.now();
  /** @type {Scanned[]} */
  const scans = [];
  let done = 0;
  for (const { stream } of files) {
    let read = 0;
    const onRead = (/** @type {number} */ bytes) => onProgress?.(done + (read = bytes));
    scans.push(await scan(stream, index.finder, index.rules, { onRead, signal }));
    done += read;
  }
  const events = scans.flatMap(({ pieces }, file) =>
    ofRank(normalise(pieces, index.rules, file), files[file]?.name ?? "", index),
  );
  const names = files.map(({ name }) => name);
  const { answer, details } = judge(events, names, index, context);
  const stats = {
    lines: scans.reduce((sum, { lines }) => sum + lines, 0),
    bytes: scans.reduce((sum, { reading }) => sum + reading.bytes, 0),
    seconds: Math.round(performance.now() - started) / 1000,
  };
  return { answer: { ...answer, remarks: remarksOf(scans, names, index), stats }, details };
}

/**
 * The events of a file, whose name tells the rank of lines that do not tell it.
 * @type {(events: Event[], name: string, index: Index) => Event[]}
 */
function ofRank(events, name, { rules }) {
  const found = rules.pattern("file_rank").exec(name);
  if (!found) return events;
  const rank = Number(found.groups?.rank);
  return events.map((event) => (event.rank === null && !event.kernel ? { ...event, rank } : event));
}

/**
 * Diagnose events; the answer lacks remarks and what was counted while reading.
 * @param {Event[]} events
 * @param {string[]} names
 * @param {Index} index
 * @param {number} context
 */
export function judge(events, names, index, context = 2) {
  const streams = new Streams(events);
  /** @type {Map<number, Hit[]>} */
  const hits = new Map();
  for (const hit of match(events, index, streams)) hits.set(hit.at, [...(hits.get(hit.at) ?? []), hit]);
  const teller = new Teller(events, names, index);
  const attempts = episodes(events, index.rules).map((one) => attempt(events, streams.places, hits, one, index));
  const failed = attempts.filter(({ verdict }) => verdict.verdict !== "no-failure");
  const told = failed.at(-1) ?? attempts.at(-1) ?? NOTHING;
  const answer = answerOf(told, teller, index);
  if (attempts.length > 1) answer.episodes = attempts.flatMap((one) => episodeRows(one, teller));
  return { answer, details: detailsOf(told.verdict, told.signs, teller, context) };
}

/** @type {(events: Event[], places: number[], hits: Map<number, Hit[]>, episode: Episode, index: Index) => Attempt} */
function attempt(events, places, hits, episode, index) {
  const own = episode.positions.flatMap((at) => hits.get(at) ?? []);
  const read = readSigns(events, episode.positions, index.rules, new Set(own.map(({ at }) => at)));
  const over = overcome(events, episode.positions, own, read, index);
  const standing = own.filter(({ signature }) => !over.has(index.signatures[signature]?.entry ?? 0));
  const left = new Set(standing.map(({ at }) => at));
  const gone = new Set(own.map(({ at }) => at).filter((at) => !left.has(at)));
  const signs = { ...read, errors: read.errors.filter((at) => !gone.has(at)) };
  const verdict = attribute(events, places, standing, signs, index, events.length <= SHORT);
  const notices = [...new Set([...verdict.notices, ...over])].sort((one, other) => one - other);
  return { episode, verdict: { ...verdict, notices }, signs, hits: own };
}

/** @type {(told: Attempt, teller: Teller, index: Index) => Answer} */
function answerOf({ verdict, signs, hits }, teller, index) {
  const covered = new Set(hits.flatMap(({ at, end }) => [at, end]));
  const errors = verdict.verdict === "no-failure" ? [] : teller.errorLines(signs, covered);
  const words = errors.slice(0, SIMILAR_LINES).map(({ text }) => text);
  return {
    schema: SCHEMA,
    verdict: verdict.verdict,
    findings: teller.findings(verdict, signs),
    notices: verdict.notices.map((entry) => teller.entry(entry).id),
    error_lines: errors,
    similar: verdict.verdict === "unknown" && words.length ? similar(index, words.join("\n")) : [],
    missing: teller.missing(verdict, signs),
    episodes: [],
    remarks: [],
    stats: { lines: 0, bytes: 0, seconds: 0 },
  };
}

/** @type {(attempt: Attempt, teller: Teller) => Answer["episodes"]} */
function episodeRows({ episode, verdict }, teller) {
  const [first] = verdict.failures;
  return episode.places.map((place) => ({
    file: teller.names[place.file] ?? "",
    first_line: place.first,
    last_line: place.last,
    verdict: verdict.verdict,
    entry: first ? teller.entry(first.entry).id : null,
  }));
}

/** @type {(scans: Scanned[], names: string[], index: Index) => string[]} */
function remarksOf(scans, names, index) {
  return scans.flatMap(({ reading }, at) => {
    const found = [...reading.remarks, ...(reading.bytes ? [] : ["empty"])];
    return found.map((name) => (index.rules.data.phrases[`remark-${name}`] ?? "").replaceAll("{file}", () => names[at] ?? ""));
  });
}
