import assert from "node:assert/strict";
import { test } from "node:test";

import { countText, matches } from "../../plugins/faultbook/assets/filter.js";
import { fold } from "../../plugins/faultbook/assets/fold.js";

const ROW = fold("Rendezvous port already in use\nMASTER_PORT  fails-to-start reproduced");

for (const query of ["", "  ", "port", "PORT rendezvous", "master-port", "master port", "fails_to_start", "produc"]) {
  test(`the row matches '${query}'`, () => {
    assert.equal(matches(ROW, query), true);
  });
}

for (const query of ["hang", "port hang", "port, already"]) {
  test(`the row does not match '${query}'`, () => {
    assert.equal(matches(ROW, query), false);
  });
}

test("the count names both numbers only while rows are hidden", () => {
  assert.deepEqual([countText(30, 30, "entries"), countText(9, 30, "entries"), countText(0, 1, "lines")], [
    "30 entries",
    "9 of 30 entries",
    "0 of 1 lines",
  ]);
});
