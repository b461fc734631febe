// The engine as a process that answers JSON lines, so that tests/test_engine_twins.py can compare it with its twin.
//
// The first line is {"index", "search"}. Each further one is {"files": [[name, base64], …], "chunk", "context"},
// {"kept": base64, "chunk"}, {"query", "limit"} or {"mask", "spans"}; for each one line comes back, {"error"} if it failed.
import { createHash } from "node:crypto";
import { createInterface } from "node:readline";

import { diagnose, loadIndex, maskWithSpans, search } from "../../plugins/faultbook/assets/engine/engine.js";
import { scan } from "../../plugins/faultbook/assets/engine/scan.js";
import { streamOf } from "./engine.js";

/** @typedef {import("../../plugins/faultbook/assets/engine/index.js").Index} Index */

/**
 * What scanning keeps of a log, and the sum of it.
 * @param {any} asked
 * @param {Index} index
 */
async function kept(asked, index) {
  const stream = streamOf(Buffer.from(asked.kept, "base64"), asked.chunk);
  const { pieces, lines, reading } = await scan(stream, index.finder, index.rules);
  const sum = createHash("sha256");
  for (const { number, line, data } of pieces) sum.update(`${number} ${line} ${data.length} `).update(data);
  return [pieces.length, lines, reading.bytes, sum.digest("hex")];
}

/**
 * @param {any} asked
 * @param {Index} index
 */
async function answer(asked, index) {
  if ("kept" in asked) return kept(asked, index);
  if ("query" in asked) return search(index, asked.query, asked.limit);
  if ("mask" in asked) return maskWithSpans(asked.mask, asked.spans, index);
  const files = asked.files.map((/** @type {[string, string]} */ [name, data]) => ({
    name,
    stream: streamOf(Buffer.from(data, "base64"), asked.chunk),
  }));
  return diagnose(files, index, { context: asked.context });
}

/** @type {Index | null} */
let index = null;
for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  let told;
  if (index === null) {
    index = loadIndex(asked.index, asked.search);
    told = { entries: index.entries.length };
  } else {
    told = await answer(asked, index).catch((/** @type {Error} */ error) => ({ error: String(error.stack) }));
  }
  process.stdout.write(`${JSON.stringify(told)}\n`);
}
