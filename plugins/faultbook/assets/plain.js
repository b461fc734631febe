// Titles as plain text. In the index they stand as their authors wrote them, with marks for code and links.

const MARK = /`|\s?\[@[^\]]*\]|\[\[#?([^\]|]*)(?:\|([^\]]*))?\]\]/g;

/**
 * A title without marks.
 * @param {string} title
 */
export function plain(title) {
  return title.replace(MARK, (_, target, words) => words ?? target ?? "").trim();
}
