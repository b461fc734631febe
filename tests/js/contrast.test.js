import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const CSS = readFileSync(new URL("../../plugins/faultbook/assets/faultbook.css", import.meta.url), "utf8");

const PALETTES = {
  light: coloursOf(":root,[data-md-color-scheme=default]"),
  dark: coloursOf("@media screen{[data-md-color-scheme=slate]"),
};

// Text needs 4.5 to 1 on each of its grounds, the edge of a control 3 to 1.
/** @type {[colour: string, grounds: string[], least: number][]} */
const DUTIES = [
  ["ink", ["bg", "alt", "mark", "var", "dis-bg", "des-bg"], 4.5],
  ["dim", ["bg", "alt"], 4.5],
  ["link", ["bg", "alt", "var", "dis-bg", "des-bg"], 4.5],
  ["ok", ["bg"], 4.5],
  ["no", ["bg"], 4.5],
  ["rev", ["bg", "alt"], 4.5],
  ["dis", ["bg", "dis-bg"], 4.5],
  ["des", ["bg", "des-bg"], 4.5],
  ["bg", ["ok", "no", "des", "link", "ink"], 4.5],
  ["edge", ["bg", "alt"], 3],
];

/**
 * The colour variables that a rule sets.
 * @param {string} selector
 */
function coloursOf(selector) {
  const start = CSS.indexOf(`${selector}{`);
  assert.ok(start >= 0, `no rule '${selector}'`);
  const body = CSS.slice(start + selector.length, CSS.indexOf("}", start));
  return new Map([...body.matchAll(/--f-([\w-]+):(#[0-9a-f]{3,6})/g)].map(([, name, value]) => [String(name), String(value)]));
}

/**
 * Relative luminance as WCAG 2 defines it.
 * @param {string} hex
 */
function luminance(hex) {
  const long = hex.length === 4 ? hex.replace(/[0-9a-f]/g, "$&$&") : hex;
  const parts = [1, 3, 5].map((at) => Number.parseInt(long.slice(at, at + 2), 16) / 255);
  const [r = 0, g = 0, b = 0] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** @type {(a: string, b: string) => number} */
function contrast(a, b) {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((m, n) => m - n);
  return (light + 0.05) / (dark + 0.05);
}

test("black on white has the contrast that WCAG names", () => {
  assert.equal(contrast("#000", "#ffffff"), 21);
});

for (const [palette, colours] of Object.entries(PALETTES)) {
  for (const [colour, grounds, least] of DUTIES) {
    for (const ground of grounds) {
      test(`${palette}: '${colour}' on '${ground}' reaches ${least} to 1`, () => {
        const [front, back] = [colours.get(colour), colours.get(ground)];
        assert.ok(front && back, "colour is not set");
        const reached = contrast(front, back);
        assert.ok(reached >= least, `${reached.toFixed(2)} to 1`);
      });
    }
  }
}
