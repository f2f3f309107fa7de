import pLimit from "p-limit";
import { httpCodes } from "../base/http/codes.ts";
import { Client, type VerifyReply, type VerifyRequest } from "./client.ts";

export interface Limits {
  readonly atOnce: number;
  readonly requestMs: number;
  readonly totalMs: number;
  readonly answerBytes: number;
  readonly totalBytes: number;
  /** How many requests in a row may get no answer. */
  readonly unanswered: number;
}

export interface RequestOptions {
  readonly userAgent: string;
  readonly interrupt: AbortSignal;
  readonly now: () => number;
  /** Called before each request with its number. */
  readonly onRequest?: ((sent: number) => void) | undefined;
  readonly limits?: Partial<Limits>;
}

/** Sends one more request. Resolves with undefined if the verification has to stop. */
export type Send = (request: VerifyRequest) => Promise<VerifyReply | undefined>;

const polite: Limits = {
  atOnce: 8,
  requestMs: 15_000,
  totalMs: 300_000,
  answerBytes: 16 * 1024 * 1024,
  totalBytes: 512 * 1024 * 1024,
  unanswered: 16,
};

/** The requests of one verification. They stop at a limit, or if the deployment asks for fewer. */
export class Requests {
  /** Why they stopped. */
  stopped: string | undefined;
  readonly #limits: Limits;
  readonly #client: Client;
  readonly #limit: ReturnType<typeof pLimit>;
  readonly #options: RequestOptions;
  readonly #end: number;
  readonly #site: URL;
  #sent = 0;
  #answered = false;
  #bytes = 0;
  #unanswered = 0;

  constructor(site: URL, options: RequestOptions) {
    this.#site = site;
    this.#options = options;
    this.#limits = { ...polite, ...options.limits };
    const { requestMs, answerBytes: maxBytes, atOnce, totalMs } = this.#limits;
    this.#client = new Client(site, { ...options, requestMs, maxBytes });
    this.#limit = pLimit(atOnce);
    this.#end = options.now() + totalMs;
  }

  readonly send: Send = (request) =>
    this.#limit(async () => {
      if (this.stopped !== undefined) return undefined;
      this.#sent += 1;
      this.#options.onRequest?.(this.#sent);
      const reply = await this.#client.send(request);
      this.#count(reply);
      return isRateLimited(reply) ? undefined : reply;
    });

  /** Ends every connection. */
  close(): Promise<void> {
    this.#limit.clearQueue();
    return this.#client.close();
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
