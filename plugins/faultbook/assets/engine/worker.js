// The engine in a worker, so that the page stays quick while a log is read. Started as a module worker:
//   new Worker(new URL("engine/worker.js", import.meta.url), { type: "module" })
//
// Each message has an `id` that the page chose; what comes back has the `id` of what it answers.
//
//   to the worker                                                  back
//   {id, type: "load", index: address, search: address | null}     {id, type: "ready", entries: number}
//   {id, type: "diagnose", files: Source[], context?: number}      {id, type: "progress", bytes, total} some times, then
//                                                                  {id, type: "answer", answer, details, entries}
//   {id, type: "search", query: string, limit?: number}            {id, type: "answer", results}
//   {id, type: "mask", texts: string[]}                            {id, type: "answer", texts}
//   {id, type: "draft", answer, tags: Record<tag, category>}       {id, type: "answer", text: string | null}
//   {id, type: "cancel"} with the id of the work to give up        {id, type: "cancelled"}, or nothing if it had ended
//   whatever fails                                                 {id, type: "error", message}
//
// A source is {name, file: File | Blob} or {name, text}; several are one incident. `bytes` counts what was read of the
// files as they are, compressed or not, out of `total`. Work sent before "ready" waits for the index; a second "load"
// replaces it. `answer` and `details` are those of docs/engine.md, `entries` the cards of the entries named in them, by
// slug, as in index.json. Nothing is masked: texts that are shown or copied go through "mask" first.
import { draftText } from "./draft.js";
import { diagnose, loadIndex, mask, search } from "./engine.js";

/**
 * @typedef {{name: string, file?: Blob, text?: string}} Source
 * @typedef {{id: number | string, type: "load", index: string, search: string | null}} Load
 * @typedef {{id: number | string, type: "diagnose", files: Source[], context?: number}} Diagnose
 * @typedef {{id: number | string, type: "search", query: string, limit?: number}} Search
 * @typedef {{id: number | string, type: "mask", texts: string[]}} Mask
 * @typedef {{id: number | string, type: "draft", answer: import("./draft.js").Answer, tags: Record<string, string>}} Draft
 * @typedef {{id: number | string, type: "cancel"}} Cancel
 * @typedef {Load | Diagnose | Search | Mask | Draft | Cancel} Message
 * @typedef {import("./engine.js").Index} Index
 */

/** @type {Map<number | string, AbortController>} */
const running = new Map();

/** @type {Promise<Index>} */
let loaded = Promise.reject(new Error("no index is loaded; send 'load' first"));
loaded.catch(() => {});

/** @param {string} address */
async function fetchJson(address) {
  const response = await fetch(address, { credentials: "same-origin" });
  if (!response.ok) throw new Error(`'${address}' could not be read: ${response.status}`);
  return response.json();
}

/** @param {Load} message */
async function load(message) {
  const parts = [fetchJson(message.index), message.search === null ? null : fetchJson(message.search)];
  loaded = Promise.all(parts).then(([index, words]) => loadIndex(index, words));
  return { type: "ready", entries: (await loaded).entries.length };
}

/** @param {Source} source */
const asInput = ({ name, file, text }) => ({ name, stream: (file ?? new Blob([text ?? ""])).stream() });

/**
 * @param {Diagnose} message
 * @param {AbortSignal} signal
 */
async function runDiagnose({ id, files, context }, signal) {
  const index = await loaded;
  const total = files.reduce((sum, { file, text }) => sum + (file?.size ?? new Blob([text ?? ""]).size), 0);
  const onProgress = (/** @type {number} */ bytes) => postMessage({ id, type: "progress", bytes, total });
  const { answer, details } = await diagnose(files.map(asInput), index, { onProgress, signal, context });
  const named = [...answer.findings, ...answer.similar].map((found) => found.entry).concat(answer.notices);
  const entries = Object.fromEntries(index.entries.filter(({ id }) => named.includes(id)).map((card) => [card.id, card]));
  return { type: "answer", answer, details, entries };
}

/**
 * @param {Exclude<Message, Cancel>} message
 * @param {AbortSignal} signal
 */
async function work(message, signal) {
  switch (message.type) {
    case "load":
      return load(message);
    case "diagnose":
      return runDiagnose(message, signal);
    case "search":
      return { type: "answer", results: search(await loaded, message.query, message.limit) };
    case "mask": {
      const index = await loaded;
      return { type: "answer", texts: message.texts.map((text) => mask(text, index)) };
    }
    case "draft":
      return { type: "answer", text: draftText(message.answer, message.tags, await loaded) };
  }
}

/** @param {Exclude<Message, Cancel>} message */
async function handle(message) {
  const control = new AbortController();
  running.set(message.id, control);
  try {
    const result = await work(message, control.signal);
    postMessage(control.signal.aborted ? { id: message.id, type: "cancelled" } : { id: message.id, ...result });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    postMessage({ id: message.id, ...(control.signal.aborted ? { type: "cancelled" } : { type: "error", message: text }) });
  } finally {
    running.delete(message.id);
  }
}

addEventListener("message", ({ data }) => {
  const message = /** @type {Message} */ (data);
  if (message.type === "cancel") running.get(message.id)?.abort();
  else void handle(message);
});
