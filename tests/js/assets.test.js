import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const ASSETS = new URL("../../plugins/faultbook/assets/", import.meta.url);
const MODULES = readdirSync(ASSETS, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".js"));
const SHEETS = readdirSync(ASSETS).filter((name) => name.endsWith(".css"));

// What is loaded together has a limit of its own; the browser suite counts by page what is loaded in fact.
const BUDGETS = { "": 15, "search/": 16, "diagnose/": 40 };
const SHEET_BUDGETS = { "faultbook.css": 25_600, "diagnose.css": 4_096 };

/** @param {string} name */
const read = (name) => readFileSync(new URL(name, ASSETS), "utf8");

/** @param {string} code */
const withoutComments = (code) => code.replace(/\/\*\*[^]*?\*\//g, "").replace(/^\s*\/\/.*\n/gm, "");

for (const [folder, kilobytes] of Object.entries(BUDGETS)) {
  test(`the modules of '${folder}' together hold less than ${kilobytes} KB of code`, () => {
    // The types stand in comments, since the modules are shipped as written; the browser suite counts those too.
    const own = MODULES.filter((name) => name.startsWith(folder) && !name.slice(folder.length).includes("/"));
    const size = own.reduce((sum, name) => sum + Buffer.byteLength(withoutComments(read(name))), 0);
    assert.ok(size > 0 && size < kilobytes * 1024, `${size} bytes`);
  });
}

test("each style sheet has a limit and keeps it", () => {
  assert.deepEqual(SHEETS.sort(), Object.keys(SHEET_BUDGETS).sort());
  for (const [name, bytes] of Object.entries(SHEET_BUDGETS)) {
    const size = Buffer.byteLength(read(name));
    assert.ok(size < bytes, `'${name}' has ${size} bytes`);
  }
});

for (const name of MODULES) {
  test(`${name} makes no markup or code from text and touches no style attribute`, () => {
    const forbidden = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|srcdoc|\.style\b|cssText/;
    assert.doesNotMatch(withoutComments(read(name)), forbidden);
  });

  test(`${name} imports only files that are shipped`, () => {
    const imported = [...read(name).matchAll(/(?:from |import\()"([^"]+)"/g)].map(([, path]) => String(path));
    const folder = new URL(name, ASSETS);
    assert.deepEqual(imported.filter((path) => !existsSync(new URL(path, folder))), []);
  });
}

for (const name of SHEETS) {
  test(`${name} loads nothing`, () => {
    assert.doesNotMatch(read(name), /@import|url\(/);
  });
}
