import type { Code } from "./observation.ts";
import type { Answer } from "./exchange.ts";

/** What an answer says of a mirror. */
export interface Judgement {
  readonly code: Code;
  readonly revision?: string;
  readonly branch?: string;
}

/** Judges an answer as far as it has come; undefined while more of it is needed. */
export type Judge = (answer: Answer) => Judgement | undefined;

/** The value of a header that stands once, or of the first where it was repeated; undefined where there is none. */
export function header({ headers }: Answer, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : value?.[0];
}

/**
 * The code of an answer whose status is not the expected one (RFC 9110, 15; RFC 6585). 429, and 503 with Retry-After,
 * say that we ask too much: that is no fault of the mirror.
 */
export function refusal(answer: Answer): Judgement {
  const { status } = answer;
  if (status === 401 || status === 407) return { code: "auth" };
  if (status === 429 || (status === 503 && header(answer, "retry-after") !== undefined)) {
    return { code: "rate_limited" };
  }
  return { code: "http_status" };
}
