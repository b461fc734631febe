// Reading and changing addresses, without touching the page's own.

/**
 * The address with one query parameter set, or removed where the value is empty.
 *
 * Commas stay readable: `?a=read-port.y,who-listens.n` gets pasted into chats and tickets.
 * @param {string} address
 * @param {string} name
 * @param {string} value
 */
export function withParam(address, name, value) {
  const url = new URL(address);
  if (value) url.searchParams.set(name, value);
  else url.searchParams.delete(name);
  url.search = url.search.replaceAll("%2C", ",");
  return url.href;
}

/**
 * The full address of a path below the site's root, or null where it would leave the site.
 * @param {string} path
 * @param {URL} root
 */
export function withinSite(path, root) {
  return URL.canParse(path, root) && new URL(path, root).href.startsWith(root.href) ? new URL(path, root) : null;
}
