// The vectors of drafts, which the twin in Python runs too.
import assert from "node:assert/strict";
import { test } from "node:test";

import { draftText } from "../../plugins/faultbook/assets/engine/draft.js";
import { loadIndex } from "../../plugins/faultbook/assets/engine/engine.js";
import { templateOf } from "../../plugins/faultbook/assets/engine/templating.js";
import { indexData, readJson } from "./engine.js";

/** @type {{tags: Record<string, string>, titles: Record<string, string>, templates: any[], drafts: any[]}} */
const { tags, titles, templates, drafts } = readJson("tests/vectors/draft.json");
const INDEX = loadIndex(indexData({}));

test("what varies in a line becomes a placeholder", async (t) => {
  for (const { line, template } of templates) {
    await t.test(line.slice(0, 60), () => assert.equal(templateOf(line, INDEX.rules), template));
  }
});

test("an answer becomes a draft", async (t) => {
  for (const { name, answer, text } of drafts) {
    await t.test(name, () => assert.deepEqual(draftText(answer, tags, INDEX, titles)?.split("\n") ?? null, text));
  }
});
