// What can be wrong with any page, whatever it shows.

/** @typedef {import("playwright-core").Page} Page */

/**
 * Notes every request to another origin, failure and console message of a page from now on.
 * @param {Page} page
 * @param {URL} address The page's own address, which may itself be one that is not found.
 */
export function watch(page, address) {
  /** @type {string[]} */
  const problems = [];
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== address.origin && protocol !== "data:") problems.push(`foreign ${request.url()}`);
  });
  page.on("requestfailed", (request) => problems.push(`failed ${request.url()}`));
  page.on("response", (response) => {
    if (response.status() >= 400 && response.url() !== address.href) problems.push(`${response.status()} ${response.url()}`);
  });
  page.on("pageerror", (error) => problems.push(`error ${error.message}`));
  page.on("console", (message) => {
    const other = message.location().url !== address.href;
    if (other && ["error", "warning"].includes(message.type())) problems.push(`console ${message.text()}`);
  });
  return problems;
}

/**
 * The rules of the page's content security policy.
 * @param {Page} page
 */
export async function policyOf(page) {
  const policy = await page.locator("meta[http-equiv=Content-Security-Policy]").getAttribute("content");
  const rules = (policy ?? "").split(";").map((rule) => rule.trim());
  return new Map(rules.map((rule) => [rule.split(" ", 1)[0], rule.split(" ").slice(1).join(" ")]));
}

/** The bytes of the site's own modules that the page has loaded, without the engine, which works beside it. Runs in the page. */
export function moduleBytes() {
  const loaded = /** @type {PerformanceResourceTiming[]} */ (performance.getEntriesByType("resource"));
  const modules = loaded.filter((entry) => /\/assets\/faultbook\/(?!engine\/).*\.js$/.test(entry.name));
  return modules.reduce((sum, entry) => sum + entry.decodedBodySize, 0);
}

/** The faults of a page's headings, ids and references within. Runs in the page. */
export function outlineFaults() {
  const levels = [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].map((heading) => Number(heading.tagName[1]));
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  const referring = ["aria-labelledby", "aria-describedby", "aria-controls"];
  const referred = referring.flatMap((name) =>
    [...document.querySelectorAll(`[${name}]`)].flatMap((element) => (element.getAttribute(name) ?? "").split(" ")),
  );
  const icons = [...document.querySelectorAll("use")].map((use) => use.getAttribute("href") ?? "");
  return {
    h1: levels.filter((level) => level === 1).length,
    skipped: levels.filter((level, at) => at > 0 && level > (levels[at - 1] ?? 0) + 1),
    twice: ids.filter((id, at) => ids.indexOf(id) !== at),
    dead: [...referred.map((id) => `#${id}`), ...icons].filter((target) => !document.getElementById(target.slice(1))),
  };
}

/** What sticks out of the page sideways. Runs in the page. */
export function overflow() {
  const roots = [document.documentElement, document.body];
  // Material hides what is too wide, which would hide the fault as well.
  for (const root of roots) root.style.overflowX = "visible";
  const edge = document.documentElement.clientWidth + 1;
  /** @param {Element} element */
  const clipped = (element) => {
    for (let at = element.parentElement; at; at = at.parentElement) {
      if (/auto|scroll|hidden|clip/.test(getComputedStyle(at).overflowX)) return true;
    }
    return false;
  };
  const wide = [...document.querySelectorAll("body *")].filter((element) => {
    const { right, width } = element.getBoundingClientRect();
    return width > 1 && right > edge && !clipped(element);
  });
  const names = wide.slice(0, 3).map((element) => `${element.tagName}.${element.getAttribute("class") ?? ""}`);
  const found = document.documentElement.scrollWidth >= edge || wide.length ? [...names, "too wide"] : [];
  for (const root of roots) root.style.removeProperty("overflow-x");
  return found;
}
