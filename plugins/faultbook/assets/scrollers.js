// A block that scrolls sideways is a tab stop, so that a keyboard can scroll it; others are none.
import { all } from "./dom.js";

/** Keeps the tab stops right as the page changes its width. */
export function start() {
  const watcher = new ResizeObserver((changes) => {
    for (const { target } of changes) {
      if (target.scrollWidth > target.clientWidth) target.setAttribute("tabindex", "0");
      else target.removeAttribute("tabindex");
    }
  });
  for (const block of all(".fb-pre, .fb-log, .fb-grid")) watcher.observe(block);
}
