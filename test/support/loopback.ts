import { once } from "node:events";
import { type Stats, statSync } from "node:fs";
import type { Server } from "node:http";
import { errorCode } from "../../src/errors.ts";

/** A port of the reserved range that no known service has. */
export const nowhere = "http://127.0.0.1:2/";

/** A server that listens; `url` has no slash at its end. */
export interface Listening {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Lets a server listen on a free port of the loopback interface. */
export async function listenOnLoopback(server: Server): Promise<Listening> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
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
