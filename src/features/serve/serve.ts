import { once } from "node:events";
import { type IncomingMessage, Server, ServerResponse } from "node:http";
import { parse } from "node:url";
import httpServer from "http-server";
import { networkRoot } from "../../core/contract/contract.ts";
import { errorCode, InputError } from "../../core/base/errors.ts";
import { quote } from "../../core/base/text/quote.ts";
import { hostAndPort } from "../../core/base/text/url.ts";
import { answer, isFile, realPath } from "./answer.ts";

export interface ServeOptions {
  readonly port: number;
  /** The address to listen on. By default, only this machine can connect. */
  readonly host?: string | undefined;
}

export type Preview = Awaited<ReturnType<typeof serveSite>>;

const loopback = "127.0.0.1";
const remedy = "run mirrorfeed run first, or name another folder with --out";

/**
 * Serves the site in the folder `out` with the contract's routing. The returned `url` has no trailing slash. `close` ends
 * all connections and frees the port, and can be called more than once. Throws InputError if there is no site or the
 * server cannot listen.
 */
export async function serveSite(out: string, { port, host }: ServeOptions) {
  const server = siteServer(siteRoot(out));
  // Node.js takes an empty host to mean every address of the machine.
  await listen(server, host || loopback, port);
  let closing: Promise<void> | undefined;
  return { url: urlOf(server), close: (): Promise<void> => (closing ??= end(server)) };
}

function siteRoot(out: string): string {
  const root = realPath(out);
  if (root === undefined)
    throw new InputError(`${out} does not exist, or this user may not read it; ${remedy}.`);
  if (!isFile(root, `${networkRoot}/index.json`))
    throw new InputError(`${out} does not contain a site; ${remedy}.`);
  return root;
}

/** Creates an http-server whose `before` handler answers every request, and returns its Node.js server. */
function siteServer(root: string): Server {
  const preview: object = httpServer.createServer({
    root,
    before: [
      (_request: IncomingMessage, wrapped: ServerResponse) => {
        const response = rawResponse(wrapped);
        // The library union, which http-server uses, would buffer the request body in memory.
        response.req.unpipe();
        answer(root, response);
      },
    ],
    // Clients must revalidate every time, so that a new run is visible immediately.
    headers: { "Access-Control-Allow-Origin": "*", "Cache-Control": "max-age=0" },
  });
  if (!("server" in preview && isServer(preview.server)))
    throw new Error("This version of http-server does not expose its server.");
  // http-server calls url.parse before any handler, and would crash if that throws.
  return preview.server.prependListener("request", (request: IncomingMessage) => {
    if (!isParsed(request.url ?? "")) request.url = "*";
  });
}

/** Returns the Node.js response that union wraps. `send` would mistake union's wrapper for a finished response. */
function rawResponse(wrapped: ServerResponse): ServerResponse {
  if ("response" in wrapped && isResponse(wrapped.response)) return wrapped.response;
  throw new Error("This version of http-server does not expose the Node.js response.");
}

function isServer(value: unknown): value is Server {
  return value instanceof Server;
}

function isResponse(value: unknown): value is ServerResponse {
  return value instanceof ServerResponse;
}

/** Whether `url.parse` accepts a request's target. `URL.canParse` can't tell, because it has different rules. */
function isParsed(target: string): boolean {
  try {
    // oxlint-disable-next-line typescript/no-deprecated
    parse(target);
    return true;
  } catch {
    return false;
  }
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  try {
    // This listener stays, so that a later connection error does not crash the process.
    server.on("error", () => undefined).listen(port, host);
    await once(server, "listening");
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    const sentences: Partial<Record<string, string>> = {
      EADDRINUSE: `Port ${port} of ${quote(host)} is in use; stop the program that uses it, or use another port with --port.`,
      EACCES: `This user may not open port ${port}; use 1024 or higher with --port.`,
    };
    const other = `${quote(host)} is not an address of this machine; use one with --address, such as ${loopback}.`;
    throw new InputError(sentences[code] ?? other);
  }
}

async function end(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}

function urlOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  // A server can listen on a wildcard address, but clients need the address of a machine.
  const named: Partial<Record<string, string>> = { "0.0.0.0": loopback, "::": "::1" };
  return `http://${hostAndPort(named[address.address] ?? address.address, address.port)}`;
}
