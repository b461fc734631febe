// Runs every test file of this folder in one process, so that they share one browser.
import { readdirSync } from "node:fs";

const names = readdirSync(new URL(".", import.meta.url)).sort();

for (const name of names.filter((found) => found.endsWith(".test.js"))) await import(`./${name}`);
