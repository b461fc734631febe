// What the diagnose page takes: typed and pasted text, picked and dropped files, samples.
import { withParam } from "../address.js";
import { all, showAddress } from "../dom.js";
import { PASTED } from "../search/handover.js";

/** @typedef {import("./types.js").Source} Source */
/**
 * @typedef {object} Page
 * @property {HTMLElement} root
 * @property {Source[]} sources
 * @property {(name: string) => HTMLElement} part
 * @property {(sources: Source[]) => Promise<void>} run
 * @property {(text: string) => void} complain
 * @property {() => Promise<void>} copyReport
 * @property {() => void} startAnew
 * @property {() => void} toggleMask
 */

/** @type {(files: Iterable<File>) => Source[]} */
const asSources = (files) => [...files].map((file) => ({ name: file.name, file }));

/**
 * Reads what a picker gave. It is emptied, so that the same file can be picked again after it has grown.
 * @param {HTMLElement} picker
 * @param {(files: Source[]) => void} use
 */
function onPick(picker, use) {
  picker.addEventListener("change", () => {
    if (!(picker instanceof HTMLInputElement)) return;
    const sources = asSources(picker.files ?? []);
    picker.value = "";
    if (sources.length) use(sources);
  });
}

/** @type {(event: DragEvent) => boolean} */
const hasFiles = (event) => Boolean(event.dataTransfer?.types.includes("Files"));

/**
 * Files may be dropped anywhere: a browser opens those that nobody takes, in place of the page.
 * @param {Page} page
 * @param {(files: Source[]) => void} use
 */
function onDrop(page, use) {
  /** @param {boolean} over */
  const mark = (over) => page.root.classList.toggle("is-over", over);
  addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    mark(true);
  });
  addEventListener("dragleave", (event) => event.relatedTarget === null && mark(false));
  addEventListener("drop", (event) => {
    mark(false);
    if (!hasFiles(event)) return;
    event.preventDefault();
    const sources = asSources(event.dataTransfer?.files ?? []);
    if (sources.length) use(sources);
  });
}

/**
 * Runs the sample of an entry; its address names it.
 * @param {Page} page
 * @param {string} slug
 */
async function runSample(page, slug) {
  const link = all("[data-fb-sample]", page.root).find((found) => found.dataset.fbSample === slug);
  if (!(link instanceof HTMLAnchorElement)) return;
  try {
    const response = await fetch(link.href);
    if (!response.ok) throw new Error(`${response.status}`);
    showAddress(withParam(location.href, "sample", slug));
    await page.run([{ name: `${slug}.log`, text: await response.text() }]);
  } catch {
    page.complain("The sample could not be loaded.");
  }
}

/**
 * Listens to every input of the page; gives what runs a sample.
 * @param {Page} page
 */
export function listen(page) {
  const add = (/** @type {Source[]} */ sources) => void page.run([...page.sources, ...sources]);
  const [form] = all("form", page.root);
  form?.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = form.querySelector("textarea")?.value ?? "";
    if (text.trim()) void page.run([{ name: PASTED, text }]);
    else page.complain("Paste a log first, or open files.");
  });
  onPick(page.part("files"), (sources) => void page.run(sources));
  onPick(page.part("more"), add);
  // On an answer, files that are dropped belong to the same incident.
  onDrop(page, (sources) => (page.part("answer").hidden ? void page.run(sources) : add(sources)));
  for (const link of all("[data-fb-sample]", page.root)) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      void runSample(page, link.dataset.fbSample ?? "");
    });
  }
  page.part("cancel").addEventListener("click", () => page.startAnew());
  page.part("new").addEventListener("click", () => page.startAnew());
  page.part("report").addEventListener("click", () => page.copyReport());
  page.part("unmask").addEventListener("click", () => page.toggleMask());
  return (/** @type {string} */ slug) => runSample(page, slug);
}
