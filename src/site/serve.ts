import { EventEmitter, once } from "node:events";
import { accessSync, constants, readFileSync, realpathSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, ServerResponse } from "node:http";
import { join } from "node:path";
import type { Readable } from "node:stream";
import httpServer from "http-server";
import { errorDocuments, type ErrorName, errorPath, jsonText, networkRoot } from "../contract.ts";
import { errorCode, InputError } from "../errors.ts";
import { quote } from "../quote.ts";
import { route } from "./routing.ts";

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
 * Our own server stands in front of http-server's, which only serves the files that the routing found: that one
 * parses the request target before any of its `before` handlers, and some targets (`http://[?`) end the process there.
 */
function siteServer(root: string): Server {
  const files = fileServer(root);
  return createServer({ ServerResponse: SiteResponse }, (request, response) => {
    response.setHeader("Access-Control-Allow-Origin", "*");
    const answer = route(request.method ?? "", request.url ?? "", (path) => isFile(root, path));
    if (answer.kind === "error") {
      answerError(response, answer.name, errorBody(root, answer.name));
      return;
    }
    request.url = `/${answer.path.split("/").map(encodeURIComponent).join("/")}`;
    if (!hasSimpleRange(request)) delete request.headers.range;
    closeFileWith(response);
    files.emit("request", request, response);
    // A body of a GET has no meaning (RFC 9110, section 9.3.1), and union would gather it in memory.
    request.unpipe().resume();
  });
}

/** http-server pipes a file through union's stream to the response, and leaves it open where the reader goes away. */
function closeFileWith(response: ServerResponse): void {
  response.once("pipe", (through) => {
    through.once("pipe", (file: Readable) => {
      response.once("close", () => file.destroy());
    });
  });
}

/** The answers of http-server, without what the libraries in it add. */
class SiteResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  // union touches these two of every response, whose accessors in Node warn of their deprecation on the terminal.
  protected readonly _headers = {};
  protected readonly _headerNames = {};

  /** JSON has no charset (RFC 8259, section 11), but http-server adds one. */
  override setHeader(name: string, value: number | string | readonly string[]): this {
    const isJson = name.toLowerCase() === "content-type" && String(value).startsWith("application/json;");
    return super.setHeader(name, isJson ? "application/json" : value);
  }
}

/** http-server's own server, never listening. By its types it is what createServer gives; in truth that holds it. */
function fileServer(root: string): EventEmitter {
  // A next run has to be seen at once: readers ask each time, and the ETag spares the rest. "false" is a string
  // since http-server compares with that alone.
  const wrapper: object = httpServer.createServer({ root, cache: 0, showDir: "false", autoIndex: "false" });
  if ("server" in wrapper && isEmitter(wrapper.server)) return wrapper.server;
  throw new Error("http-server is not the version it was.");
}

function isEmitter(value: unknown): value is EventEmitter {
  return value instanceof EventEmitter;
}

/** The ranges that http-server answers rightly; all others may be ignored (RFC 9110, section 14.2). */
function hasSimpleRange({ method, headers }: IncomingMessage): boolean {
  return (
    method === "GET" && headers["if-range"] === undefined && /^bytes=[0-9]+-[0-9]*$/.test(headers.range ?? "")
  );
}

/**
 * Whether the site has this file, and we may read it. No link is followed, wherever it leads, as where the site is
 * published; a path in another case than the file's is none, on file systems that fold case too.
 */
function isFile(root: string, path: string): boolean {
  const file = join(root, path);
  return realPath(file) === file && (statSync(file, { throwIfNoEntry: false })?.isFile() ?? false);
}

/** The real path of what can be read, or undefined: whatever the reason, there is nothing to serve then. */
function realPath(path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK);
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** The site's own document of an error; made anew where the site was removed meanwhile. */
function errorBody(root: string, name: ErrorName): Buffer {
  const path = errorPath(name);
  return isFile(root, path) ? readFileSync(join(root, path)) : Buffer.from(jsonText(errorDocuments[name]));
}

function answerError(response: ServerResponse, name: ErrorName, body: Buffer): void {
  response.writeHead(errorDocuments[name].code, {
    "Content-Type": "application/json",
    "Content-Length": body.length,
    "Cache-Control": "max-age=0",
    ...(name === "method" ? { Allow: "GET, HEAD" } : {}),
  });
  response.end(body);
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
