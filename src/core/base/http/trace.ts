import type { X509Certificate } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { TLSSocket } from "node:tls";
import { errorCode } from "../errors.ts";
import { withoutUserInfo } from "../text/url.ts";
import type { Family } from "./address.ts";
import type { HttpCode, Phase } from "./codes.ts";

/** `headers` has at most `maxHeaders` entries; `header_count` counts all of them. */
interface Headers {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly header_count: number;
}

type Endpoint = Readonly<{ address: string; port: number }>;
type Certificate = Readonly<Record<"subject" | "issuer" | "names" | "valid_from" | "expires", string>>;
type Cause = Readonly<{ cause?: string | undefined }>;

interface Steps {
  attempt: { attempt: number; max: number };
  resolve: { hostname: string; addresses: readonly string[]; source: "hosts" | "dns" };
  connect: Endpoint;
  connected: Endpoint;
  proxy: Endpoint;
  not_connected: { address: string; code: HttpCode } & Cause;
  tls: { protocol: string; cipher: string; accepted: boolean; certificate?: Certificate | undefined } & Cause;
  request: { line: string } & Headers;
  response: { status: number } & Headers;
  body: { bytes: number; complete: boolean };
  redirect: { url: string };
  failure: { code: HttpCode; phase?: Phase | undefined; cause_text?: string | undefined } & Cause;
  pause: { ms: number };
  /** A Git server is asked whether it serves the commit that it lists. */
  fetch: { revision: string };
  fetched: { result: "ok" | "failed" | "timeout" | undefined };
  /** `proven` means that some connection over this family succeeded, so that a failure is not the prober's fault. */
  family: { family: Family; code: HttpCode; proven: boolean };
}

/** One step of a probe. Text from outside is truncated, but not escaped yet. */
export type Step = { [Name in keyof Steps]: Readonly<{ step: Name } & Steps[Name]> }[keyof Steps];

export type OnStep = (step: Step) => void;

const maxHeaders = 100;

function bounded(text: string): string {
  return withoutUserInfo(text).slice(0, 500);
}

export function headersOf(all: Readonly<Record<string, string | string[] | undefined>>): Headers {
  return shownHeaders(
    Object.entries(all).flatMap(([name, value = []]) => [value].flat().map((line) => [name, line] as const)),
  );
}

function shownHeaders(all: readonly (readonly [string, string])[]): Headers {
  const headers = all.slice(0, maxHeaders).map(([name, value]) => {
    const isSecret = /^(?:proxy-)?authorization$/i.test(name);
    return [bounded(name), isSecret ? "(hidden)" : bounded(value)] as const;
  });
  return { headers, header_count: all.length };
}

/** Traces a TLS handshake in which any certificate was accepted. Returns an error if the certificate is not valid. */
export function traceTls(secured: TLSSocket, certificate: X509Certificate | undefined, onStep: OnStep) {
  // `authorizationError` has the type Error, but its value is a code.
  const reason: unknown = secured.authorizationError;
  const cause = secured.authorized ? undefined : (errorCode(reason) ?? String(reason));
  onStep({
    step: "tls",
    protocol: secured.getProtocol() ?? "unknown",
    cipher: secured.getCipher().standardName,
    accepted: cause === undefined,
    cause,
    certificate: certificate && {
      subject: bounded(certificate.subject),
      issuer: bounded(certificate.issuer),
      names: bounded(certificate.subjectAltName ?? ""),
      valid_from: certificateTime(certificate.validFrom) ?? "unknown",
      expires: certificateTime(certificate.validTo) ?? "unknown",
    },
  });
  if (cause === undefined) return undefined;
  return Object.assign(new Error(`The certificate was not accepted: ${cause}.`), { code: cause });
}

export function certificateTime(text = ""): string | undefined {
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

const channel = "undici:client:sendHeaders";

/** Traces the headers of each request that undici writes to one of these sockets. Call the returned function to stop. */
export function traceRequests(isTraced: (socket: unknown) => boolean, onStep: OnStep): () => void {
  const onMessage = (message: unknown): void => {
    if (typeof message !== "object" || message === null) return;
    if (!("socket" in message) || !("headers" in message) || typeof message.headers !== "string") return;
    if (!isTraced(message.socket)) return;
    const [line = "", ...fields] = message.headers.trim().split("\r\n");
    const pairs = fields.map((field) => {
      const colon = field.indexOf(":");
      return [field.slice(0, colon), field.slice(colon + 1).trim()] as const;
    });
    onStep({ step: "request", line: bounded(line), ...shownHeaders(pairs) });
  };
  subscribe(channel, onMessage);
  return () => {
    unsubscribe(channel, onMessage);
  };
}
