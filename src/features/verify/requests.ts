import pLimit from "p-limit";
import { type HttpCode, httpCodes } from "../../core/base/http/codes.ts";
import { ProbeFailure, withDeadline } from "../../core/base/http/failure.ts";
import { type Transport, wholeAnswer } from "../../core/base/http/transport.ts";

/** The answer to a request. If none came, its status is 0 and everything else is empty. */
export interface VerifyReply {
  readonly status: number;
  /** Why no answer came. */
  readonly code?: HttpCode;
  /** The values of a repeated header are joined. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Whether the whole body was read. */
  readonly whole: boolean;
}

interface VerifyRequest {
  readonly method: string;
  /** Sent without normalization. */
  readonly path: string;
  /** Makes the path relative to the origin instead of the deployment. */
  readonly from?: "origin";
  readonly headers?: Readonly<Record<string, string>>;
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

/** How many bytes to keep of an incomplete body. */
const excerpt = 1024;

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
  let hasAnswered = false;

  const ask = async ({ method, path, from, headers: given = {} }: VerifyRequest): Promise<VerifyReply> => {
    const options = {
      method,
      path: from === "origin" ? path : `${site.pathname.slice(0, -1)}${path}`,
      headers: Object.entries(given).flat(),
      maxBytes: answerBytes,
    };
    try {
      const answer = await withDeadline(requestMs, interrupt, (signal) =>
        connections.request(site, wholeAnswer, signal, options),
      );
      const { status, complete: whole } = answer;
      // A copy, so that the excerpt does not keep the whole body in memory.
      const body = whole ? answer.body : Buffer.from(answer.body.subarray(0, excerpt));
      const headers: Record<string, string> = {};
      for (const [name, value = ""] of Object.entries(answer.headers)) headers[name] = String(value);
      return { status, headers, body, whole };
    } catch (error) {
      if (!(error instanceof ProbeFailure)) throw error;
      return { status: 0, code: error.code, headers: {}, body: Buffer.alloc(0), whole: false };
    }
  };

  const reasonToStop = ({ status, code, headers }: VerifyReply): string | undefined => {
    if (code !== undefined)
      return hasAnswered ? undefined : `${site.href} did not answer. ${httpCodes[code]}`;
    hasAnswered = true;
    if (status === 429 || (status === 503 && headers["retry-after"] !== undefined))
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
