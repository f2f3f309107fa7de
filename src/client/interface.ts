import type { Reason } from "./reasons.ts";

export type { Reason } from "./reasons.ts";

/** The part of the platform's `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit & { readonly signal: AbortSignal }) => Promise<Response>;

export interface FeedOptions {
  /** The maximum age of the feed's newest run, in milliseconds. By default, only the feed's own expiry counts. */
  readonly maxAgeMs?: number | undefined;
  /** The text of one or more minisign public key files. The feed must be signed by one of these keys. */
  readonly publicKey?: string | undefined;
  /** The URL of the site that all feeds must belong to. With `publicKey`, defaults to the URL of the first feed. */
  readonly site?: string | undefined;
  /** How long an expired feed may still be used if no feed is current, in milliseconds. Defaults to 0. */
  readonly maxStaleMs?: number | undefined;
  /** The result of an earlier call. Feeds older than this result, or of a different site, are passed over. */
  readonly previous?: { readonly [Field in "site_url" | "generated_at"]?: string | undefined } | undefined;
  /** The time limit for all requests to a feed, in milliseconds. Defaults to 5000. */
  readonly timeoutMs?: number | undefined;
  /** Replaces the platform's `fetch`. */
  readonly fetch?: Fetch | undefined;
  /** Returns the time in milliseconds since 1970. Defaults to `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** Aborts the requests. The call then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface CheckOptions extends FeedOptions {
  /** How many mirrors must be reachable. Defaults to 1. */
  readonly min?: number | undefined;
  /** Counts only mirrors that are in sync, with correct content and a verified status. */
  readonly fresh?: boolean | undefined;
}

export interface PickOptions extends FeedOptions {
  /** The hosts to exclude, as names or addresses. A host with a port excludes only that port. */
  readonly exclude?: readonly string[] | undefined;
  /** The country to prefer among equally good mirrors: two letters of ISO 3166-1, such as DE. */
  readonly country?: string | undefined;
  /** Picks one of the equally good mirrors at random, by weight, so that many clients don't all use the same one. */
  readonly spread?: boolean | undefined;
  /** Returns a random number in [0, 1) for `spread`. Defaults to `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** Which name the feed doesn't know; `unknown` if the answer doesn't say. */
export type Level = "system" | "project" | "target" | "unknown";

/** Fields of the feed's heartbeat. Times are ISO timestamps in UTC. */
export interface Heartbeat {
  /** When the newest run ended. */
  readonly generated_at: string;
  readonly expires_at: string;
  /** The URL of the feed's site. Copies of the feed elsewhere give this URL too. Missing if the operator set none. */
  readonly site_url?: string;
  /** Set if the feed has expired and is used only because of `maxStaleMs`. */
  readonly stale?: true;
}

/** A feed that was not used, and why. */
export interface PassedOver {
  readonly url: string;
  readonly reason: Reason;
  /** The error, if the reason is `no_answer`. */
  readonly cause?: unknown;
}

/** Which of several feeds were not used. */
export interface Search {
  /** The feeds tried before the one that answered, or all of them if none is current. */
  readonly passed_over?: readonly PassedOver[];
}

/** The feed has no such system, project or target. */
export interface NotFound extends Search, Partial<Heartbeat> {
  readonly outcome: "not_found";
  readonly level: Level;
}

/** No feed gave a usable answer. */
export interface Unknown extends Search {
  readonly outcome: "unknown";
  /** With several feeds, the reason why the first was passed over. */
  readonly reason: Reason;
  /** The error, if the reason is `no_answer`. */
  readonly cause?: unknown;
}

export type Failure = NotFound | Unknown;

type KeyOf<Union> = Union extends unknown ? keyof Union : never;

/** Adds the fields of the union's other members as undefined, so that every field can be destructured. */
export type Destructurable<Union, All = Union> = Union extends unknown
  ? Union & { readonly [Key in Exclude<KeyOf<All>, keyof Union>]?: undefined }
  : never;
