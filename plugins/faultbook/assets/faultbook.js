// Entry module: a page loads only the features whose markup it has.

/** @type {[selector: string, load: () => Promise<{start: () => unknown}>][]} */
const FEATURES = [
  [".fb-drop", () => import("./menu.js")],
  [".fb-pre, .fb-log, .fb-grid", () => import("./scrollers.js")],
  [".fb-copy", () => import("./copy.js")],
  ["[data-fb-check]", () => import("./checklist.js")],
  ["[data-fb-tabs]", () => import("./tabs.js")],
  ["[data-fb-filter]", () => import("./filter.js")],
  ["[data-fb-search]", () => import("./search/start.js")],
  ["[data-fb-ask]", () => import("./search/ask.js")],
  ["[data-fb-diagnose]", () => import("./diagnose/page.js")],
  ["[data-fb-nearest]", () => import("./missing.js")],
];

const wanted = FEATURES.filter(([selector]) => document.querySelector(selector));

await Promise.all(wanted.map(async ([, load]) => (await load()).start()));
