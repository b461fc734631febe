import assert from "node:assert/strict";
import { test } from "node:test";

import { withinSite, withParam } from "../../plugins/faultbook/assets/address.js";

const PARAM_CASES = [
  ["sets a parameter", "https://a.test/x/", "q", "port 0", "https://a.test/x/?q=port+0"],
  ["replaces a parameter", "https://a.test/x/?q=old", "q", "new", "https://a.test/x/?q=new"],
  ["keeps the others and the fragment", "https://a.test/?a=b.y#fix", "q", "x", "https://a.test/?a=b.y&q=x#fix"],
  ["removes an empty one", "https://a.test/x/?q=old#fix", "q", "", "https://a.test/x/#fix"],
  ["leaves commas readable", "https://a.test/", "a", "one.y,two.n", "https://a.test/?a=one.y,two.n"],
  ["escapes what would end the query", "https://a.test/", "q", "a&b#c", "https://a.test/?q=a%26b%23c"],
];

for (const [name, address, key, value, expected] of /** @type {string[][]} */ (PARAM_CASES)) {
  test(`withParam ${name}`, () => {
    assert.equal(withParam(String(address), String(key), String(value)), expected);
  });
}

const ROOT = new URL("https://a.test/book/");

for (const path of ["entries/one/", "./entries/one/#fix", "entries/one/?a=x.y"]) {
  test(`withinSite resolves '${path}' below the root`, () => {
    assert.equal(withinSite(path, ROOT)?.href, new URL(path, ROOT).href);
  });
}

const FOREIGN = ["https://b.test/", "//b.test/entries/", "../other/", "/other/", "javascript:alert(1)", "http://a.test/book/"];

for (const path of [...FOREIGN, "https://"]) {
  test(`withinSite refuses '${path}'`, () => {
    assert.equal(withinSite(path, ROOT), null);
  });
}
