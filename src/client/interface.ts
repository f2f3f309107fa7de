import type { Freshness, Rankable } from "../core/verdict/rank.ts";
import type { Reason } from "./reasons.ts";

/** The URL of a feed, or the URLs of several feeds to try in this order. */
export type FeedUrls = string | readonly string[];

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

/**
 * Why `freshness` is `unknown`. `no_reference`: the target has no reference. `no_revision`: the mirror's revision was
 * never read. `other_branch`: the mirror's HEAD names a different branch from the reference's HEAD. `undecided`: the
 * feed cannot tell yet, or this version of the client does not know the freshness that the feed gives.
 */
export type FreshnessReason = "no_reference" | "no_revision" | "other_branch" | "undecided";

/** A mirror according to the feed. All fields but `id`, `name`, `url` and `status` come from its report. */
export interface Mirror extends Rankable {
  readonly id: number;
  /** Untrusted text: not safe to print or to show as HTML. */
  readonly name: string;
  /** An HTTP or HTTPS URL without credentials, in the characters that RFC 3986 allows. */
  readonly url: string;
  readonly freshness?: Freshness;
  /** Why the freshness is `unknown`. */
  readonly freshness_reason?: FreshnessReason;
  /** What the mirror has, such as a Git commit; safe to print. */
  readonly revision?: string;
  readonly uptime?: { readonly "7d": { readonly ratio: number } };
  /** The kind of probe, such as `git` or `apt`. */
  readonly kind?: string;
  /** The options for this kind of probe. */
  readonly options?: Readonly<Record<string, unknown>>;
  readonly primary?: true;
  readonly maintenance?: true;
  readonly notice?: true;
  /** The weight for `spread`. Defaults to 1. */
  readonly weight?: number;
}

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

/** Which name the feed doesn't know; `unknown` if the answer doesn't say. */
export type Level = "system" | "project" | "target" | "unknown";

/** What a result may have besides `outcome`. The heartbeat's fields are missing if the feed has only the contract. */
export interface ResultFields extends Partial<Heartbeat> {
  /** All of the target's mirrors but those that `exclude` names, best first, unreachable ones last. */
  readonly mirrors?: readonly Mirror[];
  /** The best mirror. Without `exclude`, `country` or `spread`, it is the first line of the feed's mirror list. */
  readonly mirror?: Mirror;
  /** How many mirrors are reachable and, with `fresh`, also in sync. At least `min` make the outcome `reachable`. */
  readonly count?: number;
  readonly min?: number;
  readonly level?: Level;
  /** With several feeds, the reason why the first was passed over. */
  readonly reason?: Reason;
  /** The error, if the reason is `no_answer`. */
  readonly cause?: unknown;
  /** The feeds tried before the one that answered, or all of them if none is current. */
  readonly passed_over?: readonly PassedOver[];
}

/** A result with one of these outcomes. It always has these fields, and any of the others can be destructured. */
export type Result<Outcome extends string, Field extends keyof ResultFields> = ResultFields &
  Required<Pick<ResultFields, Field>> & { readonly outcome: Outcome };

/** `not_fresh`: with `fresh`, enough mirrors are reachable, but too few of them are known to be in sync. */
export type Counted = Result<"reachable" | "not_fresh" | "unreachable", "mirrors" | "count" | "min">;
export type Picked = Result<"reachable", "mirrors" | "mirror"> | Result<"unreachable", "mirrors">;

/** The feed has no such system, project or target. */
export type NotFound = Result<"not_found", "level">;

/** No feed gave a usable answer. */
export type Unknown = Result<"unknown", "reason">;

export type Failure = NotFound | Unknown;
export type CheckResult = Counted | Failure;
export type PickResult = Picked | Failure;
