// What the engine knows apart from entries: prefixes of lines, words of failures, phrases; as data.

/** Characters of a line in which signs of failure are looked for; a hostile line must cost no more. */
export const LOOK = 4096;

/**
 * A prefix that a launcher, a logger or a collector puts before a line. `again`: whether it may be taken off more than
 * once. `trust`: how much its rank is worth beside ranks of other prefixes. `vote`: the share of the first lines that
 * must have it, else it is taken for words of the message; 0 for no vote. `names`: whether the vote also asks for few
 * different names. `kernel`: whether the kernel printed the line.
 * @typedef {object} Prefix
 * @property {string} name
 * @property {RegExp} pattern
 * @property {boolean} again
 * @property {number} trust
 * @property {number} vote
 * @property {boolean} names
 * @property {boolean} kernel
 */

/**
 * @typedef {{name: string, first: string, pattern: string, again?: boolean, trust?: number, vote?: number,
 *   names?: boolean, kernel?: boolean}} PrefixRow
 */

/**
 * @typedef {{prefixes: PrefixRow[], alarms: string[], levels: Record<string, string>, months: string[],
 *   phrases: Record<string, string>, ansi: string} & Record<string, any>} RulesData
 */

/** @param {PrefixRow} row */
const prefixOf = (row) => ({
  name: row.name,
  pattern: new RegExp(row.pattern, "suy"),
  again: row.again ?? false,
  trust: row.trust ?? 0,
  vote: row.vote ?? 0,
  names: row.names ?? false,
  kernel: row.kernel ?? false,
});

/** The rules of an index, with their patterns compiled when they are first wanted. */
export class Rules {
  /** @type {Map<string, RegExp>} */
  #patterns = new Map();
  /** @type {Map<string, Prefix[]>} */
  #byFirst = new Map();

  /** @param {RulesData} data */
  constructor(data) {
    this.data = data;
    /** @type {Prefix[]} */
    this.prefixes = data.prefixes.map(prefixOf);
    for (const [at, row] of data.prefixes.entries()) {
      const prefix = /** @type {Prefix} */ (this.prefixes[at]);
      for (const kind of row.first) this.#byFirst.set(kind, [...(this.#byFirst.get(kind) ?? []), prefix]);
    }
  }

  /**
   * The pattern of that name, to be searched for.
   * @param {string} name
   */
  pattern(name) {
    return this.#compiled(name, "su");
  }

  /**
   * The pattern of that name, for replacing every match.
   * @param {string} name
   */
  every(name) {
    return this.#compiled(name, "gsu");
  }

  /** @type {(name: string, flags: string) => RegExp} */
  #compiled(name, flags) {
    const key = `${flags} ${name}`;
    const found = this.#patterns.get(key) ?? new RegExp(this.data[name], flags);
    this.#patterns.set(key, found);
    return found;
  }

  /**
   * The prefixes that the first character of a text allows.
   * @param {string} text
   * @returns {Prefix[]}
   */
  starting(text) {
    const first = text.charAt(0);
    const kind = /[0-9]/.test(first) ? "0" : /[A-Za-z_]/.test(first) ? "a" : first;
    return this.#byFirst.get(kind) ?? [];
  }
}

/**
 * Where a pattern matches at the very start of a text.
 * @param {RegExp} pattern  with the flag `y`
 * @param {string} text
 */
export function matchStart(pattern, text) {
  pattern.lastIndex = 0;
  return pattern.exec(text);
}
