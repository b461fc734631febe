// Lines that a collector wrapped in JSON.

/** @typedef {import("./rules.js").Rules} Rules */

/** @typedef {{rank?: number, node?: string, stamp?: string, level?: string, kernel?: boolean}} Known */

/** @typedef {Record<string, unknown>} Data */

const MOST_BRACKETS = 200;
const MOST_LINES = 200;
const MOST_IN_FILE = 20_000;
/** Characters of prefixes behind which a record is read, since each of its lines repeats them. */
export const LONGEST_PREFIX = 1_000;
const LONE_SURROGATES = /[\ud800-\udfff]/gu;
// What `strip` takes off in Python, which is not quite what `trim` does.
const BLANK = "\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const OUTER_BLANKS = new RegExp(`^[${BLANK}]+|[${BLANK}]+$`, "g");
const INK = new RegExp(`[^${BLANK}]`);

/** How many lines the records of a file may still give: three bytes may be one, and each becomes an event. */
export class Room {
  #left = MOST_IN_FILE;

  /**
   * The lines of a message, without the middle where they are too many.
   * @param {string} message
   */
  lines(message) {
    const lines = message.replace(/\n+$/, "").split("\n");
    const ends = (this.#left > 0 ? MOST_LINES : 2) / 2;
    const kept = lines.length <= 2 * ends ? lines : [...lines.slice(0, ends), ...lines.slice(-ends)];
    this.#left -= kept.length - 1;
    return kept;
  }
}

/**
 * Whether a text has more than blanks.
 * @param {string} text
 */
export const hasInk = (text) => INK.test(text);

/**
 * The message in a line that is one JSON object, and what else the object knows.
 *
 * A traceback that stands beside the message is put behind it.
 * @param {string} text
 * @param {Rules} rules
 * @returns {{message: string, known: Known} | null}
 */
export function unwrapJson(text, rules) {
  const data = parsed(text);
  const message = data && textOf(data, rules.data.json_text);
  if (!data || message === null) return null;
  const trace = textOf(data, rules.data.json_trace);
  const whole = trace && !message.includes(trace) ? `${message.replace(/\n+$/, "")}\n${trace}` : message;
  const level = (textOf(data, rules.data.json_level) ?? "").toUpperCase();
  const known = {
    rank: rankOf(data, rules.data.json_rank) ?? undefined,
    node: textOf(data, rules.data.json_node) || (podOf(data) ?? undefined),
    stamp: textOf(data, rules.data.json_date) ?? undefined,
    level: Object.hasOwn(rules.data.levels, level) ? rules.data.levels[level] : undefined,
    kernel: textOf(data, rules.data.json_unit) === "kernel" || undefined,
  };
  return { message: whole.replace(LONE_SURROGATES, "\ufffd"), known };
}

/** @type {(text: string) => Data | null} */
function parsed(text) {
  if (!text.includes("{") || !text.includes("}")) return null;
  const stripped = text.replace(OUTER_BLANKS, "");
  if (!stripped.startsWith("{") || !stripped.endsWith("}")) return null;
  if ((stripped.match(/[{[]/g) ?? []).length > MOST_BRACKETS) return null;
  try {
    return JSON.parse(stripped);
  } catch {
    return null;
  }
}

/**
 * The value of the first key that holds a text.
 * @type {(data: Data, keys: string[]) => string | null}
 */
function textOf(data, keys) {
  const key = keys.find((name) => Object.hasOwn(data, name) && typeof data[name] === "string");
  return key === undefined ? null : String(data[key]);
}

/**
 * The value of the first key that holds a whole number.
 * @type {(data: Data, keys: string[]) => number | null}
 */
function rankOf(data, keys) {
  for (const key of keys) {
    const value = Object.hasOwn(data, key) ? data[key] : null;
    if (typeof value === "boolean") return null;
    if (typeof value === "number" && Number.isInteger(value)) return value >= 0 && value < 1_000_000 ? value : null;
  }
  return null;
}

/** @type {(data: Data) => string | null} */
function podOf(data) {
  const kubernetes = Object.hasOwn(data, "kubernetes") ? data.kubernetes : null;
  const known = typeof kubernetes === "object" && kubernetes && !Array.isArray(kubernetes) ? kubernetes : {};
  return textOf(/** @type {Data} */ (known), ["pod_name"]);
}
