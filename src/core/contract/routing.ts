import { nameProblem } from "../base/text/name.ts";
import { hasInvisible } from "../base/text/quote.ts";
import { documentPath, type ErrorName, networkRoot } from "./contract.ts";

/** A file of the site, a permanent redirect to a relative `Location`, or an error document. */
export type Route =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "redirect"; readonly location: string }
  | { readonly kind: "error"; readonly name: ErrorName };

/** Whether the site has a file at this path, relative to its root. */
export type Exists = (path: string) => boolean;

const levels = ["system", "project", "target"] as const;

/**
 * Routes a request as the contract defines. `target` is the request target as sent (RFC 9112, section 3.2); its query is
 * ignored. Percent-encoding is decoded once per segment, so an encoded slash is part of a name. Repeated slashes count
 * as one, as in nginx, since clients append `/v1/…` to base URLs that end with a slash.
 */
export function route(method: string, target: string, exists: Exists): Route {
  // OPTIONS is refused too: a GET without custom headers needs no CORS preflight (Fetch standard).
  if (method !== "GET" && method !== "HEAD") return error("method");
  const [before = ""] = target.split("?", 1);
  const sent = pathOf(before);
  const [beforeRoot, ...segments] = sent.split(/\/+/).map(decodeSegment);
  if (beforeRoot !== "") return error("not-found");
  const path = segments.at(-1) === "" ? segments.slice(0, -1) : segments;
  const [first, second, ...names] = path;
  if (`${first}/${second}` === networkRoot && names.length > 0) return routeNames(names, exists);
  if (!path.every(isServed)) return error("not-found");
  const files = ["index.json", "index.html"].map((name) => [...path, name].join("/"));
  const inFolder = files.find(exists);
  if (path.length === 0 || path.length < segments.length)
    return inFolder === undefined ? error("not-found") : file(inFolder);
  // A page's relative links need the trailing slash.
  if (inFolder?.endsWith(".html"))
    return { kind: "redirect", location: `${slashForm(sent)}${target.slice(before.length)}` };
  const found = inFolder ?? [path.join("/")].find(exists);
  return found === undefined ? error("not-found") : file(found);
}

/**
 * Returns whether a missing path is answered with the error page instead of JSON: only if a browser asks, and the path
 * could be that of a page.
 */
export function answersWithPage(target: string, accept = ""): boolean {
  const [before = ""] = target.split("?", 1);
  const [beforeRoot, first = "", ...names] = pathOf(before).split(/\/+/).map(decodeSegment);
  const last = names.at(-1) ?? first;
  if (beforeRoot !== "" || first === "v1" || first === "errors") return false;
  return (!last.includes(".") || last.endsWith(".html")) && /text\/html/i.test(accept);
}

/** Strips the scheme and authority from a request target in absolute form. */
function pathOf(target: string): string {
  return target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, "");
}

/** Routes a path of the contract. The first level whose document is missing determines the error. */
function routeNames(names: readonly string[], exists: Exists): Route {
  for (const [depth, level] of levels.entries()) {
    const name = names[depth];
    if (name === undefined) break;
    // An invalid name, such as `..`, counts as unknown even if the file system would find a file under it.
    if (nameProblem(name) !== undefined) return error(level);
    if (!exists(documentPath(networkRoot, ...names.slice(0, depth + 1)))) return error(level);
  }
  const document = documentPath(networkRoot, ...names);
  const [status, ...deeper] = names.slice(levels.length);
  if (status === undefined) return file(document);
  const isStatus = deeper.length === 0 && (status === "0" || status === "1");
  return isStatus && exists(document) ? file(document) : error("status");
}

/** Returns the path with a trailing slash, as a relative URL. `./` keeps it from naming a different host or scheme. */
function slashForm(sent: string): string {
  const last = sent.slice(sent.lastIndexOf("/") + 1);
  // In a Location, `#` would start a fragment. A request target has no fragment (RFC 9112, section 3.2), so there the
  // `#` is part of the name.
  return `./${last.replaceAll("#", "%23")}/`;
}

/** Refuses names with a leading dot: hosts drop them, and mirrorfeed's internal files have one. */
function isServed(segment: string): boolean {
  return segment !== "" && !segment.startsWith(".") && !/[/\\]/.test(segment) && !hasInvisible(segment);
}

/** Decodes percent-encoding. Returns malformed segments unchanged: they match nothing, since no name contains a `%`. */
export function decodeSegment(segment: string): string {
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
