import assert from "node:assert/strict";
import { test } from "node:test";

import { moveTo } from "../../plugins/faultbook/assets/tabs.js";

/** @type {[key: string, from: number, to: number | undefined][]} */
const CASES = [
  ["ArrowRight", 0, 1],
  ["ArrowRight", 2, 0],
  ["ArrowLeft", 2, 1],
  ["ArrowLeft", 0, 2],
  ["Home", 2, 0],
  ["End", 0, 2],
  ["ArrowDown", 1, undefined],
  ["constructor", 1, undefined],
];

for (const [key, from, to] of CASES) {
  test(`'${key}' at tab ${from} of 3 goes to ${to}`, () => {
    assert.equal(moveTo(key, from, 3), to);
  });
}
