import type { Config } from "./schema.ts";
import { hasQuery, urlFault } from "./url.ts";

/**
 * What is wrong with the url a site is published at, or undefined. Its path goes into the rules of web servers, so it
 * is held to characters that mean nothing to any of them.
 */
export function siteUrlFault(text: string): string | undefined {
  const fault = urlFault(text);
  if (fault !== undefined) return fault;
  if (hasQuery(text)) return "has a query; remove it from the ? on";
  if (/^(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*\/?$/.test(new URL(text).pathname)) return undefined;
  return "has a path with characters that web servers read differently; use letters, digits and . _ ~ -";
}

/** The path the site is mounted at: empty, or with a slash at its start and none at its end. */
export function basePath({ site }: Config): string {
  return site.url === undefined ? "" : new URL(site.url).pathname.replace(/\/$/, "");
}
