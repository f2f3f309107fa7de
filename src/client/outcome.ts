/** Which of the names the feed does not know; `unknown` where it does not say. */
export type Level = "system" | "project" | "target" | "unknown";

/** Why it is not known whether mirrors are reachable. */
export type Reason =
  /** No answer came: the name, the connection or TLS failed, or the transfer broke off. */
  | "no_answer"
  /** The answers did not come in time. */
  | "timeout"
  /** It redirects more often than is followed, or to where it must not. */
  | "redirect"
  /** An answer is larger than is read. */
  | "too_large"
  /** It answered with an HTTP error that is none of the contract. */
  | "http_status"
  /** It answered with something that is not the contract, such as a page. */
  | "not_contract"
  /** The feed stands still: its `expires_at` is past. */
  | "expired"
  /** The feed is older than was asked for. */
  | "too_old"
  /** The feed's prober has never reached anything, so that its statuses prove nothing. */
  | "prober_offline"
  /** The feed has not the document that tells freshness, or the one that tells its age. */
  | "no_report";

/** The feed knows no such system, project or target. */
export interface NotFound {
  readonly outcome: "not_found";
  readonly level: Level;
}

/** It could not be found out, and why. */
export interface Unknown {
  readonly outcome: "unknown";
  readonly reason: Reason;
  /** What was thrown, where the reason is `no_answer`. */
  readonly cause?: unknown;
}

/** Thrown inside the client only, which gives its `result`. */
export class Unanswered extends Error {
  readonly result: NotFound | Unknown;

  constructor(result: NotFound | Unknown) {
    super();
    this.result = result;
  }
}

/** What makes the result unknown, to be thrown. */
export function unknown(reason: Reason, cause?: unknown): Unanswered {
  return new Unanswered({ outcome: "unknown", reason, cause });
}
