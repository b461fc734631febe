// One page of each kind, found in the built site.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { UNAVAILABLE } from "./browser.js";
import { fileFor, SITE_DIR } from "./server.js";

/**
 * The text of a built page.
 * @param {string} path
 */
export function source(path) {
  const file = fileFor(path);
  if (!file) throw new Error(`the site has no page '${path}'`);
  return readFileSync(file, "utf8");
}

/**
 * The pages one level below a folder of the site.
 * @param {string} folder
 */
export function below(folder) {
  const directory = join(SITE_DIR, folder);
  if (UNAVAILABLE || !existsSync(directory)) return [];
  return readdirSync(directory)
    .sort()
    .filter((name) => existsSync(join(directory, name, "index.html")))
    .map((name) => `${folder}/${name}/`);
}

/** @param {string} path */
const isRedirect = (path) => /http-equiv="?refresh/i.test(source(path));

/** @param {string} path */
const isHidden = (path) => /name="?robots/.test(source(path));

const addresses = below("entries");

/** Pages of former slugs and other names. */
export const ALIASES = addresses.filter(isRedirect);

/** Pages of drafts and of withdrawn entries. */
export const UNPUBLISHED = addresses.filter((path) => !isRedirect(path) && isHidden(path));

/** Pages of published entries, the shortest first. */
export const ENTRIES = addresses
  .filter((path) => !isRedirect(path) && !isHidden(path))
  .sort((a, b) => source(a).length - source(b).length);

/** An entry of middle length. */
export const USUAL_ENTRY = ENTRIES[Math.floor(ENTRIES.length / 2)] ?? "entries/";

/** The entry that uses most of the format. */
export const LONG_ENTRY = "entries/master-port-in-use/";

/** An address that no page has, one slip away from an entry. */
export const UNKNOWN = "entries/master-prot-in-use/";

/**
 * The list one level below a folder that has most rows.
 * @param {string} folder
 */
function fullest(folder) {
  /** @param {string} path */
  const rows = (path) => source(path).split("<tr ").length;
  return below(folder).sort((a, b) => rows(b) - rows(a)).slice(0, 1);
}

/** The fullest list of a category, of a tag and of a system, as far as the site has them. */
export const [CATEGORIES, TAGS, SYSTEMS] = [fullest("categories"), fullest("tags"), fullest("systems")];

const MADE = ["diagnose/", "categories/", "tags/", "systems/", "signatures/", "codes/", "changes/", "wanted/", "state/", "checks/", "format/"];

/** The longest of the pages that were written by hand. */
const WRITTEN = below(".")
  .map((path) => path.replace("./", ""))
  .filter((path) => !MADE.includes(path))
  .sort((a, b) => source(b).length - source(a).length)
  .slice(0, 1);

/** One page of each kind: those that every site has, then those that this site has. */
export const KINDS = [
  ...["", LONG_ENTRY, UNKNOWN, ...MADE],
  ...[...CATEGORIES, ...TAGS, ...SYSTEMS, ...WRITTEN, ...UNPUBLISHED.slice(0, 2)],
];

/** An entry with examples for several stacks, if there is one. */
export const TABBED = entriesWith(/class="fb-tab"[^]*class="fb-tab"/).at(0);

/** The mark of a command that can be copied only after its warning was opened. */
export const GUARDED = /fb-cmd--(?:disruptive|destructive)/;

/**
 * The entry pages whose text matches.
 * @param {RegExp} pattern
 */
export function entriesWith(pattern) {
  return ENTRIES.filter((path) => pattern.test(source(path)));
}
