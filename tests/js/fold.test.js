import assert from "node:assert/strict";
import { test } from "node:test";

import { fold, words } from "../../plugins/faultbook/assets/fold.js";

const CASES = [
  ["hyphen, underscore and blank are alike", "Master-Port_in use", "master port in use"],
  ["runs of them are one blank", "a - _\t\n b", "a b"],
  ["leading flags lose their dashes", "--nproc-per-node=4", "nproc per node=4"],
  ["typographic dashes count as hyphens", "master\u2011port \u2013 taken", "master port taken"],
  ["full-width letters and no-break blanks are plain ones", "\uff2eCCL\u00a0error", "nccl error"],
  ["other signs stay", "Xid (PCI:0000): 79", "xid (pci:0000): 79"],
];

for (const [name, text, expected] of /** @type {string[][]} */ (CASES)) {
  test(`fold: ${name}`, () => {
    assert.equal(fold(String(text)), expected);
  });
}

test("words of nothing but separators are none", () => {
  assert.deepEqual(words(" -_ "), []);
});
