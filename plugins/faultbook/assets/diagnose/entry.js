// The parts of an entry's own page that an answer shows: rendered once, by the site, and adopted here as they are.
import { withinSite } from "../address.js";
import { all } from "../dom.js";

/** @typedef {{meta: HTMLElement[], check: HTMLElement | null, fix: HTMLElement | null, alike: HTMLElement | null}} Parts */

const ROOT = new URL("../../../", import.meta.url);
const KEPT = ["Impact", "Fixed by", "Evidence"];

/**
 * The full address of an entry, or null where it would leave the site.
 * @param {string} url
 */
export const entryAddress = (url) => withinSite(url, ROOT);

/**
 * A copy for this page: its links lead where they led. Its ids stay behind, since this page may have the same, and so do
 * its citations, whose sources are not on this page.
 * @param {HTMLElement} part
 * @param {URL} from
 */
function adopt(part, from) {
  const copy = document.importNode(part, true);
  for (const link of all("a[href]", copy)) link.setAttribute("href", new URL(link.getAttribute("href") ?? "", from).href);
  for (const named of all("[id]", copy)) named.removeAttribute("id");
  copy.removeAttribute("id");
  for (const cite of all(".fb-cite", copy)) cite.remove();
  return copy;
}

/**
 * The parts of a page.
 * @param {Document} page
 * @param {URL} from
 * @returns {Parts}
 */
export function partsOf(page, from) {
  /** @type {(id: string, kind: string) => HTMLElement | null} */
  const below = (id, kind) => {
    const found = all(`.fb-triage section:has(> #${id}) > ${kind}`, page)[0];
    return found ? adopt(found, from) : null;
  };
  const meta = all(".fb-meta > div", page).filter((pair) => KEPT.includes(pair.querySelector("dt")?.textContent ?? ""));
  return {
    meta: meta.slice(0, KEPT.length).map((pair) => adopt(pair, from)),
    check: below("is-it-this", "div"),
    fix: below("quick-fix", "div"),
    alike: below("looks-alike", "ul"),
  };
}

/**
 * The page of an entry, or null where it cannot be read.
 * @param {string} url Relative to the root of the site.
 */
async function readPage(url) {
  const address = entryAddress(url);
  if (!address) return null;
  try {
    const response = await fetch(address);
    if (!response.ok) return null;
    return { page: new DOMParser().parseFromString(await response.text(), "text/html"), address };
  } catch {
    return null;
  }
}

/**
 * The parts of an entry's page, or null where it cannot be read.
 * @param {string} url Relative to the root of the site.
 */
export async function readEntry(url) {
  const read = await readPage(url);
  return read && partsOf(read.page, read.address);
}

/**
 * What an entry's page says by which it is recognised: title, summary, symptoms and signatures.
 * @param {string} url Relative to the root of the site.
 */
export async function readWords(url) {
  const read = await readPage(url);
  return read ? all("h1, .fb-lead, .fb-sym", read.page).map((part) => part.textContent).join(" ") : "";
}
