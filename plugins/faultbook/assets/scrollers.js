// A block that scrolls sideways is a tab stop, so that a keyboard can scroll it; others are none.
import { all } from "./dom.js";

/**
 * Keeps the tab stops of a part of the page right as it changes its width.
 * @param {ParentNode} [root]
 */
export function start(root) {
  const watcher = new ResizeObserver((changes) => {
    for (const { target } of changes) {
      if (target.scrollWidth > target.clientWidth) target.setAttribute("tabindex", "0");
      else target.removeAttribute("tabindex");
    }
  });
  for (const block of all(".fb-pre, .fb-log, .fb-grid", root)) watcher.observe(block);
}
