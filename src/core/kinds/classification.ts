import type { HttpResponse } from "../base/http/response.ts";
import { hasQuery } from "../base/text/url.ts";
import type { Classification, Classify } from "./kind.ts";

export function header({ headers }: HttpResponse, name: string): string | undefined {
  return [headers[name]].flat()[0];
}

/** curl, and so Git, uses the last of several Content-Type headers. */
export function lastHeader({ headers }: HttpResponse, name: string): string | undefined {
  return [headers[name]].flat().at(-1);
}

/**
 * Classifies an answer by its status (RFC 9110, 15; RFC 6585). Some aren't the mirror's fault. 429 means that the prober
 * asks too often, as does 503 with Retry-After. 511 comes from the prober's network until someone logs in.
 */
export function classifyStatus(answer: HttpResponse, expected?: readonly number[]): Classification {
  const { status } = answer;
  if (expected?.includes(status) ?? (status >= 200 && status < 300)) return { code: "ok" };
  if (status === 401 || status === 407) return { code: "auth" };
  if (status === 511) return { code: "captive_portal" };
  if (status === 429 || (status === 503 && header(answer, "retry-after") !== undefined)) {
    return { code: "rate_limited" };
  }
  return { code: "http_status" };
}

/** Classifies by status first. Calls `read` only for a good answer, once its body is complete or reaches `maxBytes`. */
export function classifyBody<OwnCode extends string = never>(
  read: (answer: HttpResponse) => Classification<OwnCode> | undefined,
): Classify<OwnCode> {
  return (answer) => {
    const byStatus = classifyStatus(answer);
    if (byStatus.code !== "ok") return byStatus;
    return answer.complete || answer.bounded ? read(answer) : undefined;
  };
}

export const classifyWhole: Classify = classifyBody((): Classification => ({ code: "ok" }));

export function withoutQuery(subject: string, remedy = ""): (url: string) => string | undefined {
  return (url) =>
    hasQuery(url)
      ? `has a query, but ${subject} has none; remove the ? and everything after it${remedy}`
      : undefined;
}
