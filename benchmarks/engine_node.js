// Diagnose a log with the engine in Node: node benchmarks/engine_node.js INDEX LOG
// Prints the answer and the seconds of the engine; whoever starts this measures the process.
import { openAsBlob, readFileSync } from "node:fs";
import { basename } from "node:path";

import { diagnose, loadIndex } from "../plugins/faultbook/assets/engine/engine.js";

const [indexPath, log] = process.argv.slice(2);
if (!indexPath || !log) throw new Error("usage: node benchmarks/engine_node.js INDEX LOG");
const index = loadIndex(JSON.parse(readFileSync(indexPath, "utf-8")));
const file = await openAsBlob(log);
const { answer } = await diagnose([{ name: basename(log), stream: file.stream() }], index);
console.log(JSON.stringify({ answer, seconds: answer.stats.seconds }));
