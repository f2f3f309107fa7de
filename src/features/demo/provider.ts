import {
  type Counts,
  type Exchange,
  type Handler,
  type RunningServer,
  type ServerOptions,
  startServer,
  Traffic,
} from "./mirror-server.ts";

export interface Mirror extends Counts {
  /** Without a trailing slash. */
  readonly url: string;
}

/** A server with several mirrors, each at its own path. Other paths are answered with 404. */
export interface Provider extends RunningServer {
  /** Serves a mirror at a path such as `joomla/packages`. */
  readonly mount: (path: string, handler: Handler) => Mirror;
}

/** Throws the system error if it cannot listen on the address. */
export async function startProvider(options: ServerOptions = {}): Promise<Provider> {
  const mirrors = new Map<string, { handler: Handler; traffic: Traffic }>();

  async function dispatch(exchange: Exchange): Promise<void> {
    const { request, response } = exchange;
    const prefix = longestPrefix(exchange.path, mirrors);
    const mirror = mirrors.get(prefix);
    if (mirror === undefined) {
      response.writeHead(404, { "content-type": "text/plain" }).end("There is no mirror here.\n");
      return;
    }
    mirror.traffic.countConnection(request.socket);
    mirror.traffic.countRequest(request, response);
    await mirror.handler({ ...exchange, path: exchange.path.slice(prefix.length) });
  }

  const server = await startServer(dispatch, options);
  function mount(path: string, handler: Handler): Mirror {
    const traffic = new Traffic();
    mirrors.set(`/${path}`, { handler, traffic });
    return Object.assign(traffic, { url: `${server.url}/${path}` });
  }
  return Object.assign(server, { mount });
}

/** Returns the longest mounted path that contains the requested one, or "". */
function longestPrefix(asked: string, paths: { has: (path: string) => boolean }): string {
  let prefix = asked.replace(/\?.*/, "");
  while (prefix !== "" && !paths.has(prefix)) prefix = prefix.slice(0, prefix.lastIndexOf("/"));
  return prefix;
}
