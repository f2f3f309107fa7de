import { nameProblem } from "../text/name.ts";
import { type ErrorName, networkRoot } from "../hosts/contract.ts";
import { hasInvisible } from "../text/quote.ts";

/**
 * What a request is answered with: a file of the site (its path relative to the root), a permanent redirect (its
 * relative `Location`), or the document of an error.
 */
export type Route =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "redirect"; readonly location: string }
  | { readonly kind: "error"; readonly name: ErrorName };

/** Whether the site has a file at a path relative to its root. */
export type Exists = (path: string) => boolean;

const levels = ["system", "project", "target"] as const;

/**
 * What the contract answers to a method and a request target as it was sent (RFC 9112, section 3.2). Query strings
 * are ignored; percent-encoding is decoded once, segment by segment, so that an encoded slash is a part of a name.
 * Slashes in a row count as one, as in nginx: clients put a base url that ends in a slash before `/v1/…`.
 */
export function route(method: string, target: string, exists: Exists): Route {
  // OPTIONS too: the contract has GET and HEAD alone, and a GET without headers of one's own needs no CORS preflight
  // (Fetch standard, "CORS-safelisted method"). A preview that answered one would promise what the hosts do not.
  if (method !== "GET" && method !== "HEAD") return error("method");
  const { path: sent, query } = splitTarget(target);
  const [beforeRoot, ...segments] = sent.split(/\/+/).map(decode);
  if (beforeRoot !== "") return error("not-found");
  const path = segments.at(-1) === "" ? segments.slice(0, -1) : segments;
  const [first, second, ...names] = path;
  if (`${first}/${second}` === networkRoot && names.length > 0) return routeNames(names, exists);
  if (path.length === 0 || path.length < segments.length) return routeFolder(path, exists);
  return routeFile(path, exists, `${slashForm(sent)}${query}`);
}

/** The levels from the left: the first whose document is missing decides. */
function routeNames(names: readonly string[], exists: Exists): Route {
  for (const [depth, level] of levels.entries()) {
    const name = names[depth];
    if (name === undefined) break;
    // What the configuration takes for no name is none here, even where a file system would find something.
    if (nameProblem(name) !== undefined) return error(level);
    if (!exists(documentPath(names.slice(0, depth + 1)))) return error(level);
  }
  const document = documentPath(names);
  const [status, ...deeper] = names.slice(levels.length);
  if (status === undefined) return file(document);
  const known = deeper.length === 0 && (status === "0" || status === "1") && exists(document);
  return known ? file(document) : error("status");
}

/** A path with a slash at its end: the document or the page in that folder. */
function routeFolder(path: readonly string[], exists: Exists): Route {
  if (!path.every(isServed)) return error("not-found");
  const inFolder = [[...path, "index.json"].join("/"), [...path, "index.html"].join("/")];
  const found = inFolder.find(exists);
  return found === undefined ? error("not-found") : file(found);
}

/**
 * A path without a slash at its end: a file, or the document in a folder. A page has relative links, which lead astray
 * without the slash, so it is redirected to the form with one.
 */
function routeFile(path: readonly string[], exists: Exists, withSlash: string): Route {
  const inFolder = routeFolder(path, exists);
  if (inFolder.kind === "file" && inFolder.path.endsWith(".html"))
    return { kind: "redirect", location: withSlash };
  if (inFolder.kind === "file" || !path.every(isServed)) return inFolder;
  const place = path.join("/");
  return exists(place) ? file(place) : error("not-found");
}

/**
 * The form with a slash of a path as it was sent, relative to it. It begins with `./`, so that no path makes it lead to
 * another host or scheme.
 */
function slashForm(sent: string): string {
  const last = sent.slice(sent.lastIndexOf("/") + 1);
  // A request target has no fragment (RFC 9112, section 3.2); a Location has.
  return `./${last.replaceAll("#", "%23")}/`;
}

/** Files whose names begin with a dot are never served: hosts drop them, and mirrorfeed keeps its own notes in one. */
function isServed(segment: string): boolean {
  return segment !== "" && !segment.startsWith(".") && !/[/\\]/.test(segment) && !hasInvisible(segment);
}

function splitTarget(target: string): { path: string; query: string } {
  const [path = ""] = target.split("?", 1);
  return { path: path.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, ""), query: target.slice(path.length) };
}

/** A segment without its percent-encoding. A malformed one stays as it is: no name holds a percent sign. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return segment;
  }
}

function documentPath(names: readonly string[]): string {
  return [networkRoot, ...names, "index.json"].join("/");
}

function file(path: string): Route {
  return { kind: "file", path };
}

function error(name: ErrorName): Route {
  return { kind: "error", name };
}
