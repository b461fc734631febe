// Tabs over sections that stand below each other without JavaScript.
import { all, hashTarget, showAddress } from "./dom.js";

/**
 * The place that a key moves to in a row of tabs; undefined where the key means nothing there.
 * @param {string} key
 * @param {number} from
 * @param {number} count
 */
export function moveTo(key, from, count) {
  const places = { ArrowRight: (from + 1) % count, ArrowLeft: (from + count - 1) % count, Home: 0, End: count - 1 };
  return new Map(Object.entries(places)).get(key);
}

/** @param {HTMLElement} panel */
function makeTab(panel) {
  const tab = document.createElement("button");
  tab.type = "button";
  tab.id = `tab-${panel.id}`;
  tab.textContent = panel.dataset.tab ?? panel.id;
  tab.setAttribute("role", "tab");
  tab.setAttribute("aria-controls", panel.id);
  panel.setAttribute("role", "tabpanel");
  panel.setAttribute("aria-labelledby", tab.id);
  return tab;
}

/** @param {HTMLElement} box */
function enhance(box) {
  const panels = all(".fb-tab", box);
  if (panels.length < 2) return;
  const tabs = panels.map(makeTab);
  const list = document.createElement("div");
  list.className = "fb-tablist";
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-label", "Stack");
  list.append(...tabs);
  /** @param {number} chosen */
  const select = (chosen) => {
    tabs.forEach((tab, at) => {
      tab.setAttribute("aria-selected", String(at === chosen));
      tab.tabIndex = at === chosen ? 0 : -1;
    });
    panels.forEach((panel, at) => (panel.hidden = at !== chosen));
  };
  /** @param {number} chosen */
  const choose = (chosen) => {
    select(chosen);
    tabs[chosen]?.focus();
    showAddress(`#${panels[chosen]?.id}`);
  };
  const follow = () => {
    const target = hashTarget();
    const named = panels.findIndex((panel) => panel.contains(target));
    if (!target || named < 0) return;
    select(named);
    // The browser could not scroll to a target that was hidden.
    target.scrollIntoView();
  };
  tabs.forEach((tab, at) => tab.addEventListener("click", () => choose(at)));
  list.addEventListener("keydown", (event) => {
    const to = moveTo(event.key, tabs.findIndex((tab) => tab === event.target), tabs.length);
    if (to === undefined) return;
    event.preventDefault();
    choose(to);
  });
  box.prepend(list);
  select(0);
  addEventListener("hashchange", follow);
  follow();
}

/** Builds the tabs of each box that has at least two sections. */
export const start = () => all("[data-fb-tabs]").forEach(enhance);
