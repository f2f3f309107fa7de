import type { SecureContext } from "node:tls";
import * as z from "zod";
import { httpCodes, preciseSentences } from "../base/http/codes.ts";
import { causeOf, ProbeFailure } from "../base/http/failure.ts";
import type { HttpResponse } from "../base/http/response.ts";
import type { RequestOptions } from "../base/http/transport.ts";
import type { Message } from "./message.ts";

/** The outcome of sending one message. `failed` may work later; `refused` is for good. Reasons name no address or secret. */
export type Delivery =
  /** `note`: a remark on the success, such as that one of two receivers was refused. */
  { readonly outcome: "sent"; readonly note?: string } | Undelivered;

export type Undelivered =
  | { readonly outcome: "failed"; readonly reason: string; readonly retryAfterMs?: number | undefined }
  | { readonly outcome: "refused"; readonly reason: string };

/** What a channel may use to send. */
export interface SendContext {
  /** Returns the value of an environment variable that the options name. */
  readonly secret: (variable: string) => string;
  /** The URL of GitHub's REST API, which mirrors.json cannot change. */
  readonly githubApiUrl: string;
  /**
   * Requests a URL, without following redirects, within the deadline and the limits. Rejects with a ProbeFailure if no
   * answer comes, or if the address is private and not allowed.
   */
  readonly request: (url: URL, options?: RequestOptions) => Promise<HttpResponse>;
  /** Returns an address of a name that may be connected to. Rejects with a ProbeFailure if there is none. */
  readonly resolve: (hostname: string) => Promise<string>;
  /** Whether the receiver may be at a private address, and may be reached without TLS. */
  readonly allowPrivate: boolean;
  readonly secureContext: SecureContext;
  /** Aborted at the deadline of this message, and by an interrupt. */
  readonly signal: AbortSignal;
  readonly now: () => number;
}

/** A way to send messages: what mirrors.json says of it, and how it sends one. */
export interface Channel<Shape extends z.ZodRawShape = z.ZodRawShape> {
  /** For the configuration's schema and the documents. */
  readonly description: string;
  /** The keys beside `type`. Those that end in `Env` hold the name of an environment variable. */
  readonly options: Shape;
  /** A valid entry of `channels`, without `type`. */
  readonly example: object;
  /**
   * Returns the outcome of sending one message by an entry of `channels`. Rejects only with an interrupt or an internal
   * error: a failed attempt is a value.
   */
  readonly send: (message: Message, entry: object, context: SendContext) => Promise<Delivery>;
}

/**
 * Returns a channel from its description and a `send` that gets the options with their types. It returns what is to be
 * said of a success, if anything, and throws a DeliveryFailure or a ProbeFailure if the message was not sent.
 */
export function channelOf<Shape extends z.ZodRawShape>({
  send,
  ...described
}: Omit<Channel<Shape>, "send"> & {
  readonly send: (
    message: Message,
    options: z.infer<z.ZodObject<Shape>>,
    context: SendContext,
  ) => Promise<string | undefined>;
}): Channel<Shape> {
  const schema = z.object(described.options);
  return {
    ...described,
    send: async (message, entry, context) => {
      try {
        const note = await send(message, schema.parse(entry), context);
        return { outcome: "sent", ...(note !== undefined && { note }) };
      } catch (error) {
        if (error instanceof DeliveryFailure) return error.delivery;
        if (error instanceof ProbeFailure) return ofFailure(error);
        throw error;
      }
    },
  };
}

class DeliveryFailure extends Error {
  override readonly name = "DeliveryFailure";
  readonly delivery: Undelivered;

  constructor(delivery: Undelivered) {
    super(delivery.reason);
    this.delivery = delivery;
  }
}

const variableName = z
  .string()
  .regex(/^[A-Z_][A-Z0-9_]{0,99}$/, {
    error: "must be the name of an environment variable, such as SMTP_PASSWORD: mirrors.json is public",
  })
  .meta({ title: "name of a variable" });

/** The name of an environment variable whose value goes where mirrors.json says. */
export const variable = variableName.refine(
  (name) => !/^(?:ACTIONS|CI|GITHUB|RUNNER)_|^GH_TOKEN$/.test(name),
  {
    error: "is a CI variable, and its value must stay in CI; name a variable that you set for this channel",
  },
);

/** The name of an environment variable with a GitHub token, which is sent only to GitHub. */
export const tokenVariable = variableName;

/**
 * Returns whether a value is a GitHub token
 * (https://docs.github.com/authentication/keeping-your-account-and-data-secure/about-authentication-to-github#githubs-token-formats).
 */
export function isGitHubToken(value: string): boolean {
  return /^(?:gh[a-z]_|github_pat_)/.test(value.trim());
}

/** Explains an answer that is not a success; undefined if the status alone decides. */
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
