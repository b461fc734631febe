// Copy buttons. A dangerous command can be copied only after its warning was opened.
import { all, make } from "./dom.js";

const BLOCKED = "Copying is blocked here. The command is selected, press Ctrl+C or Cmd+C";

/**
 * @param {HTMLButtonElement} button
 * @param {HTMLDetailsElement | null} warning
 */
function lock(button, warning) {
  const update = () => {
    button.disabled &&= !warning?.open;
    button.title = button.disabled ? "Open the warning first" : "";
  };
  button.disabled = Boolean(warning);
  warning?.addEventListener("toggle", update);
  update();
}

/**
 * Copies the code, or selects it where the browser refuses: without https, or without consent.
 * @param {Element} code
 */
async function copy(code) {
  try {
    await navigator.clipboard.writeText(code.textContent ?? "");
    return true;
  } catch {
    getSelection()?.selectAllChildren(code);
    return false;
  }
}

/**
 * @param {HTMLElement} figure
 * @param {HTMLElement} status
 */
function enhance(figure, status) {
  const button = figure.querySelector("button");
  const code = figure.querySelector("pre code");
  if (!button || !code) return;
  const name = code.parentElement?.getAttribute("aria-label") ?? "command";
  let timer = 0;
  /** @type {(word: string, said: string) => void} */
  const say = (word, said) => {
    (button.querySelector("span") ?? button).textContent = word;
    button.setAttribute("aria-label", `${word}: ${name}`);
    status.textContent = said;
  };
  button.addEventListener("click", async () => {
    if (await copy(code)) say("Copied", "Command copied");
    else say("Press Ctrl+C", BLOCKED);
    clearTimeout(timer);
    timer = window.setTimeout(say, 2500, "Copy", "");
  });
  say("Copy", "");
  lock(button, figure.querySelector("details"));
  button.hidden = false;
}

/** @type {HTMLElement | undefined} */
let region;

/** One region for all buttons: a region that appears together with its text is not read. */
function makeRegion() {
  const status = make("p", "fb-sr");
  status.setAttribute("role", "status");
  document.body.append(status);
  return status;
}

/**
 * Shows the copy button of each command of a part of the page.
 * @param {ParentNode} [root]
 */
export function start(root) {
  region ??= makeRegion();
  for (const figure of all(".fb-cmd:has(.fb-copy)", root)) enhance(figure, region);
}
