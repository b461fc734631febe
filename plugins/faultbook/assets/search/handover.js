// A log on its way to the diagnose page. It travels in the session, never in an address, which servers would log.
import { withParam } from "../address.js";

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
 * Keeps a log and goes to the page that reads it; false where the browser has no room for it.
 * @param {string} text
 * @param {string} address
 */
export function handOver(text, address) {
  try {
    sessionStorage.setItem(KEY, text);
  } catch {
    return false;
  }
  location.assign(address);
  return true;
}

/** The log that another page handed over, once. */
export function takeOver() {
  try {
    const text = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
    return text;
  } catch {
    return null;
  }
}

/**
 * Goes to the diagnose page with a text that was typed.
 * @param {string} text
 * @param {string} address
 */
export function goTo(text, address) {
  if (isShareable(text)) location.assign(withParam(address, "q", text));
  else handOver(text, address);
}
