import type { SecureContext } from "node:tls";
import * as z from "../../../core/base/zod.ts";
import type { HttpCode } from "../../../core/base/http/codes.ts";
import { causeOf, ProbeFailure } from "../../../core/base/http/failure.ts";
import type { HttpResponse } from "../../../core/base/http/response.ts";
import type { RequestOptions } from "../../../core/base/http/transport.ts";
import { isPrivateHost } from "../../../core/base/http/address.ts";
import { parseUrl } from "../../../core/base/text/url.ts";
import { sentenceOf } from "../../../core/kinds/kinds.ts";
import type { Message } from "./message.ts";

export interface Receipt {
  /** What was wrong in spite of the success, for example that one of two recipients was refused. */
  readonly note?: string;
  /** Identifies what was sent, for the end of the event. */
  readonly number?: number;
}

export type Delivery = (Receipt & { readonly outcome: "sent" }) | Undelivered;

interface Undelivered {
  readonly outcome: "failed";
  /** Contains no address or secret. */
  readonly reason: string;
  readonly retryAfterMs?: number | undefined;
  /** No answer came, so the receiver may have the message all the same. */
  readonly mayHaveArrived?: true;
}

export interface ReadContext {
  /** Reads an environment variable. Throws DeliveryFailure if the channel must not use its value. */
  readonly secret: (variable: string) => string;
  /** The URL of GitHub's REST API, which mirrors.json cannot change. */
  readonly githubApiUrl: string;
  /** Allows receivers at private addresses and without TLS. */
  readonly allowPrivate: boolean;
}

export interface SendContext extends ReadContext {
  /** Follows no redirects. Rejects with ProbeFailure if no answer comes, or if the address is not allowed. */
  readonly request: (url: URL, options?: RequestOptions) => Promise<HttpResponse>;
  /** Resolves a hostname to an address that may be used. Rejects with ProbeFailure if there is no such address. */
  readonly resolve: (hostname: string) => Promise<string>;
  readonly secureContext: SecureContext;
  /** Aborted at the message's deadline, or by an interrupt. */
  readonly signal: AbortSignal;
  readonly now: () => number;
}

export type Channel = Readonly<ReturnType<typeof channelOf>>;

/** Throws DeliveryFailure or ProbeFailure if the message was not sent. */
type Send = (message: Message, context: SendContext) => Promise<Receipt>;

/**
 * Builds a channel from the options of its type. `open` gets their values. If the value of a variable is unusable, it
 * throws DeliveryFailure, which names the variable.
 */
export function channelOf<Shape extends z.ZodRawShape>(
  options: Shape,
  open: (options: z.infer<z.ZodObject<Shape>>, context: ReadContext) => Send,
  isSingle = false,
) {
  const schema = z.object(options);
  return {
    /** Whether each event is sent as a message of its own. */
    isSingle,
    /** Returns why an entry of `channels` cannot send, judging by its variables, or undefined. Makes no requests. */
    problem: (entry: object, context: ReadContext): string | undefined => {
      try {
        open(schema.parse(entry), context);
        return undefined;
      } catch (error) {
        return asDelivery(error).reason;
      }
    },
    /** Sends one message. A failure is returned; only an interrupt or an internal error rejects. */
    send: async (message: Message, entry: object, context: SendContext): Promise<Delivery> => {
      try {
        return { outcome: "sent", ...(await open(schema.parse(entry), context)(message, context)) };
      } catch (error) {
        return asDelivery(error);
      }
    },
  };
}

/**
 * Returns the URL that a variable holds. Throws DeliveryFailure if the value is not a URL. Without `allowPrivate`, also
 * throws if the URL's host is private, or if the URL has no TLS, because a secret must not be sent unencrypted.
 */
export function readUrl(name: string, value: string, allowPrivate: boolean): URL {
  const url = parseUrl(value.trim());
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new DeliveryFailure(`${name} does not hold a URL; set it to one that begins with https://.`);
  if (allowPrivate) return url;
  const remedy = 'or add "allowPrivate": true to the channel';
  if (url.protocol === "http:")
    throw new DeliveryFailure(`${name} holds a URL without TLS; use https://, ${remedy}.`);
  if (isPrivateHost(url.hostname))
    throw new DeliveryFailure(`${name} holds a URL in a private network; use a public one, ${remedy}.`);
  return url;
}

const beforeSending: ReadonlySet<string> = new Set<HttpCode>([
  ...(["dns", "refused", "unreachable", "no_route", "tls", "blocked_address"] as const),
]);

/** Returns the failure that an error means. Throws any other error. */
function asDelivery(error: unknown): Undelivered {
  if (error instanceof DeliveryFailure) return error.delivery;
  if (!(error instanceof ProbeFailure)) throw error;
  const { code, phase } = error;
  const reason =
    code === "blocked_address"
      ? "Its address is private; set allowPrivate if that is intended."
      : sentenceOf(code, { phase, cause: causeOf(error) });
  return { outcome: "failed", reason, ...(!beforeSending.has(code) && { mayHaveArrived: true }) };
}

export class DeliveryFailure extends Error {
  override readonly name = "DeliveryFailure";
  readonly delivery: Undelivered;
  readonly status: number | undefined;

  constructor(reason: string, more: Omit<Undelivered, "outcome" | "reason"> = {}, status?: number) {
    super(reason);
    this.delivery = { outcome: "failed", reason, ...more };
    this.status = status;
  }
}

/** Explains an answer with an error status. Returns undefined if the status alone says enough. */
export type Refine = (answer: HttpResponse, now: number) => DeliveryFailure | undefined;

/** Sends a request and returns the answer if its status is 2xx. Throws DeliveryFailure for any other status. */
export async function ask(
  url: URL,
  options: RequestOptions,
  context: SendContext,
  refine: Refine = () => undefined,
): Promise<HttpResponse> {
  const answer = await context.request(url, options);
  const { status } = answer;
  if (status >= 200 && status <= 299) return answer;
  const now = context.now();
  const redirect = "It redirects, which is not followed; use the URL that it redirects to.";
  throw (
    refine(answer, now) ??
    new DeliveryFailure(status < 400 ? redirect : `It answered with HTTP status ${status}.`, {
      retryAfterMs: retryAfterMs(answer, now),
      // A gateway has passed the request on.
      ...(status === 504 && { mayHaveArrived: true }),
    })
  );
}

/** Returns the wait that `Retry-After` asks for (RFC 9110, 10.2.3), if any. */
export function retryAfterMs({ headers }: HttpResponse, now: number): number | undefined {
  const value = headers["retry-after"];
  if (typeof value !== "string") return undefined;
  const waitMs = /^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(waitMs) ? undefined : waitMs;
}
