import { httpCodes, preciseSentences } from "../base/http/codes.ts";
import { causeOf, ProbeFailure } from "../base/http/failure.ts";
import type { HttpResponse } from "../base/http/response.ts";
import type { RequestOptions } from "../base/http/transport.ts";
import type { Delivery, SendContext, Undelivered } from "./channel.ts";

/** Why a message was not sent. Only thrown inside of `delivering`, which turns it into the outcome. */
export class DeliveryFailure extends Error {
  override readonly name = "DeliveryFailure";
  readonly delivery: Undelivered;

  constructor(delivery: Undelivered) {
    super(delivery.reason);
    this.delivery = delivery;
  }
}

/** Returns `sent` after an action, or the outcome that the action throws as a DeliveryFailure or a ProbeFailure. */
export async function delivering(action: () => Promise<void>): Promise<Delivery> {
  try {
    await action();
    return { outcome: "sent" };
  } catch (error) {
    if (error instanceof DeliveryFailure) return error.delivery;
    if (error instanceof ProbeFailure) return ofFailure(error);
    throw error;
  }
}

/** What a channel says of an answer that is not a success; undefined if the status alone decides. */
export type Refine = (answer: HttpResponse, now: number) => Undelivered | undefined;

/**
 * Returns the successful answer to a request. Throws a DeliveryFailure for any other answer, and if the URL is not HTTPS
 * although private addresses are not allowed: a secret must not travel in clear.
 */
export async function ask(
  url: URL,
  options: RequestOptions,
  context: SendContext,
  refine: Refine = () => undefined,
): Promise<HttpResponse> {
  if (url.protocol !== "https:" && (url.protocol !== "http:" || !context.allowPrivate)) {
    throw failed("Its URL does not begin with https://, which is needed unless allowPrivate is set.");
  }
  const answer = await context.request(url, options);
  if (answer.status < 200 || answer.status > 299) {
    const now = context.now();
    throw new DeliveryFailure(refine(answer, now) ?? ofStatus(answer, now));
  }
  return answer;
}

/** Returns a failure that may end, for example when the operator corrects its cause. */
export function failed(reason: string): DeliveryFailure {
  return new DeliveryFailure({ outcome: "failed", reason });
}

/** Returns a failure for good: of the message itself. */
export function refused(reason: string): DeliveryFailure {
  return new DeliveryFailure({ outcome: "refused", reason });
}

/** Returns the headers of Basic authentication (RFC 7617). */
export function basicAuthorization(user: string, password: string): string[] {
  return ["authorization", `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`];
}

/** Returns a wait as retries take it: not in the past, and no longer than a day. */
export function boundedWait(ms: number): number | undefined {
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), maxWaitMs) : undefined;
}

/** Returns how long an answer asks to wait (RFC 9110, 10.2.3); undefined if it does not say so. */
export function retryAfterMs({ headers }: HttpResponse, now: number): number | undefined {
  const value = headers["retry-after"];
  if (typeof value !== "string") return undefined;
  return boundedWait(/^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now);
}

const maxWaitMs = 24 * 60 * 60 * 1000;

function ofFailure(failure: ProbeFailure): Undelivered {
  const { code, phase = "" } = failure;
  if (code === "blocked_address") {
    return { outcome: "failed", reason: "Its address is private; set allowPrivate if that is intended." };
  }
  const reason =
    preciseSentences.get(`${code} ${causeOf(failure) ?? ""}`) ??
    preciseSentences.get(`${code} ${phase}`) ??
    httpCodes[code];
  return { outcome: "failed", reason };
}

function ofStatus(answer: HttpResponse, now: number): Undelivered {
  const { status } = answer;
  const hint = hints[status < 400 ? "redirect" : status];
  if (hint !== undefined) return { outcome: "failed", reason: hint };
  const reason = `It answered with the HTTP status ${status}.`;
  return status === 408 || status === 425 || status === 429 || status >= 500
    ? { outcome: "failed", reason, retryAfterMs: retryAfterMs(answer, now) }
    : { outcome: "refused", reason };
}

/** What the operator can correct. So that no message is lost meanwhile, it is tried again. */
const hints: Readonly<Record<string | number, string>> = {
  redirect: "It redirects, which is not followed; give the URL that it redirects to.",
  401: "It does not accept the credentials (HTTP status 401).",
  403: "It does not permit this (HTTP status 403).",
  404: "There is nothing at its URL (HTTP status 404).",
  407: "The proxy does not accept the credentials (HTTP status 407).",
};
