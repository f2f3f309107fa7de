import { cacheControl } from "../contract/contract.ts";
import { decode, errorLines, isName } from "./edge-function.ts";

/**
 * Returns an edge function that redirects pages to their paths with a slash, which their relative links need. It is
 * plain JavaScript, the same for every feed.
 */
export function pageFunction(base: string): string {
  const folders = ["status", "incidents", "embed"].flatMap((name) => [
    `${base}/${name}`,
    `${base}/${name}/*`,
  ]);
  const paths = [...(base === "" ? [] : [base]), `${base}/docs`, ...folders];
  return String.raw`// Redirects a page to its path with a slash. The type of Netlify's answer shows if it is a page.

export const config = { path: ${JSON.stringify(paths)} };

export default async function answer(request, context) {
  const found = await context.next();
  const { pathname, search } = new URL(request.url);
  const isPage = found.status === 200 && (found.headers.get("Content-Type") ?? "").startsWith("text/html");
  const last = pathname.slice(pathname.lastIndexOf("/") + 1);
  if (!isPage || last === "" || last === "index.html") return found;
  await found.body?.cancel();
  const headers = { "Access-Control-Allow-Origin": "*", "Cache-Control": ${JSON.stringify(cacheControl)} };
  return new Response(null, { status: 301, headers: { ...headers, Location: "./" + last + "/" + search } });
}
`;
}

/**
 * Returns an edge function for the paths below `list`, in plain JavaScript, the same for every feed. `documents` is a
 * second path of the same files, for which this function does not run.
 */
export function edgeFunction(list: string, documents: string): string {
  return String.raw`// The contract of the status API, answered from the files of a mirrorfeed site. It lists no names: a system, project or
// target is known if its index.json exists.

export const config = { path: [${JSON.stringify(list)}, ${JSON.stringify(`${list}/*`)}] };

const list = ${JSON.stringify(list)};
const documents = ${JSON.stringify(documents)};
const levels = ["system", "project", "target"];
const errors = {
${errorLines()}};
const shared = {
  "Access-Control-Allow-Origin": "*",
  "Cache-Control": ${JSON.stringify(cacheControl)},
  "Content-Type": "application/json",
};

export default async function answer(request) {
  const { method } = request;
  if (method !== "GET" && method !== "HEAD") return answerError("method", method);
  const url = new URL(request.url);
  const names = url.pathname.slice(list.length).split("/").slice(1).map(decode);
  if (names.at(-1) === "") names.pop();

  // A known document takes one fetch. If it is missing, the first level from the left without a document decides.
  const isStatus = names.length === 4 && (names[3] === "0" || names[3] === "1");
  const parents = names.slice(0, levels.length);
  if (parents.every(isName) && (names.length < 4 || isStatus)) {
    const found = await fetchDocument(url, names, method, conditional(request));
    if (found.status !== 404) return answerFound(found);
    if (names.length === 0) return answerError("not-found", method);
  }
  for (const [depth, name] of parents.entries()) {
    if (!isName(name) || depth === names.length - 1) return answerError(levels[depth], method);
    const found = await fetchDocument(url, names.slice(0, depth + 1), "HEAD", {});
    if (found.status === 404) return answerError(levels[depth], method);
    if (found.status !== 200) return answerFound(found);
  }
  return answerError("status", method);
}

function fetchDocument(url, names, method, headers) {
  return fetch(new URL([documents, ...names, "index.json"].join("/"), url), { method, headers });
}

// A failure of the site keeps its status, since it does not show which documents exist.
function answerFound({ status, body, headers: found }) {
  const headers = new Headers(status === 200 || status === 304 ? shared : { ...shared, "Cache-Control": "no-store" });
  for (const name of ["ETag", "Last-Modified"]) {
    if (found.has(name)) headers.set(name, found.get(name));
  }
  return new Response(body, { status, headers });
}

function answerError(name, method) {
  const { status, body } = errors[name];
  const headers = name === "method" ? { ...shared, Allow: "GET, HEAD" } : shared;
  return new Response(method === "HEAD" ? null : body, { status, headers });
}

function conditional({ headers }) {
  const sent = ["If-None-Match", "If-Modified-Since"].filter((name) => headers.has(name));
  return Object.fromEntries(sent.map((name) => [name, headers.get(name)]));
}

${isName}

${decode}
`;
}
