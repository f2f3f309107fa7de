import type { Socket } from "node:net";
import { Client, type Dispatcher, EnvHttpProxyAgent } from "undici";
import { asError } from "../errors.ts";
import { literalAddress } from "./address.ts";
import { certificateExpiry, connect, type Wiring } from "./connect.ts";
import { asFailure, ProbeFailure } from "./failure.ts";
import type { Proxies } from "./proxies.ts";

/** As much of an HTTP answer as has come: `complete` where it is all. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  readonly complete: boolean;
  readonly tlsExpiresAt: string | undefined;
}

/** Whether what has come of an answer is enough to decide. */
export type Enough = (answer: Answer) => boolean;

export interface TransportOptions extends Wiring {
  readonly proxies: Proxies | undefined;
  readonly userAgent: string;
  readonly maxBytes: number;
}

/** One exclusive connection; `signal` is that of the request it serves now, and ends its connecting too. */
interface Connection {
  readonly dispatcher: Dispatcher;
  signal: AbortSignal;
  tlsExpiresAt: string | undefined;
}

const maxHeaderBytes = 32 * 1024;

/** HTTP/1.1 by undici, with connections of our own making that are used again while their origin is held. */
export class Transport {
  readonly #options: TransportOptions;
  readonly #holds = new Map<string, number>();
  readonly #idle = new Map<string, Connection[]>();
  readonly #busy = new Set<Connection>();

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  /** Says that requests to an origin will come, so that its connections are worth keeping. */
  hold(origin: string): void {
    this.#holds.set(origin, (this.#holds.get(origin) ?? 0) + 1);
  }

  /** Takes back one `hold`; with the last one the idle connections of the origin are closed. */
  release(origin: string): void {
    const left = (this.#holds.get(origin) ?? 0) - 1;
    if (left > 0) {
      this.#holds.set(origin, left);
      return;
    }
    this.#holds.delete(origin);
    for (const connection of this.#idle.get(origin) ?? []) destroy(connection);
    this.#idle.delete(origin);
  }

  /** Ends every connection at once. */
  close(): void {
    this.#holds.clear();
    for (const connections of [...this.#idle.values(), this.#busy]) {
      for (const connection of connections) destroy(connection);
    }
    this.#idle.clear();
  }

  /**
   * GET of a url, without following redirects, until there is enough of the answer or `maxBytes` have come. Rejects
   * with a ProbeFailure, or with the signal's reason.
   */
  async get(url: URL, enough: Enough, signal: AbortSignal): Promise<Answer> {
    const literal = literalAddress(url.hostname);
    // Here too, because a proxy would connect in our stead.
    if (literal !== undefined && !this.#options.isAllowed(literal)) {
      throw new ProbeFailure("blocked_address");
    }
    const idle = this.#idle.get(url.origin)?.pop();
    if (idle === undefined) return this.#exchange(this.#open(url, signal), url, enough, signal);
    try {
      return await this.#exchange(idle, url, enough, signal);
    } catch (error) {
      // The server may have closed the idle connection just then: that says nothing of the mirror (RFC 9112, 9.3.1).
      if (signal.aborted || !(error instanceof ProbeFailure) || error.code !== "reset") throw error;
      return this.#exchange(this.#open(url, signal), url, enough, signal);
    }
  }

  #open(url: URL, signal: AbortSignal): Connection {
    const { proxies, secureContext } = this.#options;
    const limits = { maxHeaderSize: maxHeaderBytes, headersTimeout: 0, bodyTimeout: 0 };
    const dial: NonNullable<Client.Options["connect"]> = (target, callback) => {
      // Where a proxy is asked, only the origins that are excepted from it come here.
      const origin = new URL(`${target.protocol}//${target.host ?? target.hostname}`);
      connect(origin, this.#options, connection.signal).then(
        (socket: Socket) => {
          connection.tlsExpiresAt = certificateExpiry(socket);
          callback(null, socket);
        },
        (error: unknown) => {
          callback(
            error instanceof Error ? error : new Error("The connection failed.", { cause: error }),
            null,
          );
        },
      );
    };
    const dispatcher =
      proxies === undefined
        ? new Client(url.origin, { ...limits, connect: dial })
        : new EnvHttpProxyAgent({
            ...limits,
            connect: dial,
            httpProxy: proxies.http ?? "",
            httpsProxy: proxies.https ?? "",
            noProxy: proxies.except ?? "",
            requestTls: { secureContext, rejectUnauthorized: true },
          });
    const connection: Connection = { dispatcher, signal, tlsExpiresAt: undefined };
    return connection;
  }

  #exchange(connection: Connection, url: URL, enough: Enough, signal: AbortSignal): Promise<Answer> {
    connection.signal = signal;
    this.#busy.add(connection);
    return new Promise((resolve, reject) => {
      let answer: Answer | undefined;
      let settled = false;
      let ended = false;
      const chunks: Buffer[] = [];
      let received = 0;

      const end = (): void => {
        settled = true;
        signal.removeEventListener("abort", abort);
      };
      const fail = (error: unknown): void => {
        if (settled) return;
        end();
        this.#discard(connection);
        try {
          reject(signal.aborted ? asError(signal.reason) : asFailure(error));
        } catch (fault) {
          reject(asError(fault));
        }
      };
      const abort = (): void => {
        fail(signal.reason);
      };
      const look = (known: Answer): void => {
        answer = known;
        if (settled) return;
        if (!enough(known)) {
          if (received < this.#options.maxBytes) return;
          fail(new ProbeFailure("too_large"));
          return;
        }
        end();
        resolve(known);
        // What came in the same packet is still being parsed: if that was all, the connection can be used again.
        setImmediate(() => {
          if (!ended) this.#discard(connection);
        });
      };

      if (signal.aborted) {
        abort();
        return;
      }
      signal.addEventListener("abort", abort, { once: true });
      connection.dispatcher.dispatch(
        { origin: url.origin, path: `${url.pathname}${url.search}`, method: "GET", headers: this.#headers() },
        {
          onRequestStart: (controller) => {
            if (settled) controller.abort(new ProbeFailure("timeout"));
          },
          onResponseStart: (_, status, headers) => {
            if (status < 200) return;
            const { tlsExpiresAt } = connection;
            look({ status, headers, body: Buffer.alloc(0), complete: false, tlsExpiresAt });
          },
          onResponseData: (_, chunk) => {
            if (settled || answer === undefined) return;
            received += chunk.length;
            chunks.push(chunk);
            look({ ...answer, body: Buffer.concat(chunks) });
          },
          onResponseEnd: () => {
            ended = true;
            this.#keep(connection, url.origin);
            if (settled || answer === undefined) return;
            end();
            resolve({ ...answer, complete: true });
          },
          onResponseError: (_, error) => {
            fail(error);
          },
        },
      );
    });
  }

  #headers(): Record<string, string> {
    return { "user-agent": this.#options.userAgent, accept: "*/*", "accept-encoding": "identity" };
  }

  #keep(connection: Connection, origin: string): void {
    this.#busy.delete(connection);
    if (!this.#holds.has(origin)) {
      destroy(connection);
      return;
    }
    const idle = this.#idle.get(origin);
    if (idle === undefined) this.#idle.set(origin, [connection]);
    else idle.push(connection);
  }

  #discard(connection: Connection): void {
    this.#busy.delete(connection);
    destroy(connection);
  }
}

function destroy({ dispatcher }: Connection): void {
  void dispatcher.destroy();
}
