import { once } from "node:events";
import { type Stats, statSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { errorCode } from "../../src/base/errors.ts";
import { portOf } from "../../src/testbed/server.ts";

/** A port of the reserved range that no known service has. */
export const nowhere = "http://127.0.0.1:2/";

/** A server that listens; `url` has no slash at its end. */
export interface Listening {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Lets a server listen on a free port of the loopback interface. Its end ends its connections. */
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

/** Returns a port that nothing listens on now. */
export async function freePort(): Promise<number> {
  const { port, close } = await listenOnLoopback(createServer());
  await close();
  return port;
}

/** Returns whether there is a file at a path. */
export function isFile(path: string): boolean {
  return statsOf(path)?.isFile() === true;
}

/** Returns whether there is a folder at a path. */
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

/** Returns a path without its percent-encoding, or undefined if that is malformed. */
export function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return undefined;
  }
}
