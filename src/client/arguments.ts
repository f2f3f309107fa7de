import type { CheckOptions, PickOptions } from "./interface.ts";

/** An HTTP or HTTPS URL without credentials or a fragment, in the characters that RFC 3986 allows. */
export const urlPattern =
  /^https?:\/\/(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?(\/[\w.~:/?@!$&'()*+,;=%-]{0,2000})?$/i;

/** system/project/target, with names that need no escaping in a path. */
export const targetPattern = /^(?!(.*\/)?\.+(\/|$))[\w.~-]{1,100}(\/[\w.~-]{1,100}){2}$/;

/** A timer for more than about 24 days fires immediately. */
const maxTimeoutMs = 2e9;

/** Returns the feed's URL with a slash at the end. Throws TypeError naming an invalid argument. */
export function parseSiteUrl(url: string, target: string, options: CheckOptions & PickOptions): string {
  const { timeoutMs = 1, maxAgeMs = 0, maxStaleMs = 0, site = url } = options;
  const { min = 1, country = "DE", exclude = [] } = options;
  const href = withSlash(url);
  const valid: Readonly<Record<string, boolean>> = {
    url: urlPattern.test(href) && !/\?/.test(href),
    target: targetPattern.test(target),
    site: urlPattern.test(site) && URL.canParse(site),
    timeoutMs: timeoutMs > 0 && timeoutMs <= maxTimeoutMs,
    maxAgeMs: maxAgeMs >= 0,
    maxStaleMs: maxStaleMs >= 0,
    min: min > 0 && min % 1 === 0,
    country: /^[a-z]{2}$/i.test(country),
    // `isAtHost` rejects other invalid hosts.
    exclude: Array.isArray(exclude) && !/[\s/?#@\\]/.test(exclude.join()),
  };
  for (const name in valid) if (!valid[name]) throw new TypeError(`Invalid ${name}`);
  return href;
}

/** Throws TypeError if `url` is not a URL. */
export function withSlash(url: string): string {
  return new URL(url).href.replace(/\/*$/, "/");
}
