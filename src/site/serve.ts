import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, type Server, ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import httpServer from "http-server";
import { networkRoot } from "../hosts/contract.ts";
import { errorCode, InputError } from "../errors.ts";
import { quote } from "../text/quote.ts";
import { answer } from "./answer.ts";
import { isFile, realPath } from "./open-file.ts";

export interface ServeOptions {
  readonly port: number;
  /** Where to listen; only this machine itself can ask where it is left out. */
  readonly host?: string | undefined;
  /** Its abort closes the server. */
  readonly signal?: AbortSignal | undefined;
}

export interface Preview {
  /** Scheme, host and port, without a slash at the end. */
  readonly url: string;
  /** Ends every connection and frees the port; may be called more than once. */
  readonly close: () => Promise<void>;
}

const loopback = "127.0.0.1";
const remedy = "run mirrorfeed run first, or name another folder with --out";

/**
 * Serves the site in the folder `out` with the routing of the contract. Throws InputError where there is no site or
 * where it cannot listen, and the signal's reason where that is already aborted.
 */
export async function serveSite(out: string, { port, host, signal }: ServeOptions): Promise<Preview> {
  signal?.throwIfAborted();
  const server = siteServer(siteRoot(out));
  // Node takes an empty host for every address of the machine.
  await listen(server, host || loopback, port);
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= end(server));
  signal?.addEventListener("abort", () => void close(), { once: true });
  if (signal?.aborted) await close();
  signal?.throwIfAborted();
  return { url: urlOf(server), close };
}

function siteRoot(out: string): string {
  const root = realPath(out);
  if (root === undefined)
    throw new InputError(`${out} does not exist, or must not be read by this user; ${remedy}.`);
  if (!isFile(root, `${networkRoot}/index.json`)) throw new InputError(`${out} holds no site; ${remedy}.`);
  return root;
}

/**
 * http-server serves the preview by a `before` handler. Its own file handler is never reached: it reads a file after it
 * looked at it, and throws, with nothing to catch that, if a run removed the file meanwhile. A plain server stands in
 * front of it, since http-server parses the query before any handler, and some targets (`http://[?`) end the process.
 */
function siteServer(root: string): Server {
  const preview = previewServer((request, response) => {
    answer(root, { request, response, target: decodeURIComponent((request.url ?? "").slice(1)) });
  });
  return createServer({ ServerResponse: PreviewResponse }, (request, response) => {
    // Without a question mark nothing of it is parsed.
    request.url = `/${encodeURIComponent(request.url ?? "")}`;
    closeFileWith(response);
    preview.emit("request", request, response);
    // A body of a GET has no meaning (RFC 9110, section 9.3.1), and union would gather it in memory.
    request.unpipe().resume();
  });
}

/** union pipes a file through its own stream to the response, and leaves it open if the reader goes away. */
function closeFileWith(response: ServerResponse): void {
  response.once("pipe", (through) => {
    through.once("pipe", (file: Readable) => {
      response.once("close", () => file.destroy());
    });
  });
}

class PreviewResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  // union touches these two of every response, whose accessors in Node warn of their deprecation on the terminal.
  protected readonly _headers = {};
  protected readonly _headerNames = {};
}

/** http-server's own server, never listening. By its types it is what createServer gives; in truth that holds it. */
function previewServer(handler: (request: IncomingMessage, response: ServerResponse) => void): EventEmitter {
  const wrapper: object = httpServer.createServer({
    before: [handler],
    headers: { "Access-Control-Allow-Origin": "*" },
  });
  if ("server" in wrapper && isEmitter(wrapper.server)) return wrapper.server;
  throw new Error("http-server is not the version it was.");
}

function isEmitter(value: unknown): value is EventEmitter {
  return value instanceof EventEmitter;
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      // The listener stays: a connection that cannot be taken later on is no reason to end.
      server.on("error", reject).listen(port, host, resolve);
    });
  } catch (error) {
    const sentence = unheard[errorCode(error) ?? ""];
    if (sentence === undefined) throw error;
    throw new InputError(sentence(host, port));
  }
}

type Sentence = (host: string, port: number) => string;

const notOurs: Sentence = (host) =>
  `${quote(host)} is no address of this machine; name one with --host, such as ${loopback}.`;

const unheard: Partial<Record<string, Sentence>> = {
  EADDRINUSE: (host, port) =>
    `Port ${port} of ${quote(host)} is in use; end what listens there, or name another port with --port.`,
  EACCES: (_host, port) => `Port ${port} must not be opened by this user; name one from 1024 on with --port.`,
  ERR_SOCKET_BAD_PORT: (_host, port) => `${port} is no port; name one from 0 to 65535 with --port.`,
  EADDRNOTAVAIL: notOurs,
  EAFNOSUPPORT: notOurs,
  EINVAL: notOurs,
  ENOTFOUND: notOurs,
  EAI_AGAIN: notOurs,
};

async function end(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}

function urlOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  // The wildcard addresses mean every address of this machine, and are none to ask.
  const named: Partial<Record<string, string>> = { "0.0.0.0": loopback, "::": "[::1]" };
  const shown = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return `http://${named[address.address] ?? shown}:${address.port}`;
}
