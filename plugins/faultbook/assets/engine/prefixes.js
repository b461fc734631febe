// Take prefixes off lines: those of launchers, loggers and collectors.
import { readTime } from "./clock.js";
import { head } from "./points.js";
import { LOOK, matchStart } from "./rules.js";

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
 * Of the prefixes that look like words of a message the forms of their names; null if too few lines have them.
 * @typedef {Map<string, Set<string> | null>} Votes
 */

/** @type {(rules: Rules, sample: string[]) => Votes} */
export function votesOf(rules, sample) {
  // Launchers and schedulers print some lines themselves, which never have the prefixes of the job.
  const voters = sample.filter((text) => !rules.pattern("outside").test(head(text, LOOK)));
  return new Map(rules.prefixes.filter(({ vote }) => vote).map((prefix) => [prefix.name, elected(prefix, voters)]));
}

/**
 * The forms of the names that two lines or more have, if enough lines have the prefix.
 * @type {(prefix: Prefix, sample: string[]) => Set<string> | null}
 */
function elected({ pattern, vote, names }, sample) {
  const matches = sample.map((text) => matchStart(pattern, text)).filter((match) => match !== null);
  if (sample.length < FEWEST_VOTES || matches.length < vote * sample.length) return null;
  if (!names) return new Set();
  const nodes = matches.map((match) => match.groups?.node ?? "");
  if (new Set(nodes).size > Math.max(64, Math.floor(matches.length / 3))) return null;
  const forms = nodes.map(formOf);
  const again = forms.filter((form, at) => forms.indexOf(form) < at);
  return new Set(again);
}

/**
 * A name with its digits masked, since hosts that differ by a number are alike.
 * @param {string} name
 */
const formOf = (name) => name.replace(/[0-9]+/g, "#");

/**
 * The text without its prefixes, and what these said.
 * @type {(text: string, rules: Rules, votes: Votes) => {rest: string, found: Found}}
 */
export function peeled(text, rules, votes) {
  /** @type {Found} */
  const found = {};
  const used = new Set();
  let trust = -1;
  let rest = text;
  for (let count = 0; count < MOST_PREFIXES; count += 1) {
    const taken = nextPrefix(rest, rules, votes, used);
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

/** @type {(text: string, rules: Rules, votes: Votes, used: Set<string>) => Taken | null} */
function nextPrefix(text, rules, votes, used) {
  for (const prefix of rules.starting(text)) {
    const forms = votes.get(prefix.name);
    if (forms === null || (used.has(prefix.name) && !prefix.again)) continue;
    const found = matchStart(prefix.pattern, text);
    if (!found?.[0] || (prefix.names && !forms?.has(formOf(found.groups?.node ?? "")))) continue;
    return { prefix, groups: found.groups ?? {}, rest: text.slice(found[0].length).replace(/^ +/, "") };
  }
  return null;
}
