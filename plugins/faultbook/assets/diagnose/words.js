// What the page says about an answer, in words.

/**
 * @typedef {import("./types.js").Answer} Answer
 * @typedef {import("./types.js").Diagnosis} Diagnosis
 * @typedef {import("./types.js").Finding} Finding
 */

const NUMBER = new Intl.NumberFormat("en");

/** @type {(count: number) => string} */
export const number = (count) => NUMBER.format(count);

/** @type {(count: number, one: string, many?: string) => string} */
export const counted = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;

/**
 * Numbers as ranges: `0 to 36, 38`.
 * @param {number[]} numbers
 */
export function ranges(numbers) {
  /** @type {[from: number, to: number][]} */
  const runs = [];
  for (const number of [...new Set(numbers)].sort((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run && run[1] === number - 1) run[1] = number;
    else runs.push([number, number]);
  }
  return runs.map(([from, to]) => (from === to ? `${from}` : `${from}${to === from + 1 ? ", " : " to "}${to}`)).join(", ");
}

/** @type {(seconds: number) => string} */
export const after = (seconds) => `+${seconds.toFixed(seconds < 0.095 ? 2 : 1)}`;

/** @type {(bytes: number) => string} */
export const megabytes = (bytes) => (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0);

/** @type {(finding: Finding) => string} */
export function whereOf({ rank, node, all_ranks: everywhere }) {
  if (everywhere) return "on all ranks";
  if (rank !== null) return `on rank ${rank}`;
  return node === null ? "" : `on ${node}`;
}

/**
 * The verdict, its strong part first.
 * @param {Answer} answer
 * @returns {[strong: string, rest: string]}
 */
export function verdictOf({ verdict, findings: [first] }) {
  if (verdict === "no-failure") return ["No failure found", ""];
  if (verdict === "unknown" || !first) return ["No cause found in this log", ""];
  return [first.role === "possible" ? "Possible cause found" : "Initiating failure found", whereOf(first)];
}

/**
 * How much was read.
 * @param {Diagnosis} diagnosis
 * @param {number} files
 */
export function factsOf({ answer, details }, files) {
  const ranks = details.world ?? new Set(details.ranks.map(({ rank }) => rank)).size;
  const { lines, seconds } = answer.stats;
  return [
    counted(files, "file"),
    ...(ranks ? [counted(ranks, "rank")] : []),
    counted(lines, "line"),
    `${seconds.toFixed(seconds < 10 ? 2 : 0)} s`,
  ];
}

/**
 * What an answer without a cause comes down to; nothing where there is one.
 * @param {Answer} answer
 */
export function summaryOf({ verdict, findings, error_lines: lines }) {
  if (verdict === "match") return "";
  if (verdict === "no-failure") {
    return lines.length
      ? "No line fits a signature of a failure. The lines below look like errors, though no entry knows them."
      : "No line fits a signature of a failure, and none looks like an error. If the run died all the same, its cause was printed elsewhere: add the logs of the other ranks, and the kernel log of the nodes.";
  }
  if (findings.some(({ role }) => role === "possible")) {
    return "The lines fit several failures, and nothing in the log decides between them. A guess would cost you time, so here is what does.";
  }
  if (findings.length) {
    return "The log shows failures that only follow from another one. It does not show which. A guess would cost you time, so here is what to look for.";
  }
  return "No line of the log fits a signature that is known here. A guess would cost you time, so here is what stands out.";
}

/**
 * The ranks that a finding was seen on.
 * @param {Finding} finding
 * @param {Diagnosis["details"]} details
 */
export function ranksOf(finding, { ranks, world }) {
  const seen = ranks.filter(({ entry }) => entry === finding.entry).map(({ rank }) => rank);
  if (seen.length > 1) return `${world && world > seen.length ? `${number(seen.length)} of ${number(world)}: ` : ""}${ranges(seen)}`;
  if (finding.all_ranks) return "all";
  return finding.rank === null ? "" : `${finding.rank}`;
}

/**
 * Where a finding was seen first, and how long after the first failure of all.
 * @param {Finding} finding
 * @param {Diagnosis["details"]} details
 * @returns {{when: string, file: string | null, line: number}}
 */
export function firstSeen({ evidence: [line] }, { ranks }) {
  if (!line) return { when: "", file: null, line: 0 };
  const failure = ranks.find((found) => found.file === line.file && found.line === line.line);
  const seconds = failure?.seconds ?? null;
  return { when: seconds === null ? "" : `${after(seconds)} s, `, file: line.file, line: line.line };
}
