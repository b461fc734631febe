// The page's end of the engine's worker, which is started by the first request.

/**
 * @typedef {{onProgress?: (read: {bytes: number, total: number}) => void, signal?: AbortSignal}} Options
 * @typedef {{resolve: (data: any) => void, reject: (error: Error) => void, onProgress?: Options["onProgress"]}} Call
 */

const ENGINE = new URL("../engine/worker.js", import.meta.url);
const DATA = { index: new URL("../index.json", import.meta.url).href, search: new URL("../search.json", import.meta.url).href };

/** @type {Worker | undefined} */
let worker;

/** @type {Map<number, Call>} */
const waiting = new Map();
let last = 0;

/**
 * Lets the next request start anew.
 * @param {Error} error
 */
function giveUp(error) {
  worker?.terminate();
  worker = undefined;
  for (const call of waiting.values()) call.reject(error);
  waiting.clear();
}

/** @param {MessageEvent} event */
function receive({ data }) {
  const call = waiting.get(data.id);
  if (!call) return;
  if (data.type === "progress") {
    call.onProgress?.(data);
    return;
  }
  waiting.delete(data.id);
  if (data.type === "error") call.reject(new Error(data.message));
  else call.resolve(data);
}

/**
 * @param {Worker} to
 * @param {object} message
 * @param {Options} options
 * @returns {Promise<any>}
 */
function send(to, message, { onProgress, signal } = {}) {
  last += 1;
  const id = last;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject, onProgress });
    signal?.addEventListener("abort", () => {
      to.postMessage({ id, type: "cancel" });
      if (waiting.delete(id)) reject(new DOMException("cancelled", "AbortError"));
    });
    to.postMessage({ id, ...message });
  });
}

/** Starts the worker and loads the index, unless that is done. */
export function warmUp() {
  if (worker) return worker;
  const started = new Worker(ENGINE, { type: "module" });
  worker = started;
  started.addEventListener("message", receive);
  started.addEventListener("error", () => giveUp(new Error("the engine could not be started; reload the page")));
  send(started, { type: "load", ...DATA }).catch(giveUp);
  return started;
}

/**
 * The answer of the engine to a message.
 * @param {object} message
 * @param {Options} [options]
 */
export function request(message, options) {
  return send(warmUp(), message, options);
}
