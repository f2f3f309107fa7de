import pLimit from "p-limit";
import { type HttpCode, httpCodes } from "../base/http/codes.ts";
import { ProbeFailure, withDeadline } from "../base/http/failure.ts";
import type { HttpResponse } from "../base/http/response.ts";
import { type Transport, wholeAnswer } from "../base/http/transport.ts";

/** An answer, or the reason for none. */
export type VerifyReply = VerifyResponse | { readonly kind: "none"; readonly code: HttpCode };

export interface VerifyResponse {
  readonly kind: "answer";
  readonly status: number;
  /** Each on one line. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Whether the body ended. */
  readonly whole: boolean;
}

/** A request. Its path is sent without normalization. */
interface VerifyRequest {
  readonly method: string;
  readonly path: string;
  /** The base of the path: the origin, or the deployment if this is missing. */
  readonly from?: "origin";
  readonly headers?: Readonly<Record<string, string>>;
}

const polite = {
  atOnce: 8,
  requestMs: 15_000,
  totalMs: 300_000,
  answerBytes: 16 * 1024 * 1024,
  totalBytes: 512 * 1024 * 1024,
  /** How many requests in a row may get no answer. */
  unanswered: 16,
};

export interface RequestOptions {
  readonly transport: Transport;
  readonly interrupt: AbortSignal;
  readonly now: () => number;
  /** Called before each request with its number. */
  readonly onRequest?: ((sent: number) => void) | undefined;
  readonly limits?: Partial<typeof polite>;
}

/** Sends one more request. Resolves with undefined if the verification has to stop, rejects if it is interrupted. */
export type Send = (request: VerifyRequest) => Promise<VerifyReply | undefined>;

/** How many bytes are kept of an answer without end. */
const excerpt = 1024;

/** The requests of one verification. They stop at a limit, or if asked to. */
export class Requests {
  /** Why they stopped. */
  stopped: string | undefined;
  readonly #site: URL;
  readonly #options: RequestOptions;
  readonly #limits: typeof polite;
  readonly #transport: Transport;
  readonly #limit: ReturnType<typeof pLimit>;
  readonly #end: number;
  #sent = 0;
  #answered = false;
  #bytes = 0;
  #unanswered = 0;

  constructor(site: URL, options: RequestOptions) {
    this.#site = site;
    this.#options = options;
    this.#limits = { ...polite, ...options.limits };
    this.#transport = options.transport.keepingConnections();
    this.#limit = pLimit(this.#limits.atOnce);
    this.#end = options.now() + this.#limits.totalMs;
  }

  readonly send: Send = (request) =>
    this.#limit(async () => {
      if (this.stopped !== undefined) return undefined;
      this.#sent += 1;
      this.#options.onRequest?.(this.#sent);
      const reply = await this.#ask(request);
      this.#count(reply);
      return isRateLimited(reply) ? undefined : reply;
    });

  close(): void {
    this.#limit.clearQueue();
    this.#transport.close();
  }

  async #ask({ method, path, from, headers = {} }: VerifyRequest): Promise<VerifyReply> {
    const { requestMs, answerBytes: maxBytes } = this.#limits;
    const options = {
      method,
      path: from === "origin" ? path : `${this.#site.pathname.slice(0, -1)}${path}`,
      headers: Object.entries(headers).flat(),
      maxBytes,
    };
    try {
      const answer = await withDeadline(requestMs, this.#options.interrupt, (signal) =>
        this.#transport.request(this.#site, wholeAnswer, signal, options),
      );
      const { status, complete: whole } = answer;
      // A copy, so that the excerpt does not hold all that came.
      const body = whole ? answer.body : Buffer.from(answer.body.subarray(0, excerpt));
      return { kind: "answer", status, headers: joined(answer.headers), body, whole };
    } catch (error) {
      if (error instanceof ProbeFailure) return { kind: "none", code: error.code };
      throw error;
    }
  }

  #count(reply: VerifyReply): void {
    const { unanswered, totalBytes, totalMs } = this.#limits;
    if (reply.kind === "none") {
      this.#unanswered += 1;
      if (!this.#answered) this.stopped = `${this.#site.href} gave no answer. ${httpCodes[reply.code]}`;
      else if (this.#unanswered >= unanswered)
        this.stopped = `${unanswered} requests in a row got no answer. ${httpCodes[reply.code]}`;
      return;
    }
    this.#answered = true;
    this.#unanswered = 0;
    this.#bytes += reply.body.length;
    if (isRateLimited(reply)) this.stopped = httpCodes.rate_limited;
    else if (this.#bytes > totalBytes)
      this.stopped = `It sent more than ${totalBytes / 1024 / 1024} MiB in all.`;
    else if (this.#options.now() > this.#end)
      this.stopped = `It took longer than ${totalMs / 1000} seconds in all.`;
  }
}

/** Returns whether an answer is about the rate of the requests, not about the contract. */
function isRateLimited(reply: VerifyReply): boolean {
  if (reply.kind === "none") return false;
  return reply.status === 429 || (reply.status === 503 && reply.headers["retry-after"] !== undefined);
}

/** Headers of which only the first one counts, as in Node.js and browsers. The values of others are joined (RFC 9110, 5.3). */
const single = new Set(["content-type", "etag", "last-modified", "location", "retry-after"]);

function joined(headers: HttpResponse["headers"]): VerifyResponse["headers"] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value = []]) => {
      const values = [value].flat();
      return [name, single.has(name) ? (values[0] ?? "") : values.join(", ")];
    }),
  );
}
