import type { Socket } from "node:net";
import { asError } from "../errors.ts";
import { literalAddress } from "./address.ts";
import { ByteLimit } from "./byte-limit.ts";
import { connect, type ConnectOptions } from "./connect.ts";
import { type Dial, type Dispatcher, openDispatcher } from "./dispatcher.ts";
import { Exchange, type ConnectionHandle, type ResponseParser } from "./exchange.ts";
import { ProbeFailure } from "./failure.ts";
import { InterimResponses } from "./interim-responses.ts";
import type { Proxies } from "./proxies.ts";
import type { HttpCode } from "./codes.ts";
import { type OnStep, traceRequests } from "./trace.ts";

export interface TransportOptions extends ConnectOptions {
  readonly proxies: Proxies | undefined;
  readonly userAgent: string;
  readonly maxBytes: number;
}

/** One exclusive connection: `url` and `signal` are those of the request it serves now, or served last. */
interface Connection {
  readonly dispatcher: Dispatcher;
  readonly line: ConnectionHandle;
  readonly limit: ByteLimit;
  readonly interim: InterimResponses;
  readonly origin: string;
  url: URL;
  signal: AbortSignal;
}

/**
 * What ends a connection that is not needed any more. Nobody reads it; without it undici makes an error for each,
 * with a stack and the addresses of the socket, and that takes a tenth of the time of a probe.
 */
const done = new ProbeFailure("reset");

/** How an exchange fails that is spoiled by what came before it on its connection. */
const isOfConnection: ReadonlySet<HttpCode> = new Set(["reset", "not_http"]);

/** HTTP/1.1 by undici, with connections of our own making that are used again while their origin is held. */
export class Transport {
  /** Called with each step, if what is asked over this transport is explained. */
  readonly onStep: OnStep | undefined;
  readonly #options: TransportOptions;
  readonly #headers: readonly string[];
  readonly #holds = new Map<string, number>();
  readonly #idle = new Map<string, Connection[]>();
  readonly #busy = new Set<Connection>();
  readonly #sockets = new WeakSet();
  readonly #endTrace: (() => void) | undefined;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.onStep = options.onStep;
    this.#endTrace = options.onStep && traceRequests(this.#sockets, options.onStep);
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
    for (const connection of this.#idle.get(origin) ?? []) end(connection);
    this.#idle.delete(origin);
  }

  /** Closes the connections that no request uses now. */
  closeIdle(): void {
    for (const connections of this.#idle.values()) {
      for (const connection of connections) end(connection);
    }
    this.#idle.clear();
  }

  /** Ends every connection at once. */
  close(): void {
    this.#endTrace?.();
    this.#holds.clear();
    for (const connections of [...this.#idle.values(), this.#busy]) {
      for (const connection of connections) end(connection);
    }
    this.#idle.clear();
  }

  /**
   * GET of a url, without following redirects, until enough of the answer is seen, or `maxBytes` of its body or too
   * much on the connection have come. Rejects
   * with a ProbeFailure, or with the signal's reason. `headers` are names and values in turn, beside the usual ones.
   */
  async get<Seen>(
    url: URL,
    look: ResponseParser<Seen>,
    signal: AbortSignal,
    headers: readonly string[] = [],
  ): Promise<Seen> {
    const literal = literalAddress(url.hostname);
    // Here too, because a proxy would connect in our stead.
    if (literal !== undefined && !this.#options.isAllowed(literal)) {
      throw new ProbeFailure("blocked_address", { phase: "connect" });
    }
    if (signal.aborted) throw asError(signal.reason);
    const idle = this.#idle.get(url.origin)?.pop();
    if (idle === undefined) return this.#exchange(this.#open(url, signal), url, look, signal, headers);
    idle.line.phase = "send";
    try {
      return await this.#exchange(idle, url, look, signal, headers);
    } catch (error) {
      // The server may have closed the idle connection just then (RFC 9112, 9.3.1), or still have sent something after
      // its answer to another request: that says nothing of the mirror.
      if (!(error instanceof ProbeFailure) || !isOfConnection.has(error.code)) throw error;
      return this.#exchange(this.#open(url, signal), url, look, signal, headers);
    }
  }

  #open(url: URL, signal: AbortSignal): Connection {
    const { origin } = url;
    const { proxies, onStep } = this.#options;
    const limit = new ByteLimit(this.#options.maxBytes);
    const interim = new InterimResponses();
    const dispatcher = openDispatcher(
      origin,
      this.#options,
      (callback) => {
        this.#dial(connection, callback);
      },
      (socket, isWire) => {
        this.#watch(connection, socket, isWire ? socket : undefined);
      },
    );
    const line: ConnectionHandle = {
      phase: proxies === undefined ? "resolve" : "connect",
      onStep,
      tlsExpiresAt: undefined,
      leave: (isWhole: boolean) => {
        this.#leave(connection, isWhole);
      },
    };
    const connection: Connection = {
      dispatcher,
      line,
      limit,
      interim,
      origin,
      url,
      signal,
    };
    return connection;
  }

  #dial(connection: Connection, callback: Parameters<Dial>[0]): void {
    // The socket of before is closed, and says nothing of the one that is to come.
    connection.line.tlsExpiresAt = undefined;
    connect(connection.url, this.#options, connection.signal, connection.line).then(
      ({ wire, socket, tlsExpiresAt }) => {
        connection.line.tlsExpiresAt = tlsExpiresAt;
        this.#watch(connection, socket, wire);
        callback(null, socket);
      },
      (error: unknown) => {
        callback(asError(error), null);
      },
    );
  }

  /** Bounds what is read of a new socket, before anything is; `wire` is the one that the bytes come over, if it is new too. */
  #watch({ limit, interim }: Connection, socket: Socket, wire: Socket | undefined): void {
    if (wire !== undefined) limit.countOn(wire);
    limit.enforce(socket);
    interim.removeFrom(socket);
    this.#sockets.add(socket);
  }

  #exchange<Seen>(
    connection: Connection,
    url: URL,
    look: ResponseParser<Seen>,
    signal: AbortSignal,
    headers: readonly string[],
  ): Promise<Seen> {
    connection.url = url;
    connection.signal = signal;
    this.#busy.add(connection);
    connection.limit.renew();
    connection.interim.renew();
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
