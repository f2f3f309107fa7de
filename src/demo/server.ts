import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { createServer as createSocketServer, type Server, type Socket } from "node:net";
import { type Counts, Traffic } from "./traffic.ts";

/** One request and the means to answer it, well or badly. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Path and query below the place where the handler is mounted. */
  readonly path: string;
  /** Ends the connection with a TCP reset, below TLS too (where `resetAndDestroy` of the TLS socket throws). */
  readonly reset: () => void;
}

/** Answers a request over HTTP; a promise must settle once the response is closed. */
export type Handler = (exchange: Exchange) => void | Promise<void>;

/** Takes a connection at the moment it is accepted, below TLS and HTTP; needs a server of its own. */
export interface Greeter {
  readonly atConnection: (connection: Socket) => void;
}

export type Behaviour = Handler | Greeter;

export interface ServerOptions {
  /** Key and certificate, in PEM: the same behaviour over TLS. */
  readonly tls?: { readonly key: string | Buffer; readonly cert: string | Buffer } | undefined;
  /** The address to listen on, 127.0.0.1 by default. */
  readonly host?: string | undefined;
}

export interface RunningServer extends Counts {
  /** Scheme, address and port, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** Ends listening, connections and handlers; throws an AggregateError of what the handlers threw. */
  readonly close: () => Promise<void>;
}

/** Starts a server on a port the system gives. Throws the system's error where the address cannot be had. */
export async function startServer(
  behaviour: Behaviour,
  { tls, host = "127.0.0.1" }: ServerOptions = {},
): Promise<RunningServer> {
  const traffic = new Traffic();
  const connections = new Map<string, Socket>();
  const tasks = new Set<Promise<void>>();
  const faults: unknown[] = [];

  async function handle(handler: Handler, exchange: Exchange): Promise<void> {
    try {
      await handler(exchange);
    } catch (fault) {
      faults.push(fault);
      exchange.response.destroy();
    }
  }

  function listener(handler: Handler) {
    return (request: IncomingMessage, response: ServerResponse): void => {
      traffic.countRequest(request, response);
      const reset = () => connections.get(peer(request.socket))?.resetAndDestroy();
      const task = handle(handler, { request, response, path: request.url ?? "/", reset });
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
    if (faults.length > 0) throw new AggregateError(faults, "A handler of the laboratory failed.");
  }

  const server = create();
  server.on("connection", (socket: Socket) => {
    const key = peer(socket);
    traffic.countConnection(socket);
    connections.set(key, socket);
    socket.once("close", () => connections.delete(key));
    // A client may leave in any manner it likes: that is no fault of the server.
    socket.on("error", () => socket.destroy());
  });
  server.listen(0, host);
  await once(server, "listening");

  const port = portOf(server);
  const url = `${tls === undefined ? "http" : "https"}://${host.includes(":") ? `[${host}]` : host}:${port}`;
  let ending: Promise<void> | undefined;
  return Object.assign(traffic, { url, port, close: () => (ending ??= end()) });
}

function peer({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress ?? ""} ${remotePort ?? ""}`;
}

/** The port a server listens on. Throws where it listens on none. */
export function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("The server listens on no port.");
  return address.port;
}
