import assert from "node:assert/strict";
import { test } from "node:test";

import { UNAVAILABLE } from "./browser.js";
import { ALIASES, ENTRIES, KINDS, source, UNKNOWN, UNPUBLISHED } from "./pages.js";
import { basePath, fileFor } from "./server.js";

const SAMPLE = [...new Set([...KINDS, ...ENTRIES, ...UNPUBLISHED])].filter((path) => path !== UNKNOWN);

/** @param {string} html */
const idsOf = (html) => new Set([...html.matchAll(/\sid="?([^\s">]+)/g)].map(([, id]) => id));

/** @param {string} html */
function hrefsOf(html) {
  return [...html.matchAll(/<a\s[^>]*?href="([^"]*)"/g)].map(([, href]) => String(href).replaceAll("&amp;", "&"));
}

/**
 * The links of a page that lead nowhere: to no file or anchor of the site, or out of it without https.
 * @param {string} path
 */
function deadLinks(path) {
  const root = new URL(basePath(), "https://site.test");
  return hrefsOf(source(path)).filter((href) => {
    const url = new URL(href, new URL(path, root));
    if (url.origin !== root.origin) return url.protocol !== "https:" && url.protocol !== "mailto:";
    if (!url.pathname.startsWith(root.pathname)) return true;
    const target = url.pathname.slice(root.pathname.length);
    const id = decodeURIComponent(url.hash.slice(1));
    return !fileFor(target) || (id !== "" && !idsOf(source(target)).has(id));
  });
}

for (const path of [...SAMPLE, "404.html"]) {
  test(`every link of /${path} resolves`, { skip: UNAVAILABLE }, () => {
    assert.notDeepEqual(hrefsOf(source(path)), []);
    assert.deepEqual(deadLinks(path), []);
  });
}

for (const path of ALIASES) {
  test(`the redirect at /${path} has a link that resolves`, { skip: UNAVAILABLE }, () => {
    assert.notDeepEqual(hrefsOf(source(path)), []);
    assert.deepEqual(deadLinks(path), []);
  });
}
