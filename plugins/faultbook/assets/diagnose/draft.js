// "Write an entry from these lines": shows the draft, to copy, to save, or to take to GitHub's page for a new file.
// Nothing is sent before the reader follows that link.
import { make } from "../dom.js";
import { request } from "../search/client.js";

/**
 * @typedef {object} Page
 * @property {(name: string) => HTMLElement} part
 * @property {{diagnosis: import("./types.js").Diagnosis} | undefined} shown
 */

/** GitHub answers longer addresses with an error. */
export const LONGEST_ADDRESS = 7000;
const NAME = "SLUG.yaml";

/**
 * The address of GitHub's page for a new file with the draft in it, or of the empty page if it would be too long.
 * @param {string} start  such as https://github.com/owner/name/new/main
 * @param {string} folder  of the entries
 * @param {string} text
 */
export function newFileAddress(start, folder, text) {
  const category = /\/([a-z0-9-]+)\/SLUG\.yaml/.exec(text)?.[1] ?? "CATEGORY";
  const empty = `${start}?filename=${encodeURIComponent(`${folder}/${category}/${NAME}`)}`;
  const whole = `${empty}&value=${encodeURIComponent(text)}`;
  return whole.length > LONGEST_ADDRESS ? { href: empty, filled: false } : { href: whole, filled: true };
}

/** @param {string} text */
function save(text) {
  const link = make("a", "");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/yaml" }));
  link.download = NAME;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** @param {HTMLTextAreaElement} area */
async function copy(area) {
  try {
    await navigator.clipboard.writeText(area.value);
    return "Draft copied";
  } catch {
    area.select();
    return "Copying is blocked here. The draft is selected, press Ctrl+C or Cmd+C";
  }
}

/**
 * Hides the draft of an earlier answer, and offers one where lines are left that no entry describes.
 * @param {Page} page
 */
export function offerDraft(page) {
  const answer = page.shown?.diagnosis.answer;
  page.part("write").hidden = !answer?.error_lines.length;
  page.part("drafted").hidden = true;
  page.part("draft-said").textContent = "";
}

/** @param {Page} page */
async function showDraft(page) {
  const area = page.part("draft-text");
  const answer = page.shown?.diagnosis.answer;
  if (!answer || !(area instanceof HTMLTextAreaElement)) return;
  const { tags = "{}", folder = "entries", newFile } = page.part("write").dataset;
  const { text } = await request({ type: "draft", answer, tags: JSON.parse(tags) });
  if (answer !== page.shown?.diagnosis.answer) return;
  page.part("drafted").hidden = text === null;
  page.part("draft-said").textContent = text === null ? "No line has words enough for a template. Give more of the log." : "Draft ready";
  if (text === null) return;
  area.value = text;
  area.rows = Math.min(40, text.split("\n").length - 1);
  const link = page.part("draft-open");
  if (newFile && link instanceof HTMLAnchorElement) {
    const { href, filled } = newFileAddress(newFile, folder, text);
    link.href = href;
    page.part("draft-long").hidden = filled;
  }
  area.focus({ preventScroll: true });
  page.part("drafted").scrollIntoView({ block: "nearest" });
}

/**
 * Makes the buttons work.
 * @param {Page} page
 */
export function listenDraft(page) {
  const area = page.part("draft-text");
  if (!(area instanceof HTMLTextAreaElement)) return;
  page.part("draft").addEventListener("click", () => void showDraft(page));
  page.part("draft-save").addEventListener("click", () => save(area.value));
  page.part("draft-copy").addEventListener("click", async () => {
    page.part("draft-said").textContent = await copy(area);
  });
}
