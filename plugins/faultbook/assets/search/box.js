// The search box of the header: a combobox over a list of entries.
import { all, make } from "../dom.js";
import { warmUp } from "./client.js";
import { goTo } from "./handover.js";
import { addressOf, find, groupsOf, isMatch, makeOption, summaryOf } from "./results.js";

/** @typedef {import("./results.js").Result} Result */

const NOTHING = "Nothing found. Enter opens the diagnose page.";
const BROKEN = "The search could not be loaded. Enter opens the diagnose page.";

/**
 * @param {Result[]} results
 * @param {string} query
 */
function makeGroups(results, query) {
  return groupsOf(results).map((group, at) => {
    const head = make("div", "fb-group", group.name);
    const options = group.results.map((result) => {
      const option = makeOption("div", result, query);
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", "false");
      option.dataset.href = addressOf(result) ?? "";
      return option;
    });
    const box = make("div", "", head, ...options);
    head.id = `fb-group-${at}`;
    box.setAttribute("role", "group");
    box.setAttribute("aria-labelledby", head.id);
    return box;
  });
}

/** @param {HTMLFormElement} form */
function parts(form) {
  const input = form.querySelector("input");
  const [pop, list, status] = [".fb-pop", "[role=listbox]", "[role=status]"].map((part) => all(part, form)[0]);
  return input && pop && list && status ? { input, pop, list, status } : null;
}

/** The box, its list and what is chosen in it. */
export class Box {
  /** @type {HTMLElement[]} */
  options = [];
  current = -1;
  shown = "";

  /**
   * @param {HTMLFormElement} form
   * @param {NonNullable<ReturnType<typeof parts>>} found
   */
  constructor(form, found) {
    this.form = form;
    this.input = found.input;
    this.pop = found.pop;
    this.list = found.list;
    this.status = found.status;
  }

  close() {
    this.pop.hidden = true;
    this.current = -1;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
    for (const option of this.options) option.setAttribute("aria-selected", "false");
  }

  /** @param {number} to */
  choose(to) {
    const count = this.options.length;
    if (!count) return;
    this.current = (to + count) % count;
    this.options.forEach((option, at) => option.setAttribute("aria-selected", String(at === this.current)));
    const chosen = this.options[this.current];
    if (!chosen) return;
    this.input.setAttribute("aria-activedescendant", chosen.id);
    chosen.scrollIntoView({ block: "nearest" });
  }

  /** @param {HTMLElement | undefined} option */
  open(option) {
    if (option?.dataset.href) location.assign(option.dataset.href);
  }

  async search() {
    const query = this.input.value;
    this.shown = query;
    if (query.trim().length < 2) return this.close();
    try {
      const results = await find(query);
      if (this.shown === query) this.show(results, query);
    } catch {
      if (this.shown === query) this.show([], query, BROKEN);
    }
  }

  /**
   * @param {Result[]} results
   * @param {string} query
   * @param {string} [nothing]
   */
  show(results, query, nothing = NOTHING) {
    this.list.replaceChildren(...makeGroups(results, query));
    this.options = all("[role=option]", this.list);
    this.options.forEach((option, at) => (option.id = `fb-option-${at}`));
    this.status.textContent = summaryOf(results) || nothing;
    this.current = -1;
    this.input.removeAttribute("aria-activedescendant");
    this.pop.hidden = false;
    this.list.hidden = !this.options.length;
    this.input.setAttribute("aria-expanded", String(this.options.length > 0));
    // What is only similar may be wrong, so that Enter never opens it unasked.
    if (results.some(isMatch)) this.choose(0);
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const moves = new Map([["ArrowDown", this.current + 1], ["ArrowUp", this.current < 0 ? -1 : this.current - 1]]);
    const to = moves.get(event.key);
    if (event.key === "Escape" && !this.pop.hidden) {
      // The browser would empty the box as well.
      event.preventDefault();
      this.close();
    } else if (to !== undefined && this.options.length) {
      event.preventDefault();
      if (this.pop.hidden) void this.search();
      else this.choose(to);
    }
  }

  /** Opens what is chosen, else the diagnose page. */
  async enter() {
    // The answer to the last letter may still be on its way.
    if (this.pop.hidden || this.shown !== this.input.value) await this.search();
    const option = this.options[this.current];
    if (option && !this.pop.hidden) this.open(option);
    else if (this.input.value.trim()) goTo(this.input.value, this.form.action);
  }
}

/**
 * Makes the box of the header search while somebody types.
 * @param {HTMLFormElement} form
 */
export function enhance(form) {
  const found = parts(form);
  if (!found) return null;
  const box = new Box(form, found);
  box.input.addEventListener("input", () => box.search());
  box.input.addEventListener("focus", () => box.search());
  box.input.addEventListener("keydown", (event) => box.press(event));
  box.list.addEventListener("click", (event) => {
    box.open(box.options.find((option) => event.target instanceof Node && option.contains(event.target)));
  });
  // The list takes no focus, so that a click on it must not take that of the box away.
  box.pop.addEventListener("pointerdown", (event) => event.preventDefault());
  form.addEventListener("focusout", (event) => {
    if (!(event.relatedTarget instanceof Node && form.contains(event.relatedTarget))) box.close();
  });
  warmUp();
  void box.search();
  return box;
}
