// Answers of the documented form for what the site's own entries cannot show, and a worker that gives them.

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("../../plugins/faultbook/assets/diagnose/types.js").Diagnosis} Diagnosis */
/** @typedef {import("../../plugins/faultbook/assets/diagnose/types.js").RankFailure} RankFailure */

const FIRST = 37;

/**
 * The failures of a job in which one GPU is lost: its rank first, its neighbours soon, all others at the time-out.
 * @param {number} world
 * @returns {RankFailure[]}
 */
export function lostGpu(world) {
  return [...Array(world).keys()].map((rank) => {
    const node = `gpu-node-${String(Math.floor(rank / 8)).padStart(2, "0")}`;
    const near = Math.abs(rank - FIRST) === 1;
    const seconds = rank === FIRST ? 0 : near ? 2.6 : 600 + ((rank * 7) % 20) / 10;
    const entry = rank === FIRST ? "master-port-in-use" : "torchrun-child-failed";
    return { rank, local: rank % 8, node, seconds, file: `${node}.log`, line: 6021 + rank, entry };
  });
}

const XID = "[Mon Nov 30 14:02:11 2026] NVRM: Xid (PCI:0000:db:00): 79, pid=<unknown>, GPU has fallen off the bus.";
const TOKEN = "[rank38]: telemetry: push failed: 503 Service Unavailable (token=s3cr3t-4f9a7c21)";
const STATS = { lines: 48_211, bytes: 5_120_000, seconds: 0.19 };

/** @type {Diagnosis["entries"]} */
const ENTRIES = Object.fromEntries(
  [
    ["master-port-in-use", "Rendezvous port already in use"],
    ["torchrun-child-failed", "ChildFailedError reports another failure"],
    ["ephemeral-ports-exhausted", "Ephemeral TCP ports exhausted"],
  ].map(([id, title]) => [id, { id, title, kind: "cause", check: null, alike: [] }]),
);

/**
 * @param {string} entry
 * @param {"initiating" | "possible" | "downstream"} role
 * @param {Partial<import("../../plugins/faultbook/assets/diagnose/types.js").Finding>} more
 */
const finding = (entry, role, more = {}) => ({
  entry,
  title: ENTRIES[entry]?.title ?? entry,
  url: `entries/${entry}/`,
  role,
  why: "It is the earliest failure, and all other ranks only waited for rank 37.",
  rank: null,
  node: null,
  all_ranks: false,
  evidence: [{ file: "gpu-node-04.log", line: 6048, text: "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:" }],
  count: 8,
  ...more,
});

/** @type {Diagnosis} */
export const CASCADE = {
  answer: {
    verdict: "match",
    findings: [
      finding("master-port-in-use", "initiating", {
        rank: FIRST,
        node: "gpu-node-04",
        evidence: [{ file: "gpu-node-04.dmesg", line: 1183, text: XID }],
        count: 2,
      }),
      finding("torchrun-child-failed", "downstream", { count: 252 }),
    ],
    notices: ["ephemeral-ports-exhausted"],
    error_lines: [
      { file: "gpu-node-04.log", line: 6027, rank: FIRST, text: "[rank37]: terminate called after throwing an instance of 'c10::Error'" },
      { file: "gpu-node-04.log", line: 6041, rank: 38, text: TOKEN },
    ],
    similar: [],
    missing: null,
    episodes: [
      { file: "gpu-node-04.log", first_line: 1, last_line: 2011, verdict: "no-failure", entry: null },
      { file: "gpu-node-04.log", first_line: 2012, last_line: 6090, verdict: "match", entry: "master-port-in-use" },
    ],
    remarks: ["gpu-node-02.log ends within a compressed block; what came before it was read"],
    stats: STATS,
  },
  details: {
    context: [
      {
        finding: 0,
        file: "gpu-node-04.dmesg",
        rows: [
          { line: 1182, text: "[Mon Nov 30 14:01:58 2026] mlx5_core 0000:9a:00.0: Port module event: module 0, Cable plugged", hit: false, spans: [] },
          { line: 1183, text: XID, hit: true, spans: [[27, XID.length]] },
          { line: 1185, text: "[Mon Nov 30 14:02:11 2026] NVRM: A GPU crash dump has been created.", hit: false, spans: [] },
        ],
      },
    ],
    ranks: lostGpu(64),
    world: 64,
  },
  entries: ENTRIES,
};

