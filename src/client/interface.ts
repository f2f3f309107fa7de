/** The platform's AbortSignal if the compiler knows it: the client needs the types of neither the DOM nor Node.js. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Instance } }
  ? Instance
  : { readonly aborted: boolean };

/** The options that the client passes to `fetch`. */
export interface FetchInit {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: Signal;
  readonly redirect?: "manual";
  readonly cache?: "reload";
}

/** The part of a standard Response that the client reads. */
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
  /** The text of minisign's public key file, or of several. The feed must be signed by one of these keys. */
  readonly publicKey?: string | undefined;
  /** How long after it expired a feed may still be used if none is current, in milliseconds. 0 by default. */
  readonly maxStaleMs?: number | undefined;
  /** What an earlier call returned: a feed of another site, or an older one, is passed over. */
  readonly previous?: Previous | undefined;
  /** The time limit of all requests to a feed, in milliseconds. 5000 by default. */
  readonly timeoutMs?: number | undefined;
  /** Replaces the platform's `fetch`. */
  readonly fetch?: Fetch | undefined;
  /** Returns the time in milliseconds since 1970. By default the clock. */
  readonly now?: (() => number) | undefined;
  /** Aborts the requests. The call then rejects with its reason. */
  readonly signal?: Signal | undefined;
}

/** What is known of the feeds from an earlier call. */
export interface Previous {
  readonly site_url?: string | undefined;
  readonly generated_at?: string | undefined;
}

export interface CheckOptions extends FeedOptions {
  /** How many mirrors must be reachable. 1 by default. */
  readonly min?: number | undefined;
  /** Whether only mirrors count that are in sync, have no wrong content, and whose status is verified. */
  readonly fresh?: boolean | undefined;
}

export interface PickOptions extends FeedOptions {
  /** The hosts whose mirrors are excluded: names or addresses, with a port to exclude only that one. */
  readonly exclude?: readonly string[] | undefined;
  /** The country whose mirrors come before equally good ones: two letters of ISO 3166-1, such as DE. */
  readonly country?: string | undefined;
  /** Whether the mirror is drawn by weight among the equally good ones, so that many clients share them. */
  readonly spread?: boolean | undefined;
  /** Returns a random number in [0, 1) for `spread`. By default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** A URL without credentials or a fragment, of the characters that RFC 3986 allows. */
export const urlPattern =
  /^https?:\/\/(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?(\/[\w.~:/?@!$&'()*+,;=%-]{0,2000})?$/i;

/** system/project/target, of names that need no escaping in a path. */
export const targetPattern = /^(?!(.*\/)?\.+(\/|$))[\w.~-]{1,100}(\/[\w.~-]{1,100}){2}$/;

/** Timers take no more than about 24 days, and end at once for a longer time. */
const maxTimeoutMs = 2e9;

/**
 * Returns the URL of a feed, with a slash at the end. Throws TypeError with the name of an argument that is invalid.
 */
export function parseSiteUrl(url: string, target: string, options: CheckOptions & PickOptions): string {
  const { timeoutMs = 1, maxAgeMs = 0, maxStaleMs = 0, min = 1, country = "DE", exclude = [] } = options;
  const { href } = new URL(url);
  const valid: Readonly<Record<string, boolean>> = {
    url: urlPattern.test(href) && !/\?/.test(href),
    target: targetPattern.test(target),
    timeoutMs: timeoutMs > 0 && timeoutMs <= maxTimeoutMs,
    maxAgeMs: maxAgeMs >= 0,
    maxStaleMs: maxStaleMs >= 0,
    min: min > 0 && min % 1 === 0,
    country: /^[a-z]{2}$/i.test(country),
    // Other text that is not a host is refused by the URL that it becomes a part of.
    exclude: Array.isArray(exclude) && !/[\s/?#@\\]/.test(exclude.join()),
  };
  for (const name in valid) if (!valid[name]) throw new TypeError(`Invalid ${name}`);
  return href.replace(/\/*$/, "/");
}

/** The level whose name the feed does not know. `unknown` if it does not say. */
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
  /** The feed is dated ahead of this clock, so nothing tells its age: one of the two clocks is wrong. */
  | "ahead"
  /** The feed's site is another one than that of `previous`, or the feed does not name it. */
  | "other_site"
  /** The feed is older than `previous`. */
  | "older"
  /** The feed's prober has never reached anything, so its statuses prove nothing. */
  | "prober_offline"
  /** The feed has no report with the freshness, or no heartbeat with its age. */
  | "no_report"
  /** A key was given, and the feed has no signature. */
  | "unsigned"
  /** None of the keys signed the feed, or the signature was damaged. */
  | "bad_signature"
  /** A document is not the one that was signed. A host that is just changing to a new deployment mixes both. */
  | "bad_digest";

/** What the heartbeat of a feed says. The timestamps are ISO timestamps in UTC. */
export interface Heartbeat {
  /** When the newest run ended. */
  readonly generated_at: string;
  readonly expires_at: string;
  /** The URL of the feed's site, which every copy of it names too. Missing if its operator set none. */
  readonly site_url?: string;
  /** Whether it has expired, and is used only because of `maxStaleMs`. */
  readonly stale?: true;
}

/** A feed that was not used, and why. */
export interface PassedOver {
  readonly url: string;
  readonly reason: Reason;
  /** What was thrown, if the reason is `no_answer`. */
  readonly cause?: unknown;
}

/** Which of several feeds could not be used. */
export interface Search {
  /** The feeds before the one that answered, or all of them if none is current. */
  readonly passed_over?: readonly PassedOver[];
}

/** The feed knows no such system, project or target. */
export interface NotFound extends Search, Partial<Heartbeat> {
  readonly outcome: "not_found";
  readonly level: Level;
}

/** The result is unknown, and why. */
export interface Unknown extends Search {
  readonly outcome: "unknown";
  /** Of several feeds, why the first was passed over. */
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
  declare readonly result: NotFound | Unknown;

  constructor(result: NotFound | Unknown) {
    super();
    this.result = result;
  }
}

/** Returns an error that makes the result unknown. */
export function unknown(reason: Reason, cause?: unknown): Unanswered {
  return new Unanswered({ outcome: "unknown", reason, cause });
}
