import { once } from "node:events";
import { type Stats, statSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { errorCode } from "../../src/core/base/errors.ts";
import { portOf } from "../../src/features/demo/mirror-server.ts";

/** A URL on which nothing listens: the port is reserved, and no known service uses it. */
export const nowhere = "http://127.0.0.1:2/";

/** `url` has no trailing slash. */
export interface Listening {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Starts a server on a free loopback port. Closing it also closes its connections. */
export async function listenOnLoopback(server: Server): Promise<Listening & { readonly port: number }> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const port = portOf(server);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

export async function freePort(): Promise<number> {
  const { port, close } = await listenOnLoopback(createServer());
  await close();
  return port;
}

export function isFile(path: string): boolean {
  return statsOf(path)?.isFile() === true;
}

export function isFolder(path: string): boolean {
  return statsOf(path)?.isDirectory() === true;
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (error) {
    if (!["ENOENT", "ENOTDIR", "ENAMETOOLONG"].includes(errorCode(error) ?? "")) throw error;
    return undefined;
  }
}

/** Decodes percent-encoding. Returns undefined if it is malformed. */
export function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return undefined;
  }
}
