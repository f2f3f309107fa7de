import type { Socket } from "node:net";
import { type buildConnector, Client, type Dispatcher, EnvHttpProxyAgent } from "undici";
import { asError } from "../errors.ts";
import { literalAddress } from "./address.ts";
import { certificateExpiry, connect, type Wiring } from "./connect.ts";
import type { Ending } from "./deadline.ts";
import { Exchange, type Line, type Look } from "./exchange.ts";
import { ProbeFailure } from "./failure.ts";
import type { Proxies } from "./proxies.ts";

export interface TransportOptions extends Wiring {
  readonly proxies: Proxies | undefined;
  readonly userAgent: string;
  readonly maxBytes: number;
}

/** One exclusive connection: `url` and `signal` are those of the request it serves now, or served last. */
interface Connection {
  readonly dispatcher: Dispatcher;
  readonly line: Line;
  /** The only origin that the socket is connected to. */
  origin: string;
  url: URL;
  signal: Ending;
  socket: Socket | undefined;
}

const limits = { maxHeaderSize: 32 * 1024, headersTimeout: 0, bodyTimeout: 0 };

/**
 * What ends a connection that is not needed any more. Nobody reads it; without it undici makes an error for each,
 * with a stack and the addresses of the socket, and that takes a tenth of the time of a probe.
 */
const done = new ProbeFailure("reset");

/** HTTP/1.1 by undici, with connections of our own making that are used again while their origin is held. */
export class Transport {
  readonly #options: TransportOptions;
  readonly #headers: readonly string[];
  readonly #holds = new Map<string, number>();
  readonly #idle = new Map<string, Connection[]>();
  readonly #busy = new Set<Connection>();
  /** Without a socket: undici's clients cost much to make, and take any origin whose host is named. */
  readonly #spare: Connection[] = [];

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#headers = ["user-agent", options.userAgent, "accept", "*/*", "accept-encoding", "identity"];
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
    for (const connection of this.#idle.get(origin) ?? []) this.#end(connection);
    this.#idle.delete(origin);
  }

  /** Ends every connection at once. */
  close(): void {
    this.#holds.clear();
    for (const connections of [...this.#idle.values(), this.#busy]) {
      for (const { dispatcher } of connections) dispatcher.destroy(done, ignore);
    }
    this.#idle.clear();
  }

  /**
   * GET of a url, without following redirects, until enough of the answer is seen or `maxBytes` have come. Rejects
   * with a ProbeFailure, or with the signal's reason. `headers` are names and values in turn, beside the usual ones.
   */
  async get<Seen>(
    url: URL,
    look: Look<Seen>,
    signal: Ending,
    headers: readonly string[] = [],
  ): Promise<Seen> {
    const literal = literalAddress(url.hostname);
    // Here too, because a proxy would connect in our stead.
    if (literal !== undefined && !this.#options.isAllowed(literal)) {
      throw new ProbeFailure("blocked_address");
    }
    if (signal.aborted) throw asError(signal.reason);
    const idle = this.#idle.get(url.origin)?.pop();
    if (idle === undefined) return this.#exchange(this.#open(url, signal), url, look, signal, headers);
    try {
      return await this.#exchange(idle, url, look, signal, headers);
    } catch (error) {
      // The server may have closed the idle connection just then: that says nothing of the mirror (RFC 9112, 9.3.1).
      if (!(error instanceof ProbeFailure) || error.code !== "reset") throw error;
      return this.#exchange(this.#open(url, signal), url, look, signal, headers);
    }
  }

  #open(url: URL, signal: Ending): Connection {
    const { origin } = url;
    const spare = this.#spare.pop();
    if (spare !== undefined) return Object.assign(spare, { origin, url, signal });
    const { proxies, secureContext } = this.#options;
    const connect: Client.Options["connect"] = (_, callback) => {
      this.#dial(connection, callback);
    };
    const dispatcher =
      proxies === undefined
        ? new Client(origin, { ...limits, connect })
        : new EnvHttpProxyAgent({
            ...limits,
            // Only the origins that are excepted from the proxies are dialled.
            connect,
            httpProxy: proxies.http ?? "",
            httpsProxy: proxies.https ?? "",
            noProxy: proxies.except ?? "",
            requestTls: { secureContext, rejectUnauthorized: true },
          });
    const line = {
      tlsExpiresAt: () => connection.socket && certificateExpiry(connection.socket),
      leave: (isWhole: boolean) => {
        this.#leave(connection, isWhole);
      },
    };
    const connection: Connection = { dispatcher, line, origin, url, signal, socket: undefined };
    return connection;
  }

  #dial(connection: Connection, callback: buildConnector.Callback): void {
    // The socket of before is closed, and says nothing of the one that is to come.
    connection.socket = undefined;
    connect(connection.url, this.#options, connection.signal).then(
      (socket) => {
        connection.socket = socket;
        callback(null, socket);
      },
      (error: unknown) => {
        callback(asError(error), null);
      },
    );
  }

  #exchange<Seen>(
    connection: Connection,
    url: URL,
    look: Look<Seen>,
    signal: Ending,
    headers: readonly string[],
  ): Promise<Seen> {
    connection.url = url;
    connection.signal = signal;
    this.#busy.add(connection);
    const exchange = new Exchange(look, this.#options.maxBytes, signal, connection.line);
    connection.dispatcher.dispatch(
      {
        origin: connection.origin,
        path: `${url.pathname}${url.search}`,
        method: "GET",
        headers: ["host", url.host, ...this.#headers, ...headers],
      },
      exchange,
    );
    return exchange.seen;
  }

  #leave(connection: Connection, isWhole: boolean): void {
    this.#busy.delete(connection);
    const { origin } = connection;
    if (!isWhole || !this.#holds.has(origin)) {
      this.#end(connection);
      return;
    }
    const idle = this.#idle.get(origin);
    if (idle === undefined) this.#idle.set(origin, [connection]);
    else idle.push(connection);
  }

  /** Closes a connection, and keeps its client for another origin where nothing of the old one is left in it. */
  #end(connection: Connection): void {
    const { dispatcher, socket } = connection;
    if (socket === undefined || this.#options.proxies !== undefined) {
      dispatcher.destroy(done, ignore);
      return;
    }
    connection.socket = undefined;
    const spare = (): void => {
      this.#spare.push(connection);
    };
    if (socket.closed) spare();
    else socket.once("close", spare).destroy(done);
  }
}

function ignore(): void {
  // What ends a connection is not waited for.
}
