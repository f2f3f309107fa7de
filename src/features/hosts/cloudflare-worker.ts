import { nameLength, namePattern } from "../../core/base/text/name.ts";
import { cacheControl, errorDocuments, jsonText, notFoundPage } from "../../core/contract/contract.ts";

const errors = Object.entries(errorDocuments).map(([name, document]) => {
  return `  ${JSON.stringify(name)}: { status: ${document.code}, body: ${JSON.stringify(jsonText(document))} },`;
});

/**
 * Returns the worker in plain JavaScript. It contains no names from the feed, because it checks at each request which
 * documents exist.
 */
export function worker(basePath: string): string {
  return text.replace("BASE_PATH", () => JSON.stringify(basePath));
}

const text = String.raw`// Serves the status API from the files of a mirrorfeed site. No names are listed here: a system, project or target
// exists if its index.json does. The files come from the binding ASSETS (Pages, Workers) or from the URL in the variable
// ORIGIN (GitHub Pages, any static host).

const base = BASE_PATH.split("/").slice(1).map(decode);
const levels = ["system", "project", "target"];
const errors = {
${errors.join("\n")}
};
const failures = { 502: "Bad gateway", 503: "Service unavailable", 504: "Gateway timeout" };
const shared = { "Access-Control-Allow-Origin": "*", "Cache-Control": ${JSON.stringify(cacheControl)} };

export default {
  async fetch(request, env) {
    try {
      return await answer(request, env);
    } catch (error) {
      if (error instanceof OriginError) return answerOriginError(error);
      throw error;
    }
  },
};

async function answer(request, env) {
  const { method } = request;
  if (method !== "GET" && method !== "HEAD") return answerError("method", method);
  const path = new URL(request.url).pathname.split("/").slice(1).map(decode);
  const isFolder = path.at(-1) === "";
  if (isFolder) path.pop();
  if (!base.every((name, depth) => path[depth] === name)) return answerError("not-found", method);
  const [first, second, ...names] = path.slice(base.length);
  if (first === "v1" && second === "network") return answerNames(names, request, env);
  return answerFile(path.slice(base.length), isFolder, request, env);
}

// An existing document takes one fetch. If there is none, the error names the first level
// (system, project or target) without a document.
async function answerNames(names, request, env) {
  const isStatus = names.length === 4 && (names[3] === "0" || names[3] === "1");
  const parents = names.slice(0, levels.length);
  if (parents.every(isName) && (names.length < 4 || isStatus)) {
    const found = await lookUp(documentPath(names), conditional(request), env);
    if (found) return answerFound(found, "application/json");
    if (names.length === 0) return answerError("not-found", request.method);
  }
  for (const [depth, name] of parents.entries()) {
    const isMissing = !isName(name) || depth === names.length - 1;
    // Without conditional headers, because a 304 would not be about the requested document.
    if (isMissing || !(await lookUp(documentPath(names.slice(0, depth + 1)), { method: "HEAD" }, env)))
      return answerError(levels[depth], request.method);
  }
  return answerError("status", request.method);
}

// The rest of the site. Folders answer with their index.json or index.html. Pages redirect to the path with a slash,
// because their links are relative.
async function answerFile(path, isFolder, request, env) {
  const isHidden = path[0] === "_worker.js" || !path.every(isServed);
  const parents = isFolder ? path : path.slice(0, -1);
  if (isHidden || (await hasFile(parents, env))) return answerMissing(path, isFolder, request, env);
  const file = path.map(encodeURIComponent).join("/");
  const folder = file && file + "/";
  const files = isFolder || file === "" ? [] : [file];
  for (const path of [...files, folder + "index.json"]) {
    const found = await lookUp(path, conditional(request), env);
    if (found) return answerFound(found, found.headers.get("Content-Type"));
  }
  // Pages redirects x/index.html to x/, which fetch follows here.
  const page = await lookUp(folder + "index.html", { ...conditional(request), redirect: "follow" }, env);
  const type = page?.headers.get("Content-Type");
  const isPage = page && (page.status === 304 || /^text\/html/i.test(type));
  if (!isPage) {
    await page?.body?.cancel();
    return answerMissing(path, isFolder, request, env);
  }
  if (isFolder) return answerFound(page, type);
  await page.body?.cancel();
  return addSlash(new URL(request.url));
}

// For a 404, browsers get a page and other clients get JSON.
async function answerMissing(path, isFolder, { method, headers }, env) {
  const isData = !isFolder && /\.(?!html$)[^.]*$/.test(path.at(-1));
  if (isData || ["v1", "errors"].includes(path.find(Boolean)) || !/text\/html/i.test(headers.get("Accept"))) return answerError("not-found", method);
  const page = await lookUp("${notFoundPage}", { method, redirect: "follow" }, env);
  if (!page) return answerError("not-found", method);
  const type = page.headers.get("Content-Type");
  return new Response(page.body, { status: 404, headers: { ...shared, "Content-Type": type, Vary: "Accept" } });
}

// Returns whether a parent folder is really a file. "wrangler pages dev" answers 500 for a path below a file.
async function hasFile(path, env) {
  if (env.ORIGIN) return false;
  for (const [depth, name] of path.entries()) {
    if (name.startsWith("index.")) return true;
    const file = path.slice(0, depth + 1).map(encodeURIComponent).join("/");
    if (name.includes(".") && (await lookUp(file, { method: "HEAD" }, env))) return true;
  }
  return false;
}

function addSlash({ pathname, search }) {
  const last = pathname.slice(pathname.lastIndexOf("/") + 1);
  return new Response(null, { status: 301, headers: { ...shared, Location: "./" + last + "/" + search } });
}

// Returns the response for a file, or undefined if the file is missing. Throws OriginError if that is unknown.
async function lookUp(path, options, env) {
  const init = { redirect: "manual", ...options };
  const found = env.ORIGIN
    ? await fetchOrigin(path, init, env)
    : await env.ASSETS.fetch("https://assets.invalid/" + path, init);
  const isPage = /^text\/html/i.test(found.headers.get("Content-Type") ?? "");
  // Some hosts answer a missing file with a page and status 200.
  if (found.status === 304 || (found.status === 200 && !(isPage && path.endsWith(".json")))) return found;
  await found.body?.cancel();
  // Hosts redirect a folder to the path with a slash, and Pages redirects x/ to a file x. Neither redirect leads to the
  // requested file.
  const isMoved = [301, 302, 307, 308].includes(found.status) && !path.startsWith("v1/network/");
  if (found.status === 404 || isMoved) return undefined;
  if (found.status === 429 || found.status === 503) throw new OriginError(503, found.headers.get("Retry-After"));
  throw new OriginError(found.status === 504 ? 504 : 502);
}

async function fetchOrigin(path, options, env) {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), Number(env.ORIGIN_TIMEOUT_MS ?? 10000));
  try {
    return await fetch(env.ORIGIN.replace(/\/+$/, "") + "/" + path, { ...options, signal: controller.signal });
  } catch {
    throw new OriginError(controller.signal.aborted ? 504 : 502);
  } finally {
    clearTimeout(timer);
  }
}

class OriginError extends Error {
  constructor(status, retryAfter) {
    super(failures[status]);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

function answerFound(found, type) {
  const headers = new Headers(shared);
  if (type) headers.set("Content-Type", type);
  for (const name of ["ETag", "Last-Modified"]) {
    if (found.headers.has(name)) headers.set(name, found.headers.get(name));
  }
  return new Response(found.body, { status: found.status, headers });
}

function answerError(name, method) {
  const { status, body } = errors[name];
  const headers = { ...shared, "Content-Type": "application/json" };
  if (name === "method") headers.Allow = "GET, HEAD";
  if (name === "not-found") headers.Vary = "Accept";
  return new Response(method === "HEAD" ? null : body, { status, headers });
}

function answerOriginError({ status, message, retryAfter }) {
  const headers = { ...shared, "Content-Type": "application/json", "Cache-Control": "no-store" };
  if (retryAfter) headers["Retry-After"] = retryAfter;
  return new Response(JSON.stringify({ error: message, code: status }) + "\n", { status, headers });
}

function conditional({ method, headers }) {
  const sent = ["If-None-Match", "If-Modified-Since"].filter((name) => headers.has(name));
  return { method, headers: Object.fromEntries(sent.map((name) => [name, headers.get(name)])) };
}

function documentPath(names) {
  return ["v1", "network", ...names, "index.json"].join("/");
}

// Checks whether a decoded path segment can be a name.
function isName(text) {
  return text.length <= ${nameLength} && /${namePattern}/.test(text) && !text.startsWith("index.");
}

// No file name has more than 255 bytes, and a longer one can make an origin fail.
function isServed(segment) {
  const isLong = new TextEncoder().encode(segment).length > 255;
  return segment !== "" && !isLong && !segment.startsWith(".") && !/[\/\\\0-\x1f\x7f]/.test(segment);
}

// Decodes percent-encoding once. A malformed segment stays unchanged: its percent sign makes it an invalid name.
function decode(segment) {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
`;
