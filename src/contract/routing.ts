import { nameProblem } from "../base/text/name.ts";
import { hasInvisible } from "../base/text/quote.ts";
import { documentPath, type ErrorName, networkRoot } from "./contract.ts";

/** The response to a request: a file of the site, a permanent redirect (its relative `Location`), or an error document. */
export type Route =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "redirect"; readonly location: string }
  | { readonly kind: "error"; readonly name: ErrorName };

/** Returns whether the site has a file at a path relative to its root. */
export type Exists = (path: string) => boolean;

const levels = ["system", "project", "target"] as const;

/**
 * Returns the route that the contract defines for a method and a request target as sent (RFC 9112, section 3.2). It ignores the
 * query string. It decodes percent-encoding once, segment by segment, so that an encoded slash is a part of a name. Several
 * slashes in a row count as one, as in nginx, since clients join a base URL with a final slash and `/v1/…`.
 */
export function route(method: string, target: string, exists: Exists): Route {
  // OPTIONS is refused too: a GET without custom headers needs no CORS preflight (Fetch standard).
  if (method !== "GET" && method !== "HEAD") return error("method");
  const [before = ""] = target.split("?", 1);
  const sent = pathOf(before);
  const [beforeRoot, ...segments] = sent.split(/\/+/).map(decode);
  if (beforeRoot !== "") return error("not-found");
  const path = segments.at(-1) === "" ? segments.slice(0, -1) : segments;
  const [first, second, ...names] = path;
  if (`${first}/${second}` === networkRoot && names.length > 0) return routeNames(names, exists);
  if (!path.every(isServed)) return error("not-found");
  const files = ["index.json", "index.html"].map((name) => [...path, name].join("/"));
  const inFolder = files.find(exists);
  if (path.length === 0 || path.length < segments.length)
    return inFolder === undefined ? error("not-found") : file(inFolder);
  // The relative links of a page need the slash at the end.
  if (inFolder?.endsWith(".html"))
    return { kind: "redirect", location: `${slashForm(sent)}${target.slice(before.length)}` };
  const found = inFolder ?? [path.join("/")].find(exists);
  return found === undefined ? error("not-found") : file(found);
}

/** Returns whether a request for a missing path gets a page. Clients, `/v1/`, `/errors/` and names of data files get JSON. */
export function answersWithPage(target: string, accept = ""): boolean {
  const [before = ""] = target.split("?", 1);
  const [beforeRoot, first = "", ...names] = pathOf(before).split(/\/+/).map(decode);
  const last = names.at(-1) ?? first;
  if (beforeRoot !== "" || first === "v1" || first === "errors") return false;
  return (!last.includes(".") || last.endsWith(".html")) && /text\/html/i.test(accept);
}

/** Returns a request target without the scheme and the authority of its absolute form. */
function pathOf(target: string): string {
  return target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, "");
}

/** Routes a path of the contract. The error is that of the first level from the left whose document is missing. */
function routeNames(names: readonly string[], exists: Exists): Route {
  for (const [depth, level] of levels.entries()) {
    const name = names[depth];
    if (name === undefined) break;
    // An invalid name is unknown here too, even if the file system would find a file.
    if (nameProblem(name) !== undefined) return error(level);
    if (!exists(documentPath(networkRoot, ...names.slice(0, depth + 1)))) return error(level);
  }
  const document = documentPath(networkRoot, ...names);
  const [status, ...deeper] = names.slice(levels.length);
  if (status === undefined) return file(document);
  const isStatus = deeper.length === 0 && (status === "0" || status === "1");
  return isStatus && exists(document) ? file(document) : error("status");
}

/**
 * Returns the path with a slash, relative to the path as sent. It begins with `./`, so that no path can redirect to another
 * host or scheme.
 */
function slashForm(sent: string): string {
  const last = sent.slice(sent.lastIndexOf("/") + 1);
  // A Location can have a fragment, a request target cannot (RFC 9112, section 3.2).
  return `./${last.replaceAll("#", "%23")}/`;
}

/** Returns whether files of this name are served. Hosts drop names with a leading dot, and mirrorfeed's own files have one. */
function isServed(segment: string): boolean {
  return segment !== "" && !segment.startsWith(".") && !/[/\\]/.test(segment) && !hasInvisible(segment);
}

/** Returns a segment without percent-encoding. A malformed one is returned as it is, since no name contains a `%`. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return segment;
  }
}

function file(path: string): Route {
  return { kind: "file", path };
}

function error(name: ErrorName): Route {
  return { kind: "error", name };
}
