import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSocketServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { hash } from "node:crypto";
import { packet } from "../../core/kinds/git-questions.ts";

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

const loginForm = `<!doctype html>
<html lang="en">
<head><title>Sign in</title></head>
<body><form action="/login" method="post"><input name="user"><input name="password" type="password"></form></body>
</html>
`;

export function answer(
  status: number,
  headers: Readonly<Record<string, string>> = {},
  body = `Status ${status}\n`,
): Handler {
  return ({ response }) => {
    response.writeHead(status, { "content-type": "text/plain", ...headers }).end(body);
  };
}

export function loginPage(): Handler {
  return answer(200, { "content-type": "text/html; charset=utf-8" }, loginForm);
}

/** Redirects every path of a mirror to the same path below another URL. */
export function moved(mirrorUrl: string): Handler {
  return ({ response, path }) => {
    response.writeHead(301, { location: `${mirrorUrl.replace(/\/$/, "")}${path}` }).end();
  };
}

export function silent(): Handler {
  return () => undefined;
}

/** Answers after a delay, unless the client has disconnected. */
export function slow(delayMs: number, answer: Handler): Handler {
  return async (exchange) => {
    const { response } = exchange;
    await Promise.race([sleep(delayMs, undefined, { ref: false }), once(response, "close")]);
    if (!response.closed) await answer(exchange);
  };
}

export function sshBanner(): Greeter {
  return { atConnection: (connection) => connection.resume().write("SSH-2.0-OpenSSH_9.6\r\n") };
}

/** Resets the first `failures` connections, then answers. Each handler has its own count. */
export function flaky(failures: number, answer: Handler): Handler {
  let left = failures;
  return (exchange) => {
    if (left === 0) return answer(exchange);
    left -= 1;
    exchange.reset();
  };
}

/** A repository that lists its refs, which is all that a probe reads. It has no objects. */
export interface Repository {
  readonly branch: string;
  /** The ids of its commits, the newest last. */
  readonly commits: string[];
}

/** The ids are the same on every machine. */
export function createRepositories() {
  const make = (subjects: readonly string[], branch = "main"): Repository => {
    const repository: Repository = { branch, commits: [] };
    for (const subject of subjects) addCommit(repository, subject);
    return repository;
  };
  const three = ["Commit 1", "Commit 2", "Commit 3"];
  return {
    good: make(three),
    lagging: make(three.slice(0, 2)),
    diverged: make(["Commit 1", "Commit 2", "Elsewhere 3"]),
    empty: make([]),
    otherBranch: make(three, "trunk"),
  };
}

/** Adds a commit. Repositories with equal histories get the same commit. */
export function addCommit({ commits }: Repository, subject = `Commit ${commits.length + 1}`): void {
  commits.push(hash("sha1", `${commits.at(-1)} ${subject}`));
}

/** Lists a repository's refs as `git http-backend` would (gitprotocol-http). All other requests get a 404. */
export function gitServer(repository: Repository): Handler {
  return ({ response, path }) => {
    if (path.startsWith("/info/refs?service=git-upload-pack"))
      response
        .writeHead(200, { "content-type": "application/x-git-upload-pack-advertisement" })
        .end(advertisement(repository));
    else response.writeHead(404).end();
  };
}

function advertisement({ branch, commits }: Repository): string {
  const id = commits.at(-1);
  const names = id === undefined ? ["capabilities^{}"] : ["HEAD", `refs/heads/${branch}`];
  const capabilities = `\0symref=HEAD:refs/heads/${branch}`;
  const refs = names.map((name, index) =>
    packet(`${id ?? "0".repeat(40)} ${name}${index === 0 ? capabilities : ""}\n`),
  );
  return [packet("# service=git-upload-pack\n"), "0000", ...refs, "0000"].join("");
}
