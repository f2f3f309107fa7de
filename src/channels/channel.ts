import type { SecureContext } from "node:tls";
import * as z from "zod";
import { type HttpCode, httpCodes, preciseSentences } from "../base/http/codes.ts";
import { causeOf, ProbeFailure } from "../base/http/failure.ts";
import type { HttpResponse } from "../base/http/response.ts";
import type { RequestOptions } from "../base/http/transport.ts";
import { isPrivateHost } from "../base/http/address.ts";
import { parseUrl } from "../base/text/url.ts";
import type { Message } from "./message.ts";

/**
 * The outcome of sending one message. `note` is a remark on the success, such as that one of two receivers was refused.
 */
export type Delivery = { readonly outcome: "sent"; readonly note?: string } | Undelivered;

/** `failed` may work later; `refused` is for good. The reason names no address or secret. */
interface Undelivered {
  readonly outcome: "failed" | "refused";
  readonly reason: string;
  readonly retryAfterMs?: number | undefined;
  /** No answer came, so the receiver may have it nevertheless. */
  readonly mayHaveArrived?: true;
}

/** What a channel reads before sending. */
export interface ReadContext {
  /**
   * Returns the value of an environment variable that the options name. Throws a DeliveryFailure if it may not have it.
   */
  readonly secret: (variable: string) => string;
  /** The URL of GitHub's REST API, which mirrors.json cannot change. */
  readonly githubApiUrl: string;
  /** Whether the receiver may be at a private address, and may be reached without TLS. */
  readonly allowPrivate: boolean;
}

/** What a channel may use to send. */
export interface SendContext extends ReadContext {
  /**
   * Requests a URL, without following redirects, within the deadline and the limits. Rejects with a ProbeFailure if no
   * answer comes, or if the address is private and not allowed.
   */
  readonly request: (url: URL, options?: RequestOptions) => Promise<HttpResponse>;
  /** Returns an address of a name that may be connected to. Rejects with a ProbeFailure if there is none. */
  readonly resolve: (hostname: string) => Promise<string>;
  readonly secureContext: SecureContext;
  /** Aborted at the deadline of this message, and by an interrupt. */
  readonly signal: AbortSignal;
  readonly now: () => number;
}

export interface Channel<Shape extends z.ZodRawShape = z.ZodRawShape> {
  readonly description: string;
  /** The keys beside `type`. Those that end in `Env` hold the name of an environment variable. */
  readonly options: Shape;
  /** A valid entry of `channels`, without `type`. */
  readonly example: object;
  /** Returns why nothing can be sent by an entry of `channels` with these variables, or undefined. Asks nobody. */
  readonly problem: (entry: object, context: ReadContext) => string | undefined;
  /**
   * Returns the outcome of sending one message by an entry of `channels`. Rejects only with an interrupt or an internal
   * error: a failed attempt is a value.
   */
  readonly send: (message: Message, entry: object, context: SendContext) => Promise<Delivery>;
}

/**
 * Returns a channel from its description, a `read` that gets the options with their types, and a `send` that gets what
 * was read. `read` throws a DeliveryFailure that names the variable with an unusable value, so that a run can refuse it
 * before it begins. `send` returns what is to be said of a success, if anything, and throws a DeliveryFailure or a
 * ProbeFailure if the message was not sent.
 */
export function channelOf<Shape extends z.ZodRawShape, Settings>({
  read,
  send,
  ...described
}: Omit<Channel<Shape>, "problem" | "send"> & {
  readonly read: (options: z.infer<z.ZodObject<Shape>>, context: ReadContext) => Settings;
  readonly send: (message: Message, settings: Settings, context: SendContext) => Promise<string | undefined>;
}): Channel<Shape> {
  const schema = z.object(described.options);
  return {
    ...described,
    problem: (entry, context) => {
      try {
        read(schema.parse(entry), context);
        return undefined;
      } catch (error) {
        if (error instanceof DeliveryFailure) return error.delivery.reason;
        throw error;
      }
    },
    send: async (message, entry, context) => {
      try {
        const note = await send(message, read(schema.parse(entry), context), context);
        return { outcome: "sent", ...(note !== undefined && { note }) };
      } catch (error) {
        if (error instanceof DeliveryFailure) return error.delivery;
        if (error instanceof ProbeFailure) return undelivered(error);
        throw error;
      }
    },
  };
}

/**
 * Returns the URL that a variable holds. Throws a DeliveryFailure if it holds none, or one that needs `allowPrivate`: a
 * secret must not travel in clear.
 */
