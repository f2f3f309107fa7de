import pLimit from "p-limit";
import { type HttpCode, httpCodes } from "../../core/base/http/codes.ts";
import { ProbeFailure, withDeadline } from "../../core/base/http/failure.ts";
import type { HttpResponse } from "../../core/base/http/response.ts";
import { type Transport, wholeAnswer } from "../../core/base/http/transport.ts";
import { parseUrl } from "../../core/base/text/url.ts";
import type { VerifyCase } from "./cases.ts";

/** The answer to a request. If none came, its status is 0, and `code` says why. */
export interface VerifyReply extends Pick<HttpResponse, "status" | "headers" | "body" | "complete"> {
  readonly url: URL;
  readonly code?: HttpCode;
}

interface VerifyRequest extends Omit<VerifyCase, "rule"> {
  /** Makes the path relative to the origin instead of the deployment. */
  readonly from?: "origin";
}

const polite = { atOnce: 8, requestMs: 15_000, totalMs: 300_000, answerBytes: 16 * 1024 * 1024 };

export interface RequestOptions {
  readonly transport: Transport;
  readonly interrupt: AbortSignal;
  readonly now: () => number;
  /** Called before each request with its number. */
  readonly onRequest?: ((sent: number) => void) | undefined;
  readonly limits?: Partial<typeof polite>;
}

/** Sends a request. Rejects with Stopped once the verification must stop, and with the interrupt's reason. */
export type Send = (request: VerifyRequest) => Promise<VerifyReply>;

/** Why the verification stopped. */
export class Stopped extends Error {}

/**
 * Opens the connections for one verification. No more requests are sent once a limit is reached, or once the deployment
 * asks for fewer requests.
 */
export function openRequests(site: URL, { transport, interrupt, now, onRequest, limits }: RequestOptions) {
  const { atOnce, requestMs, totalMs, answerBytes } = { ...polite, ...limits };
  const connections = transport.keepingConnections();
  const limit = pLimit(atOnce);
  const end = now() + totalMs;
  let stopped: Stopped | undefined;
  let sent = 0;

  const ask = async ({ method, path, from, headers }: VerifyRequest): Promise<VerifyReply> => {
    const target = from === "origin" ? path : `${site.pathname.slice(0, -1)}${path}`;
    const url = new URL(`${site.origin}${target}`);
    const options = { method, path: target, headers, maxBytes: answerBytes };
    try {
      const answer = await withDeadline(requestMs, interrupt, (signal) =>
        connections.request(site, wholeAnswer, signal, options),
      );
      return { url, ...answer };
    } catch (error) {
      if (!(error instanceof ProbeFailure)) throw error;
      return { url, status: 0, code: error.code, headers: {}, body: Buffer.alloc(0), complete: false };
    }
  };

  const reasonToStop = (reply: VerifyReply): string | undefined => {
    const { status, code } = reply;
    if (code !== undefined && sent === 1) return `${site.href} did not answer. ${httpCodes[code]}`;
    if (status === 429 || (status === 503 && headerOf(reply, "Retry-After") !== ""))
      return httpCodes.rate_limited;
    return now() > end ? `It took longer than ${totalMs / 1000} seconds in total.` : undefined;
  };

  const send: Send = (request) =>
    limit(async () => {
      if (stopped !== undefined) throw stopped;
      sent += 1;
      onRequest?.(sent);
      const reply = await ask(request);
      const reason = reasonToStop(reply);
      if (reason !== undefined) throw (stopped ??= new Stopped(reason));
      return reply;
    });

  return {
    send,
    close: () => {
      limit.clearQueue();
      connections.close();
    },
  };
}

/** Returns the values of a header, joined, or an empty text if there is none. */
export function headerOf({ headers }: VerifyReply, name: string): string {
  return String(headers[name.toLowerCase()] ?? "");
}

export function redirectOf(reply: VerifyReply): URL | undefined {
  const isRedirect = [301, 302, 307, 308].includes(reply.status);
  return isRedirect ? parseUrl(headerOf(reply, "Location"), reply.url.href) : undefined;
}

export function isOk({ status, complete }: VerifyReply): boolean {
  return status === 200 && complete;
}

/** Whether scripts of other origins can read the answer. */
export function isReadable(reply: VerifyReply): boolean {
  return headerOf(reply, "Access-Control-Allow-Origin") === "*";
}
