import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSocketServer, type Server, type Socket } from "node:net";

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Path and query, relative to the handler's path. */
  readonly path: string;
  /** Ends the connection with a TCP reset. */
  readonly reset: () => void;
}

/** If a handler returns a promise, it must settle once the response is closed. */
export type Handler = (exchange: Exchange) => void | Promise<void>;

/** Handles raw connections, below TLS and HTTP. */
export interface Greeter {
  readonly atConnection: (connection: Socket) => void;
}

export type Behaviour = Handler | Greeter;

export type Listening = Awaited<ReturnType<typeof listenOnLoopback>>;

export function startServer(behaviour: Behaviour): Promise<Listening> {
  if (typeof behaviour !== "function") return listenOnLoopback(createSocketServer(behaviour.atConnection));
  const server = createHttpServer((request, response) => {
    const reset = (): void => {
      request.socket.resetAndDestroy();
    };
    void behaviour({ request, response, path: request.url ?? "/", reset });
  });
  return listenOnLoopback(server);
}

/** Lets a server listen on a free port of this machine. `url` has no trailing slash. */
export async function listenOnLoopback(server: Server) {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    // A client may disconnect in any way. That is not a server error.
    socket.once("close", () => sockets.delete(socket)).on("error", () => socket.destroy());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    /** Stops listening and ends all connections. */
    close: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

export function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== "object" || address === null)
    throw new Error("The server is not listening on a port.");
  return address.port;
}
