// The few DOM helpers that several features share.

/**
 * The HTML elements that match, in document order.
 * @type {(selector: string, root?: ParentNode) => HTMLElement[]}
 */
export function all(selector, root = document) {
  return [...root.querySelectorAll(selector)].filter((found) => found instanceof HTMLElement);
}

/**
 * A new element; texts among its children become text nodes.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} name Its classes.
 * @param {(Node | string)[]} children
 */
export function make(tag, name, ...children) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  element.append(...children);
  return element;
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
