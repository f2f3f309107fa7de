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
