// Lines that a collector wrapped in JSON.

/** @typedef {import("./rules.js").Rules} Rules */

/** @typedef {{rank?: number, node?: string, stamp?: string, level?: string}} Known */

const MOST_BRACKETS = 200;
const LONE_SURROGATES = /[\ud800-\udfff]/gu;
// What Python's `strip` takes off, which is not quite what `trim` does.
const OUTER_BLANKS = /^[\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+|[\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/g;

/**
 * The message in a line that is one JSON object, and the object.
 * @param {string} text
 * @param {Rules} rules
 */
export function messageOf(text, rules) {
  if (!text.includes("{") || !text.includes("}")) return null;
  const stripped = text.replace(OUTER_BLANKS, "");
  if (!stripped.startsWith("{") || !stripped.endsWith("}")) return null;
  if ((stripped.match(/[{[]/g) ?? []).length > MOST_BRACKETS) return null;
  const data = parsed(stripped);
  const message = data && first(data, rules.data.json_text, isText);
  return data && typeof message === "string" ? { message: message.replace(LONE_SURROGATES, "\ufffd"), data } : null;
}

/** @type {(text: string) => Record<string, unknown> | null} */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * What else the object knows.
 * @param {Record<string, unknown>} data
 * @param {Rules} rules
 * @returns {Known}
 */
export function knownOf(data, rules) {
  const rank = first(data, rules.data.json_rank, (value) => Number.isInteger(value) || typeof value === "boolean");
  const level = first(data, rules.data.json_level, isText);
  const node = first(data, rules.data.json_node, isText) || pod(data);
  const stamp = first(data, rules.data.json_date, isText);
  return {
    rank: typeof rank === "number" && rank >= 0 && rank < 1_000_000 ? rank : undefined,
    node: typeof node === "string" ? node : undefined,
    stamp: typeof stamp === "string" ? stamp : undefined,
    level: typeof level === "string" ? rules.data.levels[level.toUpperCase()] : undefined,
  };
}

/** @param {unknown} value */
const isText = (value) => typeof value === "string";

/**
 * The value of the first key that holds one of that kind.
 * @type {(data: Record<string, unknown>, keys: string[], fits: (value: unknown) => boolean) => unknown}
 */
function first(data, keys, fits) {
  const key = keys.find((name) => Object.hasOwn(data, name) && fits(data[name]));
  return key === undefined ? undefined : data[key];
}

/** @param {Record<string, unknown>} data */
function pod(data) {
  const kubernetes = Object.hasOwn(data, "kubernetes") ? data.kubernetes : null;
  if (typeof kubernetes !== "object" || kubernetes === null || Array.isArray(kubernetes)) return undefined;
  return Object.hasOwn(kubernetes, "pod_name") ? /** @type {Record<string, unknown>} */ (kubernetes).pod_name : undefined;
}
