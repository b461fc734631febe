// The engine as a process that answers JSON lines, so that tests/test_engine_twins.py can compare it with its twin.
//
// The first line is {"index", "search"}. Each further one is {"files": [[name, base64], …], "chunk", "context"},
// {"query", "limit"} or {"mask", "spans"}; for each one line comes back, {"error"} if it failed.
import { createInterface } from "node:readline";

import { diagnose, loadIndex, maskWithSpans, search } from "../../plugins/faultbook/assets/engine/engine.js";
import { streamOf } from "./engine.js";

/** @typedef {import("../../plugins/faultbook/assets/engine/index.js").Index} Index */

/**
 * @param {any} asked
 * @param {Index} index
 */
async function answer(asked, index) {
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
