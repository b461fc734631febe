// The diagnose page: takes texts and files, has the worker read them, shows the answer.
import { withParam } from "../address.js";
import { all, make, showAddress } from "../dom.js";
import { request, warmUp } from "../search/client.js";
import { forget, keep, kept, withKept } from "../search/handover.js";
import { fillAnswer, readParts, remarksOf } from "./answer.js";
import { icon } from "./blocks.js";
import { listenDraft, offerDraft } from "./draft.js";
import { listen } from "./inputs.js";
import { makeReport } from "./report.js";
import { syncContents } from "./toc.js";
import { textsOf, wordsShared } from "./texts.js";
import { isolated, visible } from "./visible.js";
import { factsOf, megabytes, summaryOf, verdictOf } from "./words.js";

/** @typedef {import("./types.js").Source} Source */
/** @typedef {import("./types.js").Diagnosis} Diagnosis */
/** @typedef {{diagnosis: Diagnosis, parts: import("./blocks.js").Parts[], masked: Map<string, string>, shared: Map<string, string[]>}} Shown */

const SITE = new URL("../../../", import.meta.url);
const PATIENCE = 200;
const VIEWS = /** @type {const} */ (["idle", "running", "answer"]);

class Page {
  /** @type {Source[]} */
  sources = [];
  /** @type {AbortController | undefined} */
  control;
  /** @type {Shown | undefined} */
  shown;
  unmasked = false;

  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
  }

  /** @param {string} name */
  part(name) {
    const [found] = all(`[data-fb=${name}]`, this.root);
    if (!found) throw new Error(`the page has no part '${name}'`);
    return found;
  }

  /** @param {(typeof VIEWS)[number]} view */
  turnTo(view) {
    for (const name of VIEWS) this.part(name).hidden = name !== view;
    syncContents(this.root, view === "answer");
  }

  /** @param {string} text */
  complain(text) {
    this.turnTo("idle");
    for (const say of all(".fb-ask__say", this.root)) say.textContent = text;
  }

  /** @param {{bytes: number, total: number}} read */
  showProgress({ bytes, total }) {
    const bar = this.part("progress");
    if (bar instanceof HTMLProgressElement) {
      bar.max = Math.max(total, 1);
      bar.value = Math.min(bytes, total);
    }
    this.part("read").textContent = `${megabytes(bytes)} of ${megabytes(total)} MB`;
  }

  /** Shows that the log is being read. */
  wait() {
    this.turnTo("running");
    this.part("status").textContent = "Reading";
    // What had the focus may be hidden now.
    if (document.activeElement === document.body || document.activeElement?.checkVisibility() === false) this.part("cancel").focus();
  }

  /**
   * Diagnoses texts and files as one incident.
   * @param {Source[]} sources
   */
  async run(sources) {
    this.control?.abort();
    const control = new AbortController();
    this.control = control;
    const names = sources.slice(0, 4).flatMap(({ name }) => [", ", isolated(name)]).slice(1);
    this.part("reading").replaceChildren(...names, ...(sources.length > 4 ? [" …"] : []));
    this.showProgress({ bytes: 0, total: sources.reduce((sum, { file }) => sum + (file?.size ?? 0), 0) });
    // What is ready at once must not flicker.
    const timer = setTimeout(() => this.wait(), PATIENCE);
    try {
      const options = { signal: control.signal, onProgress: this.showProgress.bind(this) };
      const diagnosis = /** @type {Diagnosis} */ (await request({ type: "diagnose", files: sources }, options));
      this.sources = sources;
      this.remember();
      await this.show(diagnosis, control.signal);
    } catch (error) {
      if (control.signal.aborted) return;
      this.complain(`The log could not be read: ${error instanceof Error ? error.message : error}`);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Keeps texts, so that who follows a link of the answer finds it again on the way back. Files cannot be kept. */
  remember() {
    const texts = this.sources.flatMap(({ name, text }) => (text === undefined ? [] : [{ name, text }]));
    const named = new URL(location.href).searchParams.get("sample");
    const sample = texts.length === 1 && this.sources.length === 1 && texts[0]?.name === `${named}.log`;
    const whole = !sample && texts.length === this.sources.length && keep(texts);
    if (!whole) forget();
    showAddress(withParam(withKept(location.href, whole), "sample", sample && named ? named : ""));
  }

  /**
   * @param {Diagnosis} diagnosis
   * @param {AbortSignal} signal
   */
  async show(diagnosis, signal) {
    const texts = textsOf(diagnosis);
    const [parts, { texts: masked }, shared] = await Promise.all([
      readParts(diagnosis.answer),
      request({ type: "mask", texts }),
      wordsShared(diagnosis.answer),
    ]);
    if (signal.aborted) return;
    this.shown = { diagnosis, parts, masked: new Map(texts.map((text, at) => [text, masked[at]])), shared };
    this.unmasked = false;
    this.fill();
    this.turnTo("answer");
    const verdict = this.part("verdict");
    this.part("status").textContent = verdict.textContent;
    verdict.focus({ preventScroll: true });
    scrollTo({ top: 0 });
  }

  /** @param {string} text */
  mask(text) {
    return this.unmasked ? text : (this.shown?.masked.get(text) ?? text);
  }

  fill() {
    if (!this.shown) return;
    const { diagnosis, parts, shared, masked } = this.shown;
    const { answer, entries } = diagnosis;
    const show = this.mask.bind(this);
    const titles = new Map(answer.findings.map(({ entry, title }) => [entry, title]));
    const nameOf = (/** @type {string} */ slug) => entries[slug]?.title ?? titles.get(slug) ?? slug;
    this.fillState();
    fillAnswer(this.root, { diagnosis, show, nameOf, sharedOf: (slug) => shared.get(slug) ?? [] }, parts);
    const remarks = remarksOf(answer);
    this.part("remarks").replaceChildren(...remarks.map((remark) => make("li", "", visible(show(remark)))));
    this.part("remarks").hidden = !remarks.length;
    this.part("summary").textContent = summaryOf(answer);
    this.part("summary").hidden = !summaryOf(answer);
    this.part("masking").hidden = [...masked].every(([text, other]) => text === other);
    this.part("unmask").setAttribute("aria-pressed", String(this.unmasked));
    this.part("report").textContent = "Copy report";
    offerDraft(this);
  }

  fillState() {
    if (!this.shown) return;
    const { answer } = this.shown.diagnosis;
    const [strong, rest] = verdictOf(answer);
    const state = this.part("state");
    state.classList.toggle("fb-state--unknown", answer.verdict === "unknown");
    state.classList.toggle("fb-state--none", answer.verdict === "no-failure");
    const mark = { match: [], unknown: [icon("unknown")], "no-failure": [icon("yes")] }[answer.verdict];
    this.part("verdict").replaceChildren(...mark, make("strong", "", strong), ...(rest ? [" ", isolated(rest)] : []));
    const facts = factsOf(this.shown.diagnosis, this.sources.length);
    this.part("facts").replaceChildren(...facts.flatMap((fact) => [make("span", "", fact), " "]));
  }

  /** The report as it is copied: masked as the page is. */
  report() {
    if (!this.shown) return "";
    const { diagnosis } = this.shown;
    /** @param {number} at */
    const lines = (at) => {
      const contexts = diagnosis.details.context.filter(({ finding }) => finding === at);
      const rows = contexts.flatMap(({ file, rows: all }) => all.map(({ line, text }) => ({ file, line, text })));
      return rows.length ? rows : (diagnosis.answer.findings[at]?.evidence ?? []);
    };
    return makeReport(diagnosis, { files: this.sources.length, root: SITE, show: this.mask.bind(this), lines });
  }

  async copyReport() {
    const text = this.report();
    try {
      await navigator.clipboard.writeText(text);
      this.part("report").textContent = "Copied";
      this.part("status").textContent = "Report copied";
    } catch {
      // Without https, or without consent, the reader copies by hand.
      const area = make("textarea", "fb-report", text);
      area.readOnly = true;
      area.rows = 12;
      area.setAttribute("aria-label", "Report");
      all(".fb-report", this.root).forEach((old) => old.remove());
      this.part("state").after(area);
      area.select();
      this.part("status").textContent = "Copying is blocked here. The report is selected, press Ctrl+C or Cmd+C";
    }
  }

  startAnew() {
    this.control?.abort();
    this.shown = undefined;
    this.sources = [];
    all(".fb-report", this.root).forEach((old) => old.remove());
    forgetAddress();
    this.turnTo("idle");
    all("textarea", this.root)[0]?.focus();
  }

  toggleMask() {
    this.unmasked = !this.unmasked;
    this.fill();
  }
}

/** The address names neither a sample nor a log any more. */
function forgetAddress() {
  forget();
  showAddress(withParam(withKept(location.href, false), "sample", ""));
}

/** Makes the page work, and reads at once what another page handed over or the address names. */
export function start() {
  for (const root of all("[data-fb-diagnose]")) {
    const page = new Page(root);
    const runSample = listen(page);
    listenDraft(page);
    const asked = new URL(location.href).searchParams;
    const texts = asked.has("log") ? kept() : [];
    warmUp();
    if (texts.length) void page.run(texts);
    else if (asked.has("sample")) void runSample(asked.get("sample") ?? "");
    else forgetAddress();
  }
}
