import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { createServer as createSocketServer, type Server, type Socket } from "node:net";
import { hostAndPort } from "../../src/core/base/text/url.ts";
import {
  type Behaviour,
  type Exchange,
  type Handler,
  portOf,
} from "../../src/features/demo/mirror-server.ts";

export type { Behaviour, Exchange, Greeter, Handler } from "../../src/features/demo/mirror-server.ts";
export { portOf };

export interface ServerOptions {
  /** Key and certificate in PEM format, to serve over TLS. */
  readonly tls?: { readonly key: string | Buffer; readonly cert: string | Buffer } | undefined;
  /** Default: 127.0.0.1. */
  readonly host?: string | undefined;
  /** Default: any free port. */
  readonly port?: number | undefined;
}

/** What a server has received so far. */
class Traffic {
  requests = 0;
  connections = 0;
  /** Requests whose answer has not ended and whose client is still connected. */
  inFlight = 0;
  peakInFlight = 0;
  lastRequest: Pick<IncomingMessage, "method" | "url" | "headers"> | undefined = undefined;
}

export interface RunningServer extends Readonly<Traffic> {
  /** Scheme, address and port, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Stops listening and ends all connections and handlers. Throws an AggregateError of the handlers' errors. */
  readonly close: () => Promise<void>;
}

/** Starts a server that counts what it receives. Throws the system error if it cannot listen on the address. */
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
      traffic.requests += 1;
      traffic.lastRequest = request;
      traffic.inFlight += 1;
      traffic.peakInFlight = Math.max(traffic.peakInFlight, traffic.inFlight);
      response.once("close", () => (traffic.inFlight -= 1));
      // With TLS, `resetAndDestroy` of the request's socket would throw.
      const reset = () => connections.get(peer(request.socket))?.resetAndDestroy();
      const handle = async () => handler({ request, response, path: request.url ?? "/", reset });
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
    if (problems.length > 0) throw new AggregateError(problems, "A handler failed.");
  }

  const server = create();
  server.on("connection", (socket: Socket) => {
    const key = peer(socket);
    traffic.connections += 1;
    connections.set(key, socket);
    // A client may disconnect in any way. That is not a server error.
    socket.once("close", () => connections.delete(key)).on("error", () => socket.destroy());
  });
  await once(server.listen(wanted, host), "listening");
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

export type Provider = Awaited<ReturnType<typeof startProvider>>;

/**
 * Starts a server with several mirrors. `mount` serves one at a path such as `joomla/packages`. Other paths are answered with
 * 404.
 */
export async function startProvider(options: ServerOptions = {}) {
  const mirrors = new Map<string, Handler>();
  const dispatch = async (exchange: Exchange): Promise<void> => {
    let prefix = exchange.path.replace(/\?.*/, "");
    while (prefix !== "" && !mirrors.has(prefix)) prefix = prefix.slice(0, prefix.lastIndexOf("/"));
    const handler = mirrors.get(prefix);
    if (handler === undefined) exchange.response.writeHead(404).end();
    else await handler({ ...exchange, path: exchange.path.slice(prefix.length) });
  };
  const server = await startServer(dispatch, options);
  const mount = (path: string, handler: Handler) => {
    mirrors.set(`/${path}`, handler);
    return { url: `${server.url}/${path}` };
  };
  return Object.assign(server, { mount });
}
