import type { SecureContext } from "node:tls";
import * as z from "zod";
import type { HttpResponse } from "../base/http/response.ts";
import type { RequestOptions } from "../base/http/transport.ts";
import type { Message } from "./message.ts";

/** The outcome of sending one message. `failed` may work later; `refused` is for good. Reasons name no address or secret. */
export type Delivery =
  /** `note`: what is to be said of it nevertheless, such as that one of two receivers was refused. */
  { readonly outcome: "sent"; readonly note?: string } | Undelivered;

/** Why a message was not sent. */
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
  /** What TLS trusts. */
  readonly secureContext: SecureContext;
  /** Aborted at the deadline of this message, and by an interrupt. */
  readonly signal: AbortSignal;
  /** Returns the time in epoch milliseconds. */
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

/** Returns a channel whose `send` gets the options with their types. */
export function channelOf<Shape extends z.ZodRawShape>({
  send,
  ...described
}: Omit<Channel<Shape>, "send"> & {
  readonly send: (
    message: Message,
    options: z.infer<z.ZodObject<Shape>>,
    context: SendContext,
  ) => Promise<Delivery>;
}): Channel<Shape> {
  const schema = z.object(described.options);
  return { ...described, send: (message, entry, context) => send(message, schema.parse(entry), context) };
}

const variableName = z
  .string()
  .regex(/^[A-Z_][A-Z0-9_]{0,99}$/, {
    error: "must be the name of an environment variable, such as SMTP_PASSWORD: mirrors.json is public",
  })
  .meta({ title: "name of a variable" });

/** The schema of the name of an environment variable whose value goes where mirrors.json says. */
export const variable = variableName.refine(
  (name) => !/^(?:ACTIONS|CI|GITHUB|RUNNER)_|^GH_TOKEN$/.test(name),
  {
    error: "is a CI variable, and its value must stay in CI; name a variable that you set for this channel",
  },
);

/** The schema of the name of an environment variable with a GitHub token, which is sent only to GitHub. */
export const tokenVariable = variableName;

/**
 * Returns whether a value is a GitHub token
 * (https://docs.github.com/authentication/keeping-your-account-and-data-secure/about-authentication-to-github#githubs-token-formats).
 */
export function isGitHubToken(value: string): boolean {
  return /^(?:gh[a-z]_|github_pat_)/.test(value.trim());
}
