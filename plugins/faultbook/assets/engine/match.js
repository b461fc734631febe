// Signatures in events: templates, windows, comparisons.
import { holds } from "./comparison.js";
import { length } from "./points.js";
import { walk } from "./walker.js";

/** @typedef {import("./index.js").Index} Index */
/** @typedef {import("./index.js").Signature} Signature */
/** @typedef {import("./normalise.js").Event} Event */
/** @typedef {import("./walker.js").Span} Span */

/**
 * A signature that matches at an event, by its position. `end`: the position of the event in which the match ends, which
 * is this one, or the next of the same rank.
 * @typedef {{at: number, signature: number, template: number, span: Span, end: number}} Hit
 */

/** Characters from which on a line may have been broken in two by what printed it. */
const LONG_ENOUGH = 50;

/** @type {(one: [number, unknown], other: [number, unknown]) => number} */
const byNumber = ([one], [other]) => one - other;

/**
 * All hits, by event; a match inside the span of a more specific one of another entry is left out.
 * @param {Event[]} events
 * @param {Index} index
 * @param {Streams} streams
 */
export function match(events, index, streams = new Streams(events)) {
  const matcher = new Matcher(events, index, streams);
  return events.flatMap((_, at) => matcher.hits(at));
}

class Matcher {
  /**
   * @param {Event[]} events
   * @param {Index} index
   * @param {Streams} streams
   */
  constructor(events, index, streams) {
    this.events = events;
    this.index = index;
    this.found = events.map((event) => this.templates(event.full));
    this.streams = streams;
  }

  /**
   * The hits of an event that hold.
   * @param {number} at
   */
  hits(at) {
    const own = [...(this.found[at] ?? [])].sort(byNumber).flatMap(([template, span]) => this.fired(at, template, span));
    return outer(own.length ? own : this.joined(at), this.index);
  }

  /**
   * @param {string} line
   * @returns {Map<number, Span>}
   */
  templates(line) {
    const spans = new Map();
    for (const template of this.index.candidates(line)) {
      const span = walk(this.index.segments(template), line);
      if (span) spans.set(template, span);
    }
    return spans;
  }

  /**
   * The signatures that a template at an event makes match.
   * @param {number} at
   * @param {number} template
   * @param {Span} span
   * @param {number} end
   * @returns {Hit[]}
   */
  fired(at, template, span, end = at) {
    return (this.index.byTemplate.get(template) ?? []).flatMap((position) => {
      const signature = /** @type {Signature} */ (this.index.signatures[position]);
      const captures = signature.all ? this.together(at, signature, span) : span.captures;
      if (!captures || !signature.comparisons.every((comparison) => holds(comparison, captures))) return [];
      if (this.takenBack(at, signature)) return [];
      return [{ at, signature: position, template, span: { ...span, captures }, end }];
    });
  }

  /**
   * The captures of all templates of a signature, if all are near and agree on them.
   * @param {number} at
   * @param {Signature} signature
   * @param {Span} first
   */
  together(at, signature, first) {
    const captures = new Map(first.captures);
    for (const template of signature.templates.slice(1)) {
      const spans = this.streams.window(at, signature.within).map((near) => this.found[near]?.get(template));
      const other = spans.find((span) => span && agree(captures, span.captures));
      if (!other) return null;
      for (const [name, value] of other.captures) captures.set(name, value);
    }
    return captures;
  }

  /**
   * @param {number} at
   * @param {Signature} signature
   */
  takenBack(at, { unless, within }) {
    if (!unless.length) return false;
    const near = this.streams.window(at, within);
    return near.some((other) => unless.some((template) => this.found[other]?.has(template)));
  }

  /**
   * Hits of a message that two events hold, other than those that the second has by itself.
   * @param {number} at
   */
  joined(at) {
    const event = /** @type {Event} */ (this.events[at]);
    const after = this.streams.after(at);
    const next = after === null ? null : this.events[after];
    if (after === null || !next || length(event.full) < LONG_ENOUGH || next.run !== event.run) return [];
    const break_ = event.full.length;
    /** @type {Map<number, Span>} */
    const spans = new Map();
    for (const line of [`${event.full} ${next.text}`, event.full + next.text]) {
      for (const [template, span] of this.templates(line)) {
        const across = span.start < break_ && break_ < span.end;
        if (this.found[after]?.has(template) || !across || spans.has(template)) continue;
        spans.set(template, { ...span, end: Math.min(span.end, break_) });
      }
    }
    return [...spans].sort(byNumber).flatMap(([template, span]) => this.fired(at, template, span, after));
  }
}

/** @type {(captures: Map<string, string>, others: Map<string, string>) => boolean} */
const agree = (captures, others) => [...others].every(([name, value]) => (captures.get(name) ?? value) === value);

/** The events of each file and rank, in order; `places` are those of events within. */
export class Streams {
  /** @param {Event[]} events */
  constructor(events) {
    this.events = events;
    /** @type {Map<string, number[]>} */
    const streams = new Map();
    /** @type {number[][]} */
    this.streams = [];
    /** @type {number[]} */
    this.places = [];
    for (const [at, { file, rank }] of events.entries()) {
      const key = `${file} ${rank}`;
      const stream = streams.get(key) ?? [];
      streams.set(key, stream);
      this.places.push(stream.length);
      this.streams.push(stream);
      stream.push(at);
    }
  }

  /**
   * The events of the same file, rank and run up to a distance: the event itself, then the nearest first.
   * @param {number} at
   * @param {number} within
   */
  window(at, within) {
    const place = this.places[at] ?? 0;
    const near = this.streams[at]?.slice(Math.max(0, place - within), place + within + 1) ?? [];
    const same = near.filter((other) => this.events[other]?.run === this.events[at]?.run);
    return same.sort((one, other) => Math.abs(one - at) - Math.abs(other - at) || one - other);
  }

  /**
   * The next event of the same file and rank.
   * @param {number} at
   */
  after(at) {
    return this.streams[at]?.[(this.places[at] ?? 0) + 1] ?? null;
  }
}

/**
 * The hits without those inside a more specific one of another entry; of an entry only the most specific stays.
 * @type {(hits: Hit[], index: Index) => Hit[]}
 */
function outer(hits, index) {
  if (hits.length < 2) return hits;
  /** @type {Map<number, Hit>} */
  const best = new Map();
  for (const hit of hits) {
    const entry = index.signatures[hit.signature]?.entry ?? -1;
    const known = best.get(entry);
    if (!known || demanded(hit, index) > demanded(known, index)) best.set(entry, hit);
  }
  const kept = [...best.values()];
  return kept.filter((hit) => !kept.some((other) => inside(hit, other, index)));
}

/** @type {(hit: Hit, other: Hit, index: Index) => boolean} */
function inside(hit, other, index) {
  const covers = other.span.start <= hit.span.start && hit.span.end <= other.span.end;
  return other !== hit && covers && weightOf(other, index) > weightOf(hit, index);
}

/**
 * How specific a signature is in all: one of several lines outdoes a long one that is content with one line.
 * @type {(hit: Hit, index: Index) => number}
 */
function demanded(hit, index) {
  const signature = index.signatures[hit.signature];
  const templates = signature?.all ? signature.templates : [hit.template];
  return templates.reduce((sum, template) => sum + (index.templates[template]?.[2] ?? 0), 0);
}

/** @type {(hit: Hit, index: Index) => number} */
export const weightOf = (hit, index) => index.templates[hit.template]?.[2] ?? 0;
