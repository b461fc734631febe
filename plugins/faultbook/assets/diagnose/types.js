// The shapes of an answer and of what goes with it, as docs/engine.md says.

/**
 * @typedef {{file: string, line: number, text: string}} Line
 * @typedef {{entry: string, title: string, url: string, role: "initiating" | "possible" | "downstream", why: string,
 *   rank: number | null, node: string | null, all_ranks: boolean, evidence: Line[], count: number}} Finding
 * @typedef {{file: string, first_line: number, last_line: number, verdict: string, entry: string | null}} Episode
 * @typedef {{verdict: "match" | "unknown" | "no-failure", findings: Finding[], notices: string[],
 *   error_lines: (Line & {rank: number | null})[], similar: {entry: string, score: number}[], missing: string | null,
 *   episodes: Episode[], remarks: string[], stats: {lines: number, bytes: number, seconds: number}}} Answer
 * @typedef {{line: number, text: string, hit: boolean, spans: [number, number][]}} Row
 * @typedef {{finding: number, file: string, rows: Row[]}} Context
 * @typedef {{rank: number, local: number | null, node: string | null, seconds: number | null, file: string, line: number,
 *   entry: string | null}} RankFailure
 * @typedef {{context: Context[], ranks: RankFailure[], world: number | null}} Details
 * @typedef {{id: string, title: string, kind: string, check: string | null, alike: [slug: string, short: string][]}} Card
 * @typedef {{answer: Answer, details: Details, entries: Record<string, Card>}} Diagnosis
 * @typedef {{name: string, file?: Blob, text?: string}} Source
 */

export {};
