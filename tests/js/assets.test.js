import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const ASSETS = new URL("../../plugins/faultbook/assets/", import.meta.url);
const MODULES = readdirSync(ASSETS).filter((name) => name.endsWith(".js"));
const CSS = readFileSync(new URL("faultbook.css", ASSETS), "utf8");

/** @param {string} name */
const read = (name) => readFileSync(new URL(name, ASSETS), "utf8");

/** @param {string} code */
const withoutComments = (code) => code.replace(/\/\*\*[^]*?\*\//g, "").replace(/^\s*\/\/.*\n/gm, "");

test("all modules together hold less than 15 KB of code", () => {
  // The types stand in comments, since the modules are shipped as written; the browser suite counts those too, by page.
  const size = MODULES.reduce((sum, name) => sum + Buffer.byteLength(withoutComments(read(name))), 0);
  assert.ok(size < 15 * 1024, `${size} bytes`);
});

test("the style sheet is smaller than 25 KB", () => {
  assert.ok(Buffer.byteLength(CSS) < 25_600, `${Buffer.byteLength(CSS)} bytes`);
});

for (const name of MODULES) {
  test(`${name} makes no markup or code from text and touches no style attribute`, () => {
    const forbidden = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|srcdoc|\.style\b|cssText/;
    assert.doesNotMatch(withoutComments(read(name)), forbidden);
  });

  test(`${name} imports only files that are shipped`, () => {
    const imported = [...read(name).matchAll(/(?:from |import\()"([^"]+)"/g)].map(([, path]) => String(path));
    assert.deepEqual(imported.filter((path) => !MODULES.includes(path.replace("./", ""))), []);
  });
}

test("the style sheet loads nothing", () => {
  assert.doesNotMatch(CSS, /@import|url\(/);
});