const WATCHDOG =
  "[rank2]: [E1130 03:12:44.117 ProcessGroupNCCL.cpp:683] [Rank 2] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=4471, OpType=ALLREDUCE)";

/** @type {Diagnosis} */
export const UNKNOWN_CAUSE = {
  answer: {
    verdict: "unknown",
    findings: [finding("torchrun-child-failed", "downstream", { all_ranks: true, why: "It reports that a worker failed." })],
    notices: [],
    error_lines: [
      { file: "train.log", line: 884, rank: 2, text: WATCHDOG },
      { file: "train.log", line: 901, rank: null, text: "trainer.hooks: checkpoint hook skipped, writer busy (code 7)" },
    ],
    similar: [
      { entry: "master-port-in-use", score: 0.42 },
      { entry: "ephemeral-ports-exhausted", score: 0.31 },
    ],
    missing: "Rank 5 printed nothing, and ranks 0 to 4, 6 and 7 waited for it: its own log, or the kernel log of its node, holds the cause.",
    episodes: [],
    remarks: [],
    stats: { lines: 912, bytes: 120_000, seconds: 0.03 },
  },
  details: { context: [], ranks: [], world: 8 },
  entries: ENTRIES,
};

/** @type {Diagnosis} */
export const CANDIDATES = {
  ...UNKNOWN_CAUSE,
  answer: {
    ...UNKNOWN_CAUSE.answer,
    findings: [finding("master-port-in-use", "possible"), finding("ephemeral-ports-exhausted", "possible")],
    missing: null,
    similar: [],
  },
};

/** @type {Diagnosis} */
export const NO_FAILURE = {
  ...UNKNOWN_CAUSE,
  answer: {
    ...UNKNOWN_CAUSE.answer,
    verdict: "no-failure",
    findings: [],
    notices: ["ephemeral-ports-exhausted"],
    error_lines: [],
    similar: [],
    missing: null,
  },
};

/**
 * The worker. It masks what looks like a token. Runs as a worker.
 * @param {Diagnosis | null} diagnosis
 * @param {object[]} results
 */
function answer(diagnosis, results) {
  /** @type {Record<string, () => object>} */
  const replies = {
    load: () => ({ type: "ready", entries: 3 }),
    diagnose: () => ({ type: "answer", ...diagnosis }),
    search: () => ({ type: "answer", results }),
  };
  addEventListener("message", ({ data }) => {
    const texts = (data.texts ?? []).map((/** @type {string} */ text) => text.replace(/token=[^)\s]+/, "token=••••"));
    postMessage({ id: data.id, ...(replies[data.type]?.() ?? { type: "answer", texts }) });
  });
}

/** @type {(page: Page, diagnosis: Diagnosis | null, results: object[]) => Promise<void>} */
async function replaceWorker(page, diagnosis, results) {
  const body = `(${answer})(${JSON.stringify(diagnosis)}, ${JSON.stringify(results)});`;
  await page.route("**/engine/worker.js", (route) => route.fulfill({ body, contentType: "text/javascript" }));
}

/**
 * Lets a page ask a worker that always gives one diagnosis.
 * @param {Page} page
 * @param {Diagnosis} diagnosis
 */
export const answerWith = (page, diagnosis) => replaceWorker(page, diagnosis, []);

/**
 * Lets a page ask a worker that always finds the same.
 * @param {Page} page
 * @param {object[]} results
 */
export const searchWith = (page, results) => replaceWorker(page, null, results);
