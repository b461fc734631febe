// A static server for the built site, on loopback and a free port.
import { createReadStream, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize, resolve } from "node:path";

const TYPES = new Map([
  [".html", "text/html; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
  [".css", "text/css; charset=utf-8"],
  [".json", "application/json"],
  [".xml", "application/xml"],
  [".svg", "image/svg+xml"],
  [".png", "image/png"],
  [".md", "text/markdown; charset=utf-8"],
  [".txt", "text/plain; charset=utf-8"],
]);

/** The folder of the built site. */
export const SITE_DIR = resolve(process.env.SITE_DIR ?? "site");

/**
 * The path that the site is built for; its page for unknown addresses names it, since it cannot use relative links.
 */
export function basePath() {
  const page = readFileSync(join(SITE_DIR, "404.html"), "utf8");
  return /href="([^":]*\/)assets\/faultbook\/faultbook\.css"/.exec(page)?.[1] ?? "/";
}

/**
 * The file that answers a path below the base, or undefined.
 * @param {string} path
 */
export function fileFor(path) {
  const file = join(SITE_DIR, normalize(`/${decodeURIComponent(path)}`));
  for (const candidate of [file, join(file, "index.html")]) {
    if (statSync(candidate, { throwIfNoEntry: false })?.isFile()) return candidate;
  }
  return undefined;
}

/** Starts the server; unknown paths get 404.html with status 404, as static hosts do it. */
export async function startServer() {
  const base = basePath();
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const found = pathname.startsWith(base) ? fileFor(pathname.slice(base.length)) : undefined;
    const file = found ?? join(SITE_DIR, "404.html");
    response.writeHead(found ? 200 : 404, { "content-type": TYPES.get(extname(file)) ?? "application/octet-stream" });
    createReadStream(file).pipe(response);
  });
  await /** @type {Promise<void>} */ (new Promise((ready) => server.listen(0, "127.0.0.1", ready)));
  const address = server.address();
  if (!address || typeof address === "string") throw new Error("the server has no port");
  return { root: new URL(base, `http://127.0.0.1:${address.port}`), close: () => server.close() };
}
