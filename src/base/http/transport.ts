import type { Socket } from "node:net";
import { asError } from "../errors.ts";
import { literalAddress } from "./address.ts";
import { ByteLimit } from "./byte-limit.ts";
import { connect, type ConnectOptions } from "./connect.ts";
import { type Dial, type Dispatcher, openDispatcher } from "./dispatcher.ts";
import { Exchange, type ConnectionHandle, type ResponseParser } from "./exchange.ts";
import { ProbeFailure } from "./failure.ts";
import type { Proxies } from "./proxies.ts";
import type { HttpCode } from "./codes.ts";
import { type OnStep, traceRequests } from "./trace.ts";

export interface TransportOptions extends ConnectOptions {
  readonly proxies: Proxies | undefined;
  readonly userAgent: string;
  readonly maxBytes: number;
}

/** How a request differs from a GET that reads `maxBytes`. */
export interface RequestOptions {
  readonly method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | undefined;
  /** Names and values in turn, beside the usual ones. */
  readonly headers?: readonly string[] | undefined;
  readonly body?: string | undefined;
  /** How much of the body is read. */
  readonly maxBytes?: number | undefined;
}

/** One exclusive connection. `url` and `signal` are those of its current or its last request. */
interface Connection extends ConnectionHandle {
  readonly dispatcher: Dispatcher;
  readonly limit: ByteLimit;
  url: URL;
  signal: AbortSignal;
}

/**
 * The error that ends a connection. Without it, undici makes one for each, with a stack and the addresses of the socket,
 * which takes a tenth of the time of a probe.
 */
const done = new ProbeFailure("reset");

/** For requests that do not say what they accept. */
const anything = ["accept", "*/*"];

/** How an exchange may fail because of the one before it on its connection. */
const connectionCodes: ReadonlySet<HttpCode> = new Set(["reset", "not_http"]);

/** HTTP/1.1 by undici. It opens the connections itself. */
export class Transport {
  /** Called with each step, if this transport is traced. */
  readonly onStep: OnStep | undefined;
  readonly #options: TransportOptions;
  readonly #headers: readonly string[];
  readonly #isKeeping: boolean;
  readonly #idle = new Map<string, Connection[]>();
  readonly #busy = new Set<Connection>();
  readonly #sockets = new WeakSet();
  readonly #endTrace: (() => void) | undefined;

  constructor(options: TransportOptions, isKeeping = false) {
    this.#options = options;
    this.#isKeeping = isKeeping;
    this.onStep = options.onStep;
    this.#endTrace = options.onStep && traceRequests(this.#sockets, options.onStep);
    this.#headers = ["user-agent", options.userAgent, "accept-encoding", "identity"];
  }

  /**
   * Returns a transport that reuses its connections until it is closed. Use one for each mirror: if a server sends a second
   * answer, the next request on that connection gets it.
   */
  keepingConnections(): Transport {
    return new Transport(this.#options, true);
  }

  /** Ends every connection at once. */
  close(): void {
    this.#endTrace?.();
    for (const connection of [...this.#idle.values()].flat()) end(connection);
    this.#idle.clear();
    for (const connection of this.#busy) end(connection);
  }

  /**
   * Requests a URL, without following redirects, until `parser` returns a value, or `maxBytes` of the body or too many
   * bytes of the connection are read. Rejects with a ProbeFailure, or with the signal's reason.
   */
  async request<Parsed>(
    url: URL,
    parser: ResponseParser<Parsed>,
    signal: AbortSignal,
    options: RequestOptions = {},
  ): Promise<Parsed> {
    const literal = literalAddress(url.hostname);
    // Here too, since a proxy would connect to any address.
    if (literal !== undefined && !this.#options.isAllowed(literal)) {
      throw new ProbeFailure("blocked_address", { phase: "connect" });
    }
    if (signal.aborted) throw asError(signal.reason);
    const idle = this.#idle.get(url.origin)?.pop();
    if (idle === undefined) return this.#exchange(this.#open(url, signal), url, parser, signal, options);
    idle.phase = "send";
    try {
      return await this.#exchange(idle, url, parser, signal, options);
    } catch (error) {
      // The server may close an idle connection at any time (RFC 9112, 9.3.1), or may have sent more than its last
      // answer. Neither says anything about the mirror.
      if (!(error instanceof ProbeFailure) || !connectionCodes.has(error.code)) throw error;
      return this.#exchange(this.#open(url, signal), url, parser, signal, options);
    }
  }

  #open(url: URL, signal: AbortSignal): Connection {
    const { proxies, onStep } = this.#options;
    const limit = new ByteLimit();
    const dispatcher = openDispatcher(
      url.origin,
      this.#options,
      (callback) => {
        this.#dial(connection, callback);
      },
      (socket, isWire) => {
        this.#watch(connection, socket, isWire ? socket : undefined);
      },
    );
    const connection: Connection = {
      dispatcher,
      limit,
      url,
      signal,
      phase: proxies === undefined ? "resolve" : "connect",
      onStep,
      tlsExpiresAt: undefined,
      release: (isWhole: boolean) => {
        this.#giveBack(connection, isWhole);
      },
    };
    return connection;
  }

  #dial(connection: Connection, callback: Parameters<Dial>[0]): void {
    // The former socket is closed, and its certificate with it.
    connection.tlsExpiresAt = undefined;
    connect(connection.url, this.#options, connection.signal, connection).then(
      ({ wire, socket, tlsExpiresAt }) => {
        connection.tlsExpiresAt = tlsExpiresAt;
        this.#watch(connection, socket, wire);
        callback(null, socket);
      },
      (error: unknown) => {
        callback(asError(error), null);
      },
    );
  }

  /** Limits what is read of a new socket, before anything is read. `wire` is the TCP socket below it, if that is new too. */
  #watch({ limit }: Connection, socket: Socket, wire: Socket | undefined): void {
    if (wire !== undefined) limit.countOn(wire);
    limit.enforce(socket);
    this.#sockets.add(socket);
  }

  #exchange<Parsed>(
    connection: Connection,
    url: URL,
    parser: ResponseParser<Parsed>,
    signal: AbortSignal,
    { method = "GET", headers = [], body, maxBytes = this.#options.maxBytes }: RequestOptions,
  ): Promise<Parsed> {
    connection.url = url;
    connection.signal = signal;
    this.#busy.add(connection);
    connection.limit.renewFor(maxBytes);
    const exchange = new Exchange(parser, maxBytes, signal, connection);
    connection.dispatcher.dispatch(
      {
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method,
        headers: [
          "host",
          url.host,
          ...(headers.includes("accept") ? [] : anything),
          ...this.#headers,
          ...headers,
        ],
        ...(body === undefined ? {} : { body }),
      },
      exchange,
    );
    return exchange.parsed;
  }

  #giveBack(connection: Connection, isWhole: boolean): void {
    this.#busy.delete(connection);
    const { origin } = connection.url;
    if (!isWhole || !this.#isKeeping) {
      end(connection);
      return;
    }
    const idle = this.#idle.get(origin);
    if (idle === undefined) this.#idle.set(origin, [connection]);
    else idle.push(connection);
  }
}

function end({ dispatcher }: Connection): void {
  dispatcher.destroy(done, () => undefined);
}
