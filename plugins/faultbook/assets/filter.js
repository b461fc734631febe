// A filter box over plain HTML lists and tables; the query is kept in the address.
import { withParam } from "./address.js";
import { all, showAddress } from "./dom.js";
import { fold, words } from "./fold.js";

/**
 * Whether a folded text contains every word of a query, in any order.
 * @param {string} folded
 * @param {string} query
 */
export function matches(folded, query) {
  return words(query).every((word) => folded.includes(word));
}

/**
 * The sentence beside the box.
 * @param {number} shown
 * @param {number} total
 * @param {string} unit
 */
export function countText(shown, total, unit) {
  return shown === total ? `${total} ${unit}` : `${shown} of ${total} ${unit}`;
}

/**
 * Hides the sections that have rows but show none, and the jump links to them.
 * @param {HTMLElement[]} rows
 */
function hideEmptySections(rows) {
  for (const section of new Set(rows.flatMap((row) => row.closest("section") ?? []))) {
    section.hidden = !rows.some((row) => !row.hidden && section.contains(row));
  }
  for (const item of all(".fb-letters li")) {
    const target = document.getElementById(item.querySelector("a")?.hash.slice(1) ?? "");
    item.hidden = Boolean(target?.closest("[hidden]"));
  }
}

/**
 * What a filter shows or hides: the rows of each part, or the part itself where it has none.
 * @param {HTMLElement} part
 */
function rowsOf(part) {
  const rows = all("tbody tr, li:not(li li)", part);
  return rows.length ? rows : [part];
}

/** @param {HTMLElement} form */
function enhance(form) {
  const input = form.querySelector("input");
  const count = form.querySelector("[role=status]");
  if (!input || !count) return;
  const rows = all(form.dataset.fbFilter ?? "").flatMap(rowsOf);
  const texts = rows.map((row) => fold(row.textContent ?? ""));
  const unit = count.textContent?.replace(/^[\d\s,.]+/, "") ?? "";
  const apply = () => {
    rows.forEach((row, at) => (row.hidden = !matches(texts[at] ?? "", input.value)));
    const shown = rows.filter((row) => !row.hidden).length;
    hideEmptySections(rows);
    count.textContent = countText(shown, rows.length, unit);
    for (const none of all(".fb-none")) none.hidden = shown > 0;
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  input.addEventListener("input", () => {
    apply();
    showAddress(withParam(location.href, "q", input.value));
  });
  input.value = new URL(location.href).searchParams.get("q") ?? "";
  apply();
  form.hidden = false;
}

/** Shows each filter box and applies the query of the address. */
export const start = () => all("[data-fb-filter]").forEach(enhance);
