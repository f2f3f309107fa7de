/** As much of the standard's fetch as the client asks for. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** How a feed is asked, whatever the question is. */
export interface FeedOptions {
  /** How old the feed's newest run may be, in milliseconds; where it is left out, as old as the feed itself says. */
  readonly maxAgeMs?: number | undefined;
  /** How long all of it may take, in milliseconds; 5000 where it is left out. */
  readonly timeoutMs?: number | undefined;
  /** What is asked with, instead of the platform's own. */
  readonly fetch?: Fetch | undefined;
  /** Gives the moment it is, in milliseconds since 1970, instead of the clock. */
  readonly now?: (() => number) | undefined;
  /** Its abort ends the question, which then rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** A url without credentials or a fragment, of the characters that RFC 3986 allows. */
export const urlPattern =
  /^https?:\/\/(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?(\/[\w.~:/?@!$&'()*+,;=%-]{0,2000})?$/i;

/** system/project/target, of names that can be parts of a path as they are. */
export const targetPattern = /^(?!(.*\/)?\.+(\/|$))[\w.~-]{1,100}(\/[\w.~-]{1,100}){2}$/;

/** Where a feed is, with a slash at the end. Throws TypeError where one of the two cannot be asked for. */
export function readSite(url: string, target: string): string {
  const { href } = new URL(url);
  if (!urlPattern.test(href) || href.includes("?") || !targetPattern.test(target))
    throw new TypeError("Ask the url of a site for system/project/target");
  return href.replace(/\/*$/, "/");
}
