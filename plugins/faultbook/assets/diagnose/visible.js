// Texts of logs as a reader can trust them: what has no shape, or turns the order of letters, is written as an escape.
import { make } from "../dom.js";

// Tabs and line breaks are laid out, and do no harm.
const HIDDEN = /[^\P{C}\t\n]|[\u2028\u2029]/gu;

/**
 * An escape as Python and the command line write it.
 * @param {string} char
 */
function escapeOf(char) {
  const code = char.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  if (char === "\r") return "\\r";
  if (code < 0x100) return `\\x${digits.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${digits.padStart(4, "0")}` : `\\U${digits.padStart(8, "0")}`;
}

/**
 * A text of a log with its controls, bidirectional ones among them, as escapes.
 * @param {string} text
 */
export const visible = (text) => text.replace(HIDDEN, escapeOf);

/**
 * A name from a log within other words, whose order it cannot change.
 * @param {string} name
 */
export const isolated = (name) => make("bdi", "", visible(name));
