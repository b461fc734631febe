// What the tests of the engine share.
import { readFileSync } from "node:fs";

/** @typedef {import("../../plugins/faultbook/assets/engine/index.js").IndexData} IndexData */
/** @typedef {import("../../plugins/faultbook/assets/engine/index.js").SearchData} SearchData */

const ROOT = new URL("../../", import.meta.url);

/** @param {string} path */
export const readJson = (path) => JSON.parse(readFileSync(new URL(path, ROOT), "utf8"));

/** The rules of the engine. */
export const RULES = readJson("plugins/faultbook/engine/rules.json");
/** The rules for secrets. */
export const MASK = readJson("plugins/faultbook/engine/mask.json");

/** @type {{index: IndexData, search: SearchData}} */
export const FROZEN = readJson("tests/vectors/index.json");

/**
 * An index with the types of the frozen one and the rules of the engine.
 * @param {Partial<IndexData>} data
 * @returns {IndexData}
 */
export function indexData(data) {
  const empty = { entries: [], templates: [], signatures: [] };
  return { schema: 1, types: FROZEN.index.types, ...empty, ...data, rules: RULES, mask: MASK };
}

/**
 * Bytes as a stream of chunks of a size.
 * @param {Uint8Array} bytes
 * @param {number} size
 * @returns {ReadableStream<Uint8Array>}
 */
export function streamOf(bytes, size = bytes.length || 1) {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + size));
      at += size;
    },
  });
}
