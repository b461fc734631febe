// Text reduced to what a reader means, for comparing.

/**
 * Lower case, with hyphens, underscores and blanks of any kind as one blank.
 * @param {string} text
 */
export function fold(text) {
  return text.normalize("NFKC").toLowerCase().replace(/[-_\s\u2010-\u2015]+/g, " ").trim();
}

/**
 * The folded words of a text, in order.
 * @param {string} text
 */
export function words(text) {
  return fold(text).split(" ").filter(Boolean);
}
