// Take prefixes off lines: those of launchers, loggers and collectors.
import { readTime } from "./clock.js";
import { matchStart } from "./rules.js";

/** @typedef {import("./rules.js").Rules} Rules */
/** @typedef {import("./rules.js").Prefix} Prefix */
/** @typedef {import("./clock.js").Time} Time */
/** @typedef {import("./clock.js").Groups} Groups */

/**
 * What the prefixes of a line say.
 * @typedef {object} Found
 * @property {string} [rank]
 * @property {string} [local]
 * @property {string} [node]
 * @property {string} [pid]
 * @property {string} [level]
 * @property {Time} [time]
 * @property {boolean} [kernel]
 */

/** @typedef {{prefix: Prefix, groups: Groups, rest: string}} Taken */

const FEWEST_VOTES = 4;
const MOST_PREFIXES = 32;

/**
 * Prefixes that look like words of a message, and that too few lines have.
 * @type {(rules: Rules, sample: string[]) => Set<string>}
 */
export function notElected(rules, sample) {
  const asked = rules.prefixes.filter((prefix) => prefix.vote && !elected(prefix, sample));
  return new Set(asked.map((prefix) => prefix.name));
}

/** @type {(prefix: Prefix, sample: string[]) => boolean} */
function elected({ pattern, vote, names }, sample) {
  const matches = sample.map((text) => matchStart(pattern, text)).filter((match) => match !== null);
  if (sample.length < FEWEST_VOTES || matches.length < vote * sample.length) return false;
  const different = names ? [...new Set(matches.map((match) => match.groups?.node ?? ""))] : [];
  if (different.length > Math.max(64, Math.floor(matches.length / 3))) return false;
  return !different.length || !different.every((name) => /(?:Error|Exception|Warning)$/.test(name));
}

/**
 * The text without its prefixes, and what these said.
 * @type {(text: string, rules: Rules, absent: Set<string>) => {rest: string, found: Found}}
 */
export function peeled(text, rules, absent) {
  /** @type {Found} */
  const found = {};
  const used = new Set();
  let trust = -1;
  let rest = text;
  for (let count = 0; count < MOST_PREFIXES; count += 1) {
    const taken = nextPrefix(rest, rules, absent, used);
    if (!taken) break;
    const { prefix, groups } = taken;
    rest = taken.rest;
    used.add(prefix.name);
    if (groups.rank !== undefined && prefix.trust > trust) {
      found.rank = groups.rank;
      trust = prefix.trust;
    }
    found.local ??= groups.local;
    found.node ??= groups.node;
    found.pid ??= groups.pid;
    if (groups.level) found.level = rules.data.levels[groups.level];
    found.time ??= readTime(groups, rules) ?? undefined;
    if (prefix.kernel || groups.unit === "kernel") found.kernel = true;
  }
  return { rest, found };
}

/** @type {(text: string, rules: Rules, absent: Set<string>, used: Set<string>) => Taken | null} */
function nextPrefix(text, rules, absent, used) {
  for (const prefix of rules.starting(text)) {
    if (absent.has(prefix.name) || (used.has(prefix.name) && !prefix.again)) continue;
    const found = matchStart(prefix.pattern, text);
    if (found?.[0]) return { prefix, groups: found.groups ?? {}, rest: text.slice(found[0].length).replace(/^ +/, "") };
  }
  return null;
}