export function readUrl(name: string, { secret, allowPrivate }: ReadContext): URL {
  const url = parseUrl(secret(name).trim());
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw failed(`${name} does not hold a URL; set it to one that begins with https://.`);
  if (allowPrivate) return url;
  const remedy = 'or add "allowPrivate": true to the channel';
  if (url.protocol === "http:") throw failed(`${name} holds a URL without TLS; use https://, ${remedy}.`);
  if (isPrivateHost(url.hostname))
    throw failed(`${name} holds a URL in a private network; use a public one, ${remedy}.`);
  return url;
}

/** Failures before any part of a request was sent. */
const beforeSending: ReadonlySet<string> = new Set<HttpCode>([
  ...(["dns", "refused", "unreachable", "no_route", "tls", "blocked_address"] as const),
]);

function undelivered(failure: ProbeFailure): Delivery {
  const isSure = beforeSending.has(failure.code);
  return { outcome: "failed", reason: reasonOf(failure), ...(!isSure && { mayHaveArrived: true }) };
}

class DeliveryFailure extends Error {
  override readonly name = "DeliveryFailure";
  readonly delivery: Undelivered;

  constructor(outcome: Undelivered["outcome"], reason: string, retryAfterMs?: number) {
    super(reason);
    this.delivery = { outcome, reason, retryAfterMs };
  }
}

/** Returns a failure that may end, for example when the operator corrects its cause. */
export function failed(reason: string, retryAfterMs?: number): DeliveryFailure {
  return new DeliveryFailure("failed", reason, retryAfterMs);
}

/** Returns a permanent failure: the message itself is refused. */
export function refused(reason: string): DeliveryFailure {
  return new DeliveryFailure("refused", reason);
}

/** The name of an environment variable with a GitHub token, which is sent only to GitHub. */
export const tokenVariable = z
  .string()
  .regex(/^[A-Z_][A-Z0-9_]{0,99}$/, {
    error: "must be the name of an environment variable, such as SMTP_PASSWORD: mirrors.json is public",
  })
  .meta({ title: "name of a variable" });

/** The name of an environment variable whose value goes where mirrors.json says. */
export const variable = tokenVariable.refine(
  (name) => !/^(?:ACTIONS|CI|GITHUB|RUNNER)_|^GH_TOKEN$/.test(name),
  {
    error: "is a CI variable, and its value must stay in CI; name a variable that you set for this channel",
  },
);

/**
 * Returns whether a value is a GitHub token
 * (https://docs.github.com/authentication/keeping-your-account-and-data-secure/about-authentication-to-github#githubs-token-formats).
 */
export function isGitHubToken(value: string): boolean {
  return /^(?:gh[a-z]_|github_pat_)/.test(value.trim());
}

/** Explains an unsuccessful answer; undefined if the status says enough. */
export type Refine = (answer: HttpResponse, now: number) => DeliveryFailure | undefined;

/**
 * Returns the successful answer to a request. Throws a DeliveryFailure for any other answer, and if the URL is not
 * HTTPS although private addresses are not allowed: a secret must not travel in clear.
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
  const { status } = answer;
  if (status >= 200 && status <= 299) return answer;
  const now = context.now();
  const reason = hints[status < 400 ? "redirect" : status];
  throw refine(answer, now) ?? (reason === undefined ? statusFailure(answer, now) : failed(reason));
}

/** The operator can correct these. Messages are retried, so none is lost in the meantime. */
const hints: Readonly<Record<string | number, string>> = {
  redirect: "It redirects, and redirects are not followed; use the URL that it redirects to.",
  401: "It does not accept the credentials (HTTP status 401).",
  403: "It does not permit this (HTTP status 403).",
  404: "Its URL was not found (HTTP status 404).",
  407: "The proxy does not accept the credentials (HTTP status 407).",
};

function statusFailure(answer: HttpResponse, now: number): DeliveryFailure {
  const { status } = answer;
  const reason = `It answered with the HTTP status ${status}.`;
  const mayEnd = [408, 425, 429].includes(status) || status >= 500;
  return mayEnd ? failed(reason, retryAfterMs(answer, now)) : refused(reason);
}

function reasonOf(failure: ProbeFailure): string {
  const { code, phase = "" } = failure;
  if (code === "blocked_address") return "Its address is private; set allowPrivate if that is intended.";
  return (
    preciseSentences.get(`${code} ${causeOf(failure) ?? ""}`) ??
    preciseSentences.get(`${code} ${phase}`) ??
    httpCodes[code]
  );
}

const maxWaitMs = 24 * 60 * 60 * 1000;

/** Returns a wait within the limits for retries: not in the past, and no longer than a day. */
export function boundedWait(ms: number): number | undefined {
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), maxWaitMs) : undefined;
}

/** Returns how long an answer asks to wait (RFC 9110, 10.2.3); undefined if it does not say so. */
export function retryAfterMs({ headers }: HttpResponse, now: number): number | undefined {
  const value = headers["retry-after"];
  if (typeof value !== "string") return undefined;
  return boundedWait(/^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now);
}
