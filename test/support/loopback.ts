import { type Stats, statSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { networkInterfaces } from "node:os";
import { errorCode } from "../../src/core/base/errors.ts";
import { type Listening, listenOnLoopback as listen, portOf } from "../../src/features/demo/mirror-server.ts";

/** A URL on which nothing listens: the port is reserved, and no known service uses it. */
export const nowhere = "http://127.0.0.1:2/";

export type { Listening };

export const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((address) => address?.address === "::1");

/** Starts a server on a free loopback port. Closing it also closes its connections. */
export async function listenOnLoopback(server: Server): Promise<Listening & { readonly port: number }> {
  return { ...(await listen(server)), port: portOf(server) };
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
