// The large box: words and single lines are searched while somebody types, whole logs go to the diagnose page.
import { withParam } from "../address.js";
import { all, make, showAddress } from "../dom.js";
import { lastName } from "../nearest.js";
import { warmUp } from "./client.js";
import { goTo, handOver, isLog, isShareable, PASTED } from "./handover.js";
import { addressOf, find, groupsOf, isMatch, makeOption, summaryOf } from "./results.js";

const NOTHING = "Nothing found for these words.";
const NO_ROOM = "This log is too large to hand over. Paste or drop it on the diagnose page.";
const HANDED = 3e6;
const BROKEN = "The search could not be loaded. Reload the page, or use the lists below.";

/**
 * The list below the box.
 * @param {import("./results.js").Result[]} results
 * @param {string} query
 */
function makeLinks(results, query) {
  return groupsOf(results).flatMap((group) => [
    make("p", "fb-group", group.name),
    ...group.results.map((result) => {
      const link = makeOption("a", result, query);
      link.href = addressOf(result) ?? "";
      return link;
    }),
  ]);
}

/** @param {HTMLFormElement} form */
function parts(form) {
  const area = form.querySelector("textarea");
  const [out, say] = [all("[data-fb-results]", form)[0], all(".fb-ask__say", form)[0]];
  return area && out && say ? { area, out, say, lost: "fbLost" in form.dataset } : null;
}

/**
 * Searches for what the box holds, and keeps it in the address where that is harmless.
 * @param {NonNullable<ReturnType<typeof parts>>} found
 */
async function search({ area, out, say, lost }) {
  const text = area.value;
  const line = isLog(text) ? "" : text;
  if (!lost) showAddress(withParam(location.href, "q", isShareable(line) ? line.trim() : ""));
  if (line.trim().length < 2) {
    out.replaceChildren();
    say.textContent = line === text ? "" : `${text.trimEnd().split("\n").length} lines: read as a log`;
    return [];
  }
  try {
    const results = await find(line);
    if (area.value !== text) return [];
    out.replaceChildren(...makeLinks(results, line));
    say.textContent = summaryOf(results) || NOTHING;
    return results;
  } catch {
    say.textContent = BROKEN;
    return [];
  }
}

/**
 * Opens what matches, and reads all else as a log.
 * @param {HTMLFormElement} form
 * @param {NonNullable<ReturnType<typeof parts>>} found
 */
async function submit(form, found) {
  const { area, out, say } = found;
  if (isLog(area.value)) {
    if (!handOver([{ name: PASTED, text: area.value }], form.action)) say.textContent = NO_ROOM;
    return;
  }
  const results = await search(found);
  const match = results.find(isMatch);
  const address = match && addressOf(match);
  if (address) location.assign(address);
  else if (results.length) all("a", out)[0]?.focus();
  else if (area.value.trim()) goTo(area.value, form.action);
}

/**
 * Enter sends one line, as in any search box; with Shift it begins another.
 * @param {KeyboardEvent} event
 * @param {HTMLFormElement} form
 */
function press(event, form) {
  const area = event.target;
  if (event.key !== "Enter" || event.isComposing || !(area instanceof HTMLTextAreaElement)) return;
  const send = event.ctrlKey || event.metaKey || (!event.shiftKey && !area.value.includes("\n"));
  if (!send) return;
  event.preventDefault();
  form.requestSubmit();
}

/**
 * Hands files that are dropped to the page that reads logs, if they are small texts: others cannot leave a page.
 * @param {HTMLFormElement} form
 * @param {NonNullable<ReturnType<typeof parts>>} found
 */
function onDrop(form, { say }) {
  addEventListener("dragover", (event) => event.dataTransfer?.types.includes("Files") && event.preventDefault());
  addEventListener("drop", async (event) => {
    const files = [...(event.dataTransfer?.files ?? [])];
    if (!files.length) return;
    // The browser would show the file in place of the page.
    event.preventDefault();
    const small = files.reduce((sum, { size }) => sum + size, 0) <= HANDED && !files.some(({ name }) => /\.(gz|zip|zst)$/i.test(name));
    const texts = small ? await Promise.all(files.map(async (file) => ({ name: file.name, text: await file.text() }))) : [];
    if (!texts.length || !handOver(texts, form.action)) say.textContent = NO_ROOM;
  });
}

/** @param {HTMLFormElement} form */
function enhance(form) {
  const found = parts(form);
  if (!found) return;
  const { area } = found;
  area.addEventListener("input", () => search(found));
  area.addEventListener("keydown", (event) => press(event, form));
  if (!form.closest("[data-fb-diagnose]")) {
    onDrop(form, found);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void submit(form, found);
    });
  }
  const asked = new URL(location.href).searchParams.get("q");
  if (found.lost) area.value ||= lastName(location.pathname).replace(/[-_]+/g, " ");
  else if (asked) area.value = asked;
  if (area.value) void search(found);
  else requestIdle(warmUp);
}

/** @param {() => void} work */
function requestIdle(work) {
  if ("requestIdleCallback" in window) requestIdleCallback(work, { timeout: 2000 });
  else setTimeout(work, 200);
}

/** Makes each large box search. */
export function start() {
  for (const form of all("[data-fb-ask]")) if (form instanceof HTMLFormElement) enhance(form);
}
