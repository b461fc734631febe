// Tests that get a fresh page of the built site in a real browser.
import { after, test } from "node:test";

import { stop, UNAVAILABLE, visit } from "./browser.js";

after(stop);

/**
 * A test in a fresh page.
 * @param {string} name
 * @param {(visit: import("./browser.js").Visit, t: import("node:test").TestContext) => Promise<void>} body
 * @param {import("./browser.js").Options} [options]
 */
export function pageTest(name, body, options = {}) {
  test(name, { skip: UNAVAILABLE, timeout: 120_000 }, (t) => visit(options, (visited) => body(visited, t)));
}
