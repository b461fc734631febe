// The few DOM helpers that several features share.

/**
 * The HTML elements that match, in document order.
 * @type {(selector: string, root?: ParentNode) => HTMLElement[]}
 */
export function all(selector, root = document) {
  return [...root.querySelectorAll(selector)].filter((found) => found instanceof HTMLElement);
}

/**
 * Shows an address without a new history entry, so that Back leaves the page.
 * @param {string} address
 */
export function showAddress(address) {
  history.replaceState(history.state, "", address);
}

/** The element that the fragment of the address names. */
export function hashTarget() {
  try {
    return document.getElementById(decodeURIComponent(location.hash.slice(1)));
  } catch {
    return null;
  }
}
