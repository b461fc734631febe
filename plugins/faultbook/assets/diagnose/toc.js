// The table of contents of an answer: the theme's own, without the sections that this answer lacks.
import { all } from "../dom.js";

/**
 * @param {HTMLElement} root
 * @param {boolean} shown Whether an answer is shown at all.
 */
export function syncContents(root, shown) {
  for (const sidebar of all(".md-sidebar--secondary")) {
    for (const link of all("a[href^='#']", sidebar)) {
      const target = document.getElementById(link.getAttribute("href")?.slice(1) ?? "");
      const section = target?.closest("section");
      const item = link.closest("li");
      if (item && section && root.contains(section)) item.hidden = section.hidden;
    }
    sidebar.hidden = !shown;
  }
}
