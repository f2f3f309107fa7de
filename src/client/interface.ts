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

/** Which of the names the feed does not know. `unknown` if it does not say. */
export type Level = "system" | "project" | "target" | "unknown";

/** Why it is unknown whether mirrors are reachable. */
export type Reason =
  /** There was no answer: the name, the connection or TLS failed, or the transfer was cut off. */
  | "no_answer"
  /** The answers took too long. */
  | "timeout"
  /** It redirects too often, or to a forbidden URL. */
  | "redirect"
  /** An answer is too large. */
  | "too_large"
  /** It answered with an HTTP error outside the contract. */
  | "http_status"
  /** It answered with something outside the contract, such as a page. */
  | "not_contract"
  /** The feed is no longer updated: its `expires_at` is past. */
  | "expired"
  /** The feed is older than `maxAgeMs`. */
  | "too_old"
  /** The feed's prober has never reached anything, so its statuses prove nothing. */
  | "prober_offline"
  /** The feed has no report with the freshness, or no heartbeat with its age. */
  | "no_report";

/** The feed knows no such system, project or target. */
export interface NotFound {
  readonly outcome: "not_found";
  readonly level: Level;
}

/** The result is unknown, and why. */
export interface Unknown {
  readonly outcome: "unknown";
  readonly reason: Reason;
  /** What was thrown, if the reason is `no_answer`. */
  readonly cause?: unknown;
}

type KeyOf<Union> = Union extends unknown ? keyof Union : never;

/** The results of a union, each with the fields of the others as undefined, so that every field can be destructured. */
export type Destructurable<Union, All = Union> = Union extends unknown
  ? Union & { readonly [Key in Exclude<KeyOf<All>, keyof Union>]?: undefined }
  : never;

/** Thrown inside the client only, which returns its `result`. */
export class Unanswered extends Error {
  readonly result: NotFound | Unknown;

  constructor(result: NotFound | Unknown) {
    super();
    this.result = result;
  }
}

/** Returns an error that makes the result unknown. */
export function unknown(reason: Reason, cause?: unknown): Unanswered {
  return new Unanswered({ outcome: "unknown", reason, cause });
}
