import type { IncomingMessage, ServerResponse } from "node:http";
import { errorDocuments, type ErrorName, errorPath, jsonText } from "../hosts/contract.ts";
import { contentType } from "./content-type.ts";
import { isFile, type OpenFile, openFile } from "./open-file.ts";
import { type Route, route } from "./routing.ts";

/** A route whose file is open, so that a run cannot remove it any more. */
type OpenRoute =
  | Exclude<Route, { readonly kind: "file" }>
  | { readonly kind: "file"; readonly path: string; readonly file: OpenFile }
  | { readonly kind: "unreadable" };

/** Clients must revalidate each time, so that a new run is visible at once. */
const cacheControl = "max-age=0";

const unreadable = { error: "Service unavailable", code: 503 } as const;

/**
 * Sends the response to a request from the files below `root`, by its target as the client sent it. Does not throw if a run
 * changes the files meanwhile.
 */
export function answer(
  root: string,
  request: IncomingMessage,
  response: ServerResponse,
  target: string,
): void {
  const found = openRoute(root, request.method ?? "", target);
  switch (found.kind) {
    case "error":
      if (found.name === "method") response.setHeader("Allow", "GET, HEAD");
      sendJson(response, errorDocuments[found.name].code, readError(root, found.name));
      break;
    case "redirect":
      response.writeHead(301, { Location: found.location, "Content-Length": 0 });
      response.end();
      break;
    case "unreadable":
      sendJson(response, unreadable.code, Buffer.from(jsonText(unreadable)));
      break;
    case "file":
      sendFile(request, response, found.path, found.file);
  }
}

/** Routes a request and opens its file. Tries again if a run removes or replaces the file before it is open. */
function openRoute(root: string, method: string, target: string): OpenRoute {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const found = route(method, target, (path) => isFile(root, path));
    if (found.kind !== "file") return found;
    const file = openFile(root, found.path);
    if (file !== undefined) return { ...found, file };
  }
  return { kind: "unreadable" };
}

function sendFile(request: IncomingMessage, response: ServerResponse, path: string, file: OpenFile): void {
  const { size, etag, modified } = file;
  response.setHeader("Cache-Control", cacheControl);
  response.setHeader("ETag", etag);
  response.setHeader("Last-Modified", modified.toUTCString());
  response.setHeader("Accept-Ranges", "bytes");
  const range = rangeOf(request);
  const [start, end] = [range?.start ?? 0, Math.min(range?.end ?? size, size - 1)];
  if (isKnown(request, file)) {
    file.close();
    response.writeHead(304);
    response.end();
  } else if (range !== undefined && start > end) {
    file.close();
    response.writeHead(416, { "Content-Range": `bytes */${size}` });
    response.end();
  } else {
    if (range !== undefined) response.setHeader("Content-Range", `bytes ${start}-${end}/${size}`);
    response.writeHead(range === undefined ? 200 : 206, {
      "Content-Type": contentType(path),
      "Content-Length": end + 1 - start,
    });
    sendBody(request, response, file, start, end);
  }
}

function sendBody(
  request: IncomingMessage,
  response: ServerResponse,
  file: OpenFile,
  start: number,
  end: number,
): void {
  if (request.method === "HEAD") {
    file.close();
    response.end();
    return;
  }
  const body = file.read(start, end);
  if (Buffer.isBuffer(body)) {
    response.end(body);
    return;
  }
  // With fewer bytes than Content-Length the client would wait for the rest, unless the connection ends.
  const abandon = (): void => void request.socket.destroy();
  body.once("error", abandon);
  body.once("end", () => {
    if (body.bytesRead < end + 1 - start) abandon();
  });
  body.pipe(response);
}

/** Returns whether the client has this version of a file (RFC 9110, section 13.2.2). */
function isKnown({ headers }: IncomingMessage, { etag, modified }: OpenFile): boolean {
  const known = headers["if-none-match"];
  if (known !== undefined) return known.split(",").some((one) => ["*", etag].includes(one.trim()));
  const since = Date.parse(headers["if-modified-since"] ?? "");
  return Math.floor(modified.getTime() / 1000) * 1000 <= since;
}

/** Returns the requested range if it is a single one with a start. Others may be ignored (RFC 9110, section 14.2). */
function rangeOf({
  method,
  headers,
}: IncomingMessage): { start: number; end: number | undefined } | undefined {
  const [, start, end] = /^bytes=([0-9]{1,15})-([0-9]{1,15})?$/.exec(headers.range ?? "") ?? [];
  if (method !== "GET" || headers["if-range"] !== undefined || start === undefined) return undefined;
  if (end === undefined) return { start: Number(start), end };
  return Number(end) < Number(start) ? undefined : { start: Number(start), end: Number(end) };
}

/** Returns the error document of the site, or the same text if a run removed the file. */
function readError(root: string, name: ErrorName): Buffer {
  const file = openFile(root, errorPath(name));
  const body = file?.read(0, file.size - 1);
  if (Buffer.isBuffer(body)) return body;
  file?.close();
  return Buffer.from(jsonText(errorDocuments[name]));
}

function sendJson(response: ServerResponse, status: number, body: Buffer): void {
  response.writeHead(status, {
    "Content-Type": "application/json",
    "Content-Length": body.length,
    "Cache-Control": cacheControl,
  });
  response.end(body);
}
