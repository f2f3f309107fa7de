/** The platform's AbortSignal if the compiler knows it: the client needs the types of neither the DOM nor Node.js. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Instance } }
  ? Instance
  : { readonly aborted: boolean };

/** What the client asks of `fetch`. */
export interface FetchInit {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: Signal;
  readonly redirect?: "manual";
}

/** What the client reads of a standard Response. */
export interface FetchResponse {
  readonly status: number;
  readonly type: string;
  readonly headers: { readonly get: (name: string) => string | null };
  readonly body: {
    readonly getReader: () => { readonly read: () => Promise<{ readonly value?: Uint8Array | undefined }> };
  } | null;
}

/** The part of the standard `fetch` that the client uses. */
export type Fetch<Answer extends FetchResponse = FetchResponse> = (
  url: string,
  init: FetchInit,
) => Promise<Answer>;

/** How a feed is requested. */
export interface FeedOptions {
  /** The maximum age of the feed's newest run, in milliseconds. By default the feed itself says when it expires. */
  readonly maxAgeMs?: number | undefined;
  /** The time limit of all requests, in milliseconds. 5000 by default. */
  readonly timeoutMs?: number | undefined;
  /** Replaces the platform's `fetch`. */
  readonly fetch?: Fetch | undefined;
  /** Returns the time in milliseconds since 1970. By default the clock. */
  readonly now?: (() => number) | undefined;
  /** Aborts the requests. The call then rejects with its reason. */
  readonly signal?: Signal | undefined;
}

/** A URL without credentials or a fragment, of the characters that RFC 3986 allows. */
export const urlPattern =
  /^https?:\/\/(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?(\/[\w.~:/?@!$&'()*+,;=%-]{0,2000})?$/i;

/** system/project/target, of names that need no escaping in a path. */
export const targetPattern = /^(?!(.*\/)?\.+(\/|$))[\w.~-]{1,100}(\/[\w.~-]{1,100}){2}$/;

/** Returns the URL of a feed, with a slash at the end. Throws TypeError if the URL or the target is invalid. */
export function parseSiteUrl(url: string, target: string): string {
  const { href } = new URL(url);
  if (!urlPattern.test(href) || href.includes("?") || !targetPattern.test(target))
    throw new TypeError("Give the URL of a site and a target as system/project/target");
  return href.replace(/\/*$/, "/");
}
