import { asFailure, ProbeFailure } from "../base/http/failure.ts";
import { RawClient, type RawResponse } from "../base/http/raw-client.ts";
import type { HttpCode } from "../base/http/codes.ts";

/** The reply to a request: an answer, of which `whole` says whether it ended, or the reason for none. */
export type VerifyReply = VerifyResponse | { readonly kind: "none"; readonly code: HttpCode };

export interface VerifyResponse extends RawResponse {
  readonly kind: "answer";
}

/** A request. Its path is sent without normalization. */
export interface VerifyRequest {
  readonly method: string;
  readonly path: string;
  /** The base of the path: the origin, or the deployment if this is missing. */
  readonly from?: "origin";
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ClientOptions {
  readonly userAgent: string;
  readonly interrupt: AbortSignal;
  /** The time limit of one answer, and below it the size limit. */
  readonly requestMs: number;
  readonly maxBytes: number;
}

/** How many bytes are kept of an answer without end. */
const excerpt = 1024;

/** Asks one deployment directly, as proxies may rewrite paths, and follows no redirect. */
export class Client {
  readonly #site: URL;
  readonly #options: ClientOptions;
  readonly #client: RawClient;

  constructor(site: URL, options: ClientOptions) {
    this.#site = site;
    this.#options = options;
    this.#client = new RawClient(site.origin);
  }

  /** Returns one answer, or why there is none. Rejects with the reason of the interrupt, or with an internal error. */
  async send(request: VerifyRequest): Promise<VerifyReply> {
    const reply = await this.#try(request, true);
    // A kept connection may be closed by the server just when it is used again (RFC 9112, section 9.3.1).
    return reply.kind === "none" && reply.code === "reset" ? this.#try(request, false) : reply;
  }

  /** Ends every connection. */
  close(): Promise<void> {
    return this.#client.close();
  }

  async #try({ method, path, from, headers }: VerifyRequest, useKept: boolean): Promise<VerifyReply> {
    const { interrupt, requestMs, userAgent, maxBytes } = this.#options;
    interrupt.throwIfAborted();
    const deadline = AbortSignal.timeout(requestMs);
    try {
      const response = await this.#client.request(
        {
          method,
          path: from === "origin" ? path : `${this.#site.pathname.slice(0, -1)}${path}`,
          headers: { accept: "*/*", "accept-encoding": "identity", "user-agent": userAgent, ...headers },
          signal: AbortSignal.any([interrupt, deadline]),
          maxBytes,
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
}
