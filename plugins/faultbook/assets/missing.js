// The page for an unknown address names the entries that come nearest to it.
import { withinSite } from "./address.js";
import { all } from "./dom.js";
import { lastName, nearest } from "./nearest.js";

const ROOT = new URL("../../", import.meta.url);

/** @param {import("./nearest.js").Named} entry */
function makeItem(entry) {
  const url = withinSite(entry.url, ROOT);
  if (!url) return [];
  const item = document.createElement("li");
  const link = document.createElement("a");
  const slug = document.createElement("code");
  link.href = url.href;
  link.textContent = entry.title;
  slug.textContent = entry.slug;
  item.append(link, slug);
  return [item];
}

/** Fills the list of near entries and shows it, unless there are none. */
export async function start() {
  const response = await fetch(new URL("slugs.json", import.meta.url));
  const items = nearest(lastName(location.pathname), await response.json()).flatMap(makeItem);
  if (!items.length) return;
  for (const list of all("[data-fb-nearest]")) {
    list.replaceChildren(...items);
    for (const box of [list, list.closest("section")]) box?.removeAttribute("hidden");
  }
}
