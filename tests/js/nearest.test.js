import assert from "node:assert/strict";
import { test } from "node:test";

import { editDistance, lastName, nearest } from "../../plugins/faultbook/assets/nearest.js";

/** @type {(slug: string, title: string, aliases?: string[]) => import("../../plugins/faultbook/assets/nearest.js").Named} */
const named = (slug, title, aliases = []) => ({ slug, title, url: `entries/${slug}/`, aliases });

const ENTRIES = [
  named("master-port-in-use", "Rendezvous port already in use", ["ddp-port-conflict", "address-already-in-use-29500"]),
  named("ephemeral-ports-exhausted", "Ephemeral TCP ports exhausted"),
  named("checkpoint-truncated", "Checkpoint file is truncated"),
  named("ddp-unused-parameters", "DDP finds parameters that took no part in the loss"),
  named("nccl-shm-too-small", "NCCL cannot create its shared memory segment"),
  named("nccl-version-mismatch", "Ranks load different versions of NCCL"),
];

const DISTANCES = [
  ["", "", 0],
  ["", "abc", 3],
  ["abc", "", 3],
  ["port", "port", 0],
  ["prot", "port", 2],
  ["kitten", "sitting", 3],
];

for (const [a, b, expected] of DISTANCES) {
  test(`'${a}' and '${b}' are ${expected} changes apart`, () => {
    assert.equal(editDistance(String(a), String(b)), expected);
  });
}

/** @type {[name: string, wanted: string, slug: string][]} */
const NEAR = [
  ["a slip in the slug", "master-prot-in-use", "master-port-in-use"],
  ["underscores", "checkpoint_truncated", "checkpoint-truncated"],
  ["a missing word", "master-port-use", "master-port-in-use"],
  ["the first words only", "ephemeral-ports", "ephemeral-ports-exhausted"],
  ["a slip and a missing word", "ephmeral-ports", "ephemeral-ports-exhausted"],
  ["words in another order", "truncated-checkpoint-file", "checkpoint-truncated"],
  ["words of the title", "rendezvous-port-already-used", "master-port-in-use"],
  ["a slip in an alias", "ddp-port-conflicts", "master-port-in-use"],
  ["capitals and blanks", "DDP Unused Parameter", "ddp-unused-parameters"],
];

for (const [name, wanted, slug] of NEAR) {
  test(`nearest finds the entry by ${name}`, () => {
    assert.equal(nearest(wanted, ENTRIES)[0]?.slug, slug);
  });
}

const FAR = ["", "-", "favicon.ico", "wp-login.php", "robots.txt", "port", "kubernetes-image-pull", "x".repeat(5000)];

for (const wanted of FAR) {
  test(`nearest finds nothing for '${wanted.slice(0, 30)}'`, () => {
    assert.deepEqual(nearest(wanted, ENTRIES), []);
  });
}

test("nearest gives at most five entries, ties in the order of the slugs", () => {
  const twins = ["f", "b", "e", "a", "d", "c"].map((letter) => named(`port-taken-${letter}`, letter));
  const found = nearest("port-taken-z", twins).map((entry) => entry.slug);
  assert.deepEqual(found, ["a", "b", "c", "d", "e"].map((letter) => `port-taken-${letter}`));
});

const PATHS = [
  ["/entries/a-b/", "a-b"],
  ["/entries/a-b", "a-b"],
  ["/book/entries/a-b/index.html", "a-b"],
  ["/entries/a-b.html", "a-b"],
  ["/entries/a-b/index.md", "a-b"],
  ["/entries/caf%C3%A9/", "café"],
  ["/entries/100%/", "100%"],
  ["/index.html", ""],
  ["/", ""],
];

for (const [path, expected] of /** @type {string[][]} */ (PATHS)) {
  test(`the last name of '${path}' is '${expected}'`, () => {
    assert.equal(lastName(String(path)), expected);
  });
}
