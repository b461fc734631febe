// A link to a place inside closed details opens them.
import { hashTarget } from "./dom.js";

function reveal() {
  const target = hashTarget();
  const closed = target?.closest("details:not([open])");
  for (let at = target?.closest("details"); at; at = at.parentElement?.closest("details")) at.open = true;
  if (closed) target?.scrollIntoView();
}

/** Follows the fragment of the address, now and when it changes. */
export function start() {
  addEventListener("hashchange", reveal);
  reveal();
}
