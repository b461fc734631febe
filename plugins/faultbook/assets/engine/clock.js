// Times of log lines, comparable as long as they are of one kind.
/** @typedef {import("./rules.js").Rules} Rules */

/**
 * A time since the start of what its kind counts from; zones are not read, so kinds are not mixed. The kind is `full`
 * (year, month, day), `day` (month and day), `clock` (within a day) or `up` (since the boot). Days and the microseconds
 * within one stand apart, since together they pass what a number holds exactly.
 * @typedef {{kind: string, days: number, within: number}} Time
 */

/** @typedef {Record<string, string | undefined>} Groups */

const CLOCK = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[.,]([0-9]{1,9}))?$/;
const DAY_SECONDS = 86_400;
export const DAY = DAY_SECONDS * 1_000_000;

/**
 * The time that the groups of a prefix give: `stamp`, or `date`, `year` and `clock`, or `uptime`.
 * @param {Groups} groups
 * @param {Rules} rules
 * @returns {Time | null}
 */
export function readTime(groups, rules) {
  if (groups.stamp) {
    const found = rules.pattern("stamp").exec(groups.stamp);
    return found ? readTime(found.groups ?? {}, rules) : null;
  }
  if (groups.uptime) return sinceBoot(groups.uptime);
  const clock = CLOCK.exec(groups.clock ?? "");
  if (!clock) return null;
  const seconds = (Number(clock[1]) * 60 + Number(clock[2])) * 60 + Number(clock[3]);
  const within = seconds * 1_000_000 + Number(`${clock[4] ?? ""}000000`.slice(0, 6));
  return groups.date ? onDate(groups.date, groups.year, within, rules) : { kind: "clock", days: 0, within };
}

/** @type {(uptime: string) => Time} */
function sinceBoot(uptime) {
  const [whole, fraction] = uptime.split(".").map(Number);
  const seconds = whole ?? 0;
  const days = Math.floor(seconds / DAY_SECONDS);
  return { kind: "up", days, within: (seconds - days * DAY_SECONDS) * 1_000_000 + (fraction ?? 0) };
}

/** @type {(date: string, ofYear: string | undefined, within: number, rules: Rules) => Time | null} */
function onDate(date, ofYear, within, rules) {
  const [year, month, day] = readDate(date, ofYear, rules);
  if (month < 1 || month > 12 || day < 1 || day > 31) return null;
  return { kind: year ? "full" : "day", days: daysOf(year || 2000, month, day), within };
}

/**
 * Year (0 if unknown), month and day of `2026-11-30`, `1130`, `930` or `Nov 30`.
 * @type {(date: string, year: string | undefined, rules: Rules) => [number, number, number]}
 */
function readDate(date, year, rules) {
  const [first = 0, second = 0, third] = (date.match(/[0-9]+/g) ?? []).map(Number);
  if (third !== undefined) return [first, second, third];
  const month = rules.data.months.indexOf(date.slice(0, 3));
  return month < 0 ? [0, Math.floor(first / 100), first % 100] : [Number(year ?? 0), month + 1, first];
}

/**
 * Days since 1970-01-01 in the Gregorian calendar, by the usual count from March.
 * @type {(year: number, month: number, day: number) => number}
 */
function daysOf(year, month, day) {
  const counted = month <= 2 ? year - 1 : year;
  const era = Math.floor(counted / 400);
  const ofEra = counted - era * 400;
  const ofYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return era * 146097 + ofEra * 365 + Math.floor(ofEra / 4) - Math.floor(ofEra / 100) + ofYear - 719468;
}
