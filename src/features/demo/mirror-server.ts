import { once } from "node:events";
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { createServer as createSocketServer, type Server, type Socket } from "node:net";
import { hostAndPort } from "../../core/base/text/url.ts";

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Path and query, relative to the handler's path. */
  readonly path: string;
  /**
   * Ends the connection with a TCP reset. This also works with TLS, where `resetAndDestroy` of the TLS socket throws.
   */
  readonly reset: () => void;
}

/** If a handler returns a promise, it must settle once the response is closed. */
export type Handler = (exchange: Exchange) => void | Promise<void>;

/** Handles raw connections, below TLS and HTTP. Cannot share a server with handlers. */
export interface Greeter {
  readonly atConnection: (connection: Socket) => void;
}

export type Behaviour = Handler | Greeter;

export interface ServerOptions {
  /** Key and certificate in PEM format, to serve over TLS. */
  readonly tls?: { readonly key: string | Buffer; readonly cert: string | Buffer } | undefined;
  /** Default: 127.0.0.1. */
  readonly host?: string | undefined;
  /** Default: any free port. */
  readonly port?: number | undefined;
}

export interface RunningServer extends Counts {
  /** Scheme, address and port, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Stops listening and ends all connections and handlers. Throws an AggregateError of the handlers' errors. */
  readonly close: () => Promise<void>;
}

/** Throws the system error if it cannot listen on the address. */
export async function startServer(
  behaviour: Behaviour,
  { tls, host = "127.0.0.1", port: wanted = 0 }: ServerOptions = {},
): Promise<RunningServer> {
  const traffic = new Traffic();
  const connections = new Map<string, Socket>();
  const tasks = new Set<Promise<void>>();
  const problems: unknown[] = [];

  function listener(handler: Handler): RequestListener {
    return (request, response) => {
      traffic.countRequest(request, response);
      const reset = () => connections.get(peer(request.socket))?.resetAndDestroy();
      const handle = async (): Promise<void> => {
        await handler({ request, response, path: request.url ?? "/", reset });
      };
      const task = handle().catch((error: unknown) => {
        problems.push(error);
        response.destroy();
      });
      tasks.add(task);
      void task.then(() => tasks.delete(task));
    };
  }

  function create(): Server {
    if (typeof behaviour !== "function") return createSocketServer(behaviour.atConnection);
    return tls === undefined
      ? createHttpServer(listener(behaviour))
      : createHttpsServer(tls, listener(behaviour));
  }

  async function end(): Promise<void> {
    const closed = once(server, "close");
    server.close();
    for (const socket of connections.values()) socket.destroy();
    await closed;
    await Promise.all(tasks);
    if (problems.length > 0) throw new AggregateError(problems, "A testbed handler failed.");
  }

  const server = create();
  server.on("connection", (socket: Socket) => {
    const key = peer(socket);
    traffic.countConnection(socket);
    connections.set(key, socket);
    socket.once("close", () => connections.delete(key));
    // A client may disconnect in any way. That is not a server error.
    socket.on("error", () => socket.destroy());
  });
  server.listen(wanted, host);
  await once(server, "listening");

  const port = portOf(server);
  const url = `${tls === undefined ? "http" : "https"}://${hostAndPort(host, port)}`;
  let ending: Promise<void> | undefined;
  return Object.assign(traffic, { url, port, close: () => (ending ??= end()) });
}

/**
 * Returns a key that identifies a connection. The client's address and port do not suffice, since a client can use the
 * same port for connections to different addresses of this server.
 */
function peer({ localAddress, remoteAddress, remotePort }: Socket): string {
  return `${localAddress ?? ""} ${remoteAddress ?? ""} ${remotePort ?? ""}`;
}

export function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== "object" || address === null)
    throw new Error("The server is not listening on a port.");
  return address.port;
}

/** What a server or mirror has received so far. The numbers are live. */
export type Counts = Readonly<Omit<Traffic, "countConnection" | "countRequest">>;

export class Traffic {
  requests = 0;
  connections = 0;
  /** Requests whose answer has not ended and whose client is still connected. */
  inFlight = 0;
  peakInFlight = 0;
  lastRequest: Pick<IncomingMessage, "method" | "url" | "headers"> | undefined = undefined;
  readonly #sockets = new WeakSet<Socket>();

  countConnection(socket: Socket): void {
    if (this.#sockets.has(socket)) return;
    this.#sockets.add(socket);
    this.connections += 1;
  }

  countRequest({ method, url, headers }: IncomingMessage, response: ServerResponse): void {
    this.requests += 1;
    this.lastRequest = { method, url, headers };
    this.inFlight += 1;
    this.peakInFlight = Math.max(this.peakInFlight, this.inFlight);
    response.once("close", () => {
      this.inFlight -= 1;
    });
  }
}
