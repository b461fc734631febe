// A log on its way to the diagnose page. It travels in the session, never in an address, which servers would log.
import { withParam } from "../address.js";

/** @typedef {{name: string, text: string}} Text */

/** The name of a text that came from no file. */
export const PASTED = "pasted text";

const KEY = "faultbook-log";
const LINES = 2;
const SHAREABLE = 80;

/**
 * Whether a text is a log to diagnose, and not a word or a line to search for.
 * @param {string} text
 */
export const isLog = (text) => text.trim().split(/\r\n?|\n/, LINES + 1).length > LINES;

/**
 * Whether a text may stand in an address. A long line holds names of hosts and paths, if not worse.
 * @param {string} text
 */
export const isShareable = (text) => text.length <= SHAREABLE && !text.includes("\n");

/**
 * Keeps texts in the session; false where the browser has no room for them.
 * @param {Text[]} texts
 */
export function keep(texts) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(texts));
    return true;
  } catch {
    forget();
    return false;
  }
}

/** Removes what was kept. */
export function forget() {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // Where nothing can be kept there is nothing to remove.
  }
}

/**
 * The texts that were kept; none if nothing was.
 * @returns {Text[]}
 */
export function kept() {
  try {
    const texts = JSON.parse(sessionStorage.getItem(KEY) ?? "[]");
    return Array.isArray(texts) ? texts : [];
  } catch {
    return [];
  }
}

/**
 * The address of the diagnose page that shows the texts that were kept, also when a reader comes back to it.
 * @param {string} address
 * @param {boolean} [shown]
 */
export const withKept = (address, shown = true) => withParam(address, "log", shown ? "kept" : "");

/**
 * Goes to the page that reads logs, with a log; false where the browser has no room for it.
 * @param {Text[]} texts
 * @param {string} address
 */
export function handOver(texts, address) {
  if (!keep(texts)) return false;
  location.assign(withKept(address));
  return true;
}

/**
 * Goes to the diagnose page with a text that was typed.
 * @param {string} text
 * @param {string} address
 */
export function goTo(text, address) {
  if (isShareable(text)) location.assign(withParam(address, "q", text));
  else handOver([{ name: PASTED, text }], address);
}
