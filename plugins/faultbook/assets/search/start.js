// The search of the header: what listens at once. The rest is loaded when somebody is about to search.
import { all } from "../dom.js";
import { handOver, isLog, PASTED } from "./handover.js";

const TYPING = "input, textarea, select, [contenteditable]";

/** The box that the keys go to: the large one of the page, else that of the header. */
const boxOf = () => all("#ask, #fb-q").reverse().find((box) => box.checkVisibility());

/** @param {KeyboardEvent} event */
function isCall(event) {
  if (event.key === "k") return (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
  const typing = event.target instanceof Element && event.target.matches(TYPING);
  return event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey;
}

/** @param {HTMLFormElement} form */
function enhance(form) {
  // A project may have a home page of its own, without a large box.
  form.hidden &&= Boolean(document.querySelector("[data-fb-ask]"));
  const input = form.querySelector("input");
  // An input drops line breaks, so that a log would be one long line.
  input?.addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text") ?? "";
    if (isLog(text) && handOver([{ name: PASTED, text }], form.action)) event.preventDefault();
  });
  /** @type {Promise<import("./box.js").Box | null> | undefined} */
  let box;
  const load = () => (box ??= import("./box.js").then(({ enhance: make }) => make(form)));
  form.addEventListener("focusin", load, { once: true });
  // Who types fast presses Enter before the box is there.
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    await (await load())?.enter();
  });
  if (form.contains(document.activeElement)) void load();
}

/** Makes the keys and the box of the header work. */
export function start() {
  for (const form of all("[data-fb-search]")) if (form instanceof HTMLFormElement) enhance(form);
  addEventListener("keydown", (event) => {
    const box = isCall(event) ? boxOf() : undefined;
    if (!(box instanceof HTMLInputElement || box instanceof HTMLTextAreaElement)) return;
    event.preventDefault();
    box.focus();
    box.select();
  });
}
