// Tests that get a page of the built site in a real browser.
import { after, test } from "node:test";

import { stop, UNAVAILABLE, visit } from "./browser.js";

after(stop);

/**
 * A test in a clean page.
 * @param {string} name
 * @param {(visit: import("./browser.js").Visit, t: import("node:test").TestContext) => Promise<void>} body
 * @param {{scripts: boolean}} [options]
 */
export function pageTest(name, body, options = { scripts: true }) {
  test(name, { skip: UNAVAILABLE, timeout: 120_000 }, (t) => visit(options, (visited) => body(visited, t)));
}
