import assert from "node:assert/strict";
import { test } from "node:test";

import { plain } from "../../plugins/faultbook/assets/plain.js";
import { isLog, isShareable } from "../../plugins/faultbook/assets/search/handover.js";
import { addressOf, groupsOf, isMatch, summaryOf } from "../../plugins/faultbook/assets/search/results.js";

/** @typedef {import("../../plugins/faultbook/assets/search/results.js").Result} Result */

/** @type {(entry: string, kind: Result["kind"], url?: string) => Result} */
const result = (entry, kind, url = `entries/${entry}/`) => ({ entry, title: entry, url, kind, spans: [] });

test("more than two lines are a log, however they end", () => {
  for (const text of ["a", "a\nb", "a\nb\n", "\n\na\n", "a\r\nb\r\n"]) assert.equal(isLog(text), false, JSON.stringify(text));
  for (const text of ["a\nb\nc", "a\r\nb\r\nc", "a\rb\rc", "a\n\nc"]) assert.equal(isLog(text), true, JSON.stringify(text));
});

test("only one short line may stand in an address", () => {
  assert.equal(isShareable("xid 79"), true);
  assert.equal(isShareable("a\nb"), false);
  assert.equal(isShareable("x".repeat(81)), false);
});

test("matches and similar entries never share a group", () => {
  const found = [result("a", "slug"), result("b", "line"), result("c", "words")];
  const names = groupsOf(found).map((group) => [group.name, group.results.map(({ entry }) => entry)]);
  assert.deepEqual(names, [["This name", ["a"]], ["The line matches", ["b"]], ["Similar words, not a match", ["c"]]]);
  assert.deepEqual(groupsOf([result("c", "words")]).map(({ name }) => name), ["Entries"]);
  assert.deepEqual(found.map(isMatch), [true, true, false]);
});

test("results that lead out of the site are left out", () => {
  const bad = ["https://elsewhere.test/", "javascript:alert(1)", "../../../../x/", "//elsewhere.test/"];
  assert.deepEqual(groupsOf(bad.map((url) => result("a", "line", url))), []);
  assert.match(addressOf(result("a", "line")) ?? "", /\/entries\/a\/$/);
});

test("the sentence counts what matches and what is only similar", () => {
  assert.equal(summaryOf([result("a", "line"), result("b", "words")]), "1 entry matches the line, 1 similar");
  assert.equal(summaryOf([result("a", "line"), result("b", "line")]), "2 entries match the line, 0 similar");
  assert.equal(summaryOf([result("b", "words")]), "1 entry");
  assert.equal(summaryOf([]), "");
});

test("titles lose their marks and nothing else", () => {
  const pairs = [
    ["`torchrun` on port `0`", "torchrun on port 0"],
    ["Port taken [@socket-7]", "Port taken"],
    ["See [[other-entry]] or [[other-entry|that one]]", "See other-entry or that one"],
    ["List [rank] of <word>", "List [rank] of <word>"],
  ];
  for (const [title = "", expected] of pairs) assert.equal(plain(title), expected);
});
