import { readFileSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { extname, join } from "node:path";
import { decodePath, isFile, isFolder, type Listening, listenOnLoopback } from "./loopback.ts";

const html = "text/html; charset=utf-8";
const types: Partial<Record<string, string>> = {
  ".atom": "application/atom+xml",
  ".conf": "text/plain; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".html": html,
  ".ico": "image/vnd.microsoft.icon",
  ".ics": "text/calendar; charset=utf-8",
  ".js": "application/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".list": "text/plain; charset=utf-8",
  ".meta4": "application/metalink4+xml",
  ".metalink": "application/metalink+xml",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".xml": "application/xml",
};

/**
 * Starts a substitute for GitHub Pages, which cannot run here. As documented, a folder answers with its index.html or
 * index.json, and redirects if the trailing slash is missing. `x` answers with `x.html`. A missing path answers with the
 * site's 404.html as HTML. Every answer allows CORS. Answers to GET and HEAD have `Cache-Control: max-age=600`. Other methods
 * get 405, as from nginx. Only existing files have ETags. Files are read for each request, so a deployment takes effect at
 * once. `basePath` is `/repository` for a project's site, and empty for a user's site or a custom domain.
 */
export function startPagesServer(root: string, { basePath = "" } = {}): Promise<Listening> {
  return listenOnLoopback(createServer(pagesListener(root, { basePath })));
}

export function pagesListener(root: string, { basePath = "" }): RequestListener {
  return (request, response) => {
    answer(root, basePath, request, response);
  };
}

function answer(root: string, basePath: string, request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  response.setHeader("Server", "GitHub.com");
  response.setHeader("Access-Control-Allow-Origin", "*");
  if (request.method !== "GET" && request.method !== "HEAD") {
    send(response, 405, "text/html", "<html><body><h1>405 Not Allowed</h1></body></html>\n");
    return;
  }
  response.setHeader("Cache-Control", "max-age=600");
  const [path = "", query] = (request.url ?? "").split(/\?(.*)/s, 2);
  if (path !== basePath && !path.startsWith(`${basePath}/`)) {
    send(response, 404, html, "<html><body><h1>404</h1></body></html>\n");
    return;
  }
  const inside = decodePath(path.slice(basePath.length));
  // Hidden files are not published, and files with impossible names don't exist.
  const place =
    inside === undefined || /\/\.|[\0\\]/.test(inside) ? join(root, "nothing") : join(root, inside);
  const hasSlash = path.endsWith("/");
  // The exact file comes first, then the page with that name, then the folder.
  if (!hasSlash && !isFile(`${place}.html`) && isFolder(place)) {
    const location = `http://${request.headers.host ?? ""}${path}/${query === undefined ? "" : `?${query}`}`;
    response.setHeader("Location", location);
    send(response, 301, "text/html", "<html><body><h1>301 Moved Permanently</h1></body></html>\n");
    return;
  }
  const candidates = hasSlash
    ? [join(place, "index.html"), join(place, "index.json")]
    : [place, `${place}.html`];
  const file = candidates.find(isFile);
  const notFound = join(root, "404.html");
  if (file !== undefined) sendFile(request, response, file);
  else send(response, 404, html, isFile(notFound) ? readFileSync(notFound) : "<h1>404</h1>\n");
}

function sendFile({ headers }: IncomingMessage, response: ServerResponse, file: string): void {
  const { mtimeMs, size } = statSync(file);
  const tag = `"${Math.floor(mtimeMs / 1000).toString(16)}-${size.toString(16)}"`;
  response.setHeader("ETag", tag);
  if (headers["if-none-match"] === tag) response.writeHead(304).end();
  else send(response, 200, types[extname(file)] ?? "application/octet-stream", readFileSync(file));
}

function send(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  response.writeHead(status, { "Content-Length": Buffer.byteLength(body), "Content-Type": type });
  response.end(body);
}
