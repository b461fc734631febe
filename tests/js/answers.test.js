import assert from "node:assert/strict";
import { test } from "node:test";

import { formatAnswers, parseAnswers, pressAnswer } from "../../plugins/faultbook/assets/answers.js";

const CHECKS = ["read-port", "who-listens", "3"];

/** @type {[name: string, text: string | null, expected: [string, string][]][]} */
const PARSE_CASES = [
  ["no parameter gives no answer", null, []],
  ["an empty parameter gives no answer", "", []],
  ["yes and no", "read-port.y,who-listens.n", [["read-port", "y"], ["who-listens", "n"]]],
  ["a check without an id is named by its position", "3.n", [["3", "n"]]],
  ["the last answer to a check counts", "3.n,3.y", [["3", "y"]]],
  ["what is no answer is left out", "read-port.maybe,.y,who-listens,<b>.y,3.y", [["3", "y"]]],
];

for (const [name, text, expected] of PARSE_CASES) {
  test(`parseAnswers: ${name}`, () => {
    assert.deepEqual([...parseAnswers(text)], expected);
  });
}

test("formatAnswers writes the order of the checklist, whatever the order of the presses", () => {
  const answers = new Map([["3", "y"], ["read-port", "n"]]);
  assert.equal(formatAnswers(answers, CHECKS), "read-port.n,3.y");
});

test("formatAnswers leaves out answers to checks that the page no longer has", () => {
  assert.equal(formatAnswers(new Map([["gone", "y"], ["3", "n"]]), CHECKS), "3.n");
});

test("answers survive being written and read", () => {
  const answers = new Map([["read-port", "y"], ["who-listens", "n"]]);
  assert.deepEqual(parseAnswers(formatAnswers(answers, CHECKS)), answers);
});

test("pressAnswer gives, changes and takes back an answer without changing its input", () => {
  const none = new Map();
  const yes = pressAnswer(none, "3", "y");
  const no = pressAnswer(yes, "3", "n");
  const taken = pressAnswer(no, "3", "n");
  assert.deepEqual([none, yes, no, taken].map((answers) => [...answers]), [[], [["3", "y"]], [["3", "n"]], []]);
});
