import pLimit from "p-limit";
import { type HttpCode, httpCodes } from "../base/http/codes.ts";
import { asFailure, ProbeFailure } from "../base/http/failure.ts";
import { RawClient, type RawResponse } from "../base/http/raw-client.ts";

/** An answer, or the reason for none. */
export type VerifyReply = VerifyResponse | { readonly kind: "none"; readonly code: HttpCode };

export interface VerifyResponse extends RawResponse {
  readonly kind: "answer";
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
  readonly userAgent: string;
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

/** The requests of one verification, without a proxy, as it may rewrite paths. They stop at a limit, or if asked to. */
export class Requests {
  /** Why they stopped. */
  stopped: string | undefined;
  readonly #site: URL;
  readonly #options: RequestOptions;
  readonly #limits: typeof polite;
  readonly #client: RawClient;
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
    this.#client = new RawClient(site.origin);
    this.#limit = pLimit(this.#limits.atOnce);
    this.#end = options.now() + this.#limits.totalMs;
  }

  readonly send: Send = (request) =>
    this.#limit(async () => {
      if (this.stopped !== undefined) return undefined;
      this.#sent += 1;
      this.#options.onRequest?.(this.#sent);
      let reply = await this.#ask(request, true);
      // A kept connection may be closed by the server just when it is used again (RFC 9112, section 9.3.1).
      if (reply.kind === "none" && reply.code === "reset") reply = await this.#ask(request, false);
      this.#count(reply);
      return isRateLimited(reply) ? undefined : reply;
    });

  close(): Promise<void> {
    this.#limit.clearQueue();
    return this.#client.close();
  }

  async #ask({ method, path, from, headers }: VerifyRequest, useKept: boolean): Promise<VerifyReply> {
    const { interrupt, userAgent } = this.#options;
    interrupt.throwIfAborted();
    const deadline = AbortSignal.timeout(this.#limits.requestMs);
    try {
      const response = await this.#client.request(
        {
          method,
          path: from === "origin" ? path : `${this.#site.pathname.slice(0, -1)}${path}`,
          headers: { accept: "*/*", "accept-encoding": "identity", "user-agent": userAgent, ...headers },
          signal: AbortSignal.any([interrupt, deadline]),
          maxBytes: this.#limits.answerBytes,
        },
        useKept,
      );
      // A copy, so that the excerpt does not hold all that came.
      const body = response.whole ? response.body : Buffer.from(response.body.subarray(0, excerpt));
      return { kind: "answer", ...response, body };
    } catch (error) {
      interrupt.throwIfAborted();
      if (deadline.aborted) return { kind: "none", code: "timeout" };
      const failure = asFailure(error);
      if (failure instanceof ProbeFailure) return { kind: "none", code: failure.code };
      throw failure;
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
