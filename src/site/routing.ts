import { nameFault } from "../config/name.ts";
import { type ErrorName, networkRoot } from "../contract.ts";
import { hasInvisible } from "../quote.ts";

/** What a request is answered with: a file of the site (its path relative to the root), or an error's document. */
export type Route =
  { readonly kind: "file"; readonly path: string } | { readonly kind: "error"; readonly name: ErrorName };

/** Whether the site has a file at a path relative to its root. */
export type Exists = (path: string) => boolean;

const levels = ["system", "project", "target"] as const;

/**
 * What the contract answers to a method and a request target as it was sent (RFC 9112, section 3.2). Query strings
 * are ignored; percent-encoding is decoded once, segment by segment, so that an encoded slash is a part of a name.
 */
export function route(method: string, target: string, exists: Exists): Route {
  // OPTIONS too: the contract has GET and HEAD alone, and a GET without headers of one's own needs no CORS preflight
  // (Fetch standard, "CORS-safelisted method"). A preview that answered one would promise what the hosts do not.
  if (method !== "GET" && method !== "HEAD") return error("method");
  const [beforeRoot, ...segments] = pathOf(target).split("/").map(decode);
  if (beforeRoot !== "") return error("not-found");
  const path = segments.at(-1) === "" ? segments.slice(0, -1) : segments;
  const [first, second, ...names] = path;
  if (`${first}/${second}` === networkRoot && names.length > 0) return routeNames(names, exists);
  return routeFile(path, path.length < segments.length, exists);
}

/** The levels from the left: the first whose document is missing decides. */
function routeNames(names: readonly string[], exists: Exists): Route {
  for (const [depth, level] of levels.entries()) {
    const name = names[depth];
    if (name === undefined) break;
    // What the configuration takes for no name is none here, even where a file system would find something.
    if (nameFault(name) !== undefined) return error(level);
    if (!exists(documentPath(names.slice(0, depth + 1)))) return error(level);
  }
  const document = documentPath(names);
  const [status, ...deeper] = names.slice(levels.length);
  if (status === undefined) return file(document);
  const known = deeper.length === 0 && (status === "0" || status === "1") && exists(document);
  return known ? file(document) : error("status");
}

/** Everything else in the site: a folder stands for the document or the page in it, with and without its slash. */
function routeFile(path: readonly string[], isFolder: boolean, exists: Exists): Route {
  if (!path.every(isServed)) return error("not-found");
  const inFolder = [[...path, "index.json"].join("/"), [...path, "index.html"].join("/")];
  const found = [...inFolder, ...(isFolder ? [] : [path.join("/")])].find(exists);
  return found === undefined ? error("not-found") : file(found);
}

/** Files whose names begin with a dot are never served: hosts drop them, and mirrorfeed keeps its own notes in one. */
function isServed(segment: string): boolean {
  return segment !== "" && !segment.startsWith(".") && !/[/\\]/.test(segment) && !hasInvisible(segment);
}

function pathOf(target: string): string {
  const [beforeQuery = ""] = target.split("?", 1);
  return beforeQuery.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, "");
}

/** A segment without its percent-encoding. A malformed one stays as it is: no name holds a percent sign. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (fault) {
    if (!(fault instanceof URIError)) throw fault;
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
