import type { KindName } from "../../src/core/kinds/kinds.ts";
import { type Handler, startServer } from "./mirror-server.ts";
import { closeAfterTest } from "./close-after-test.ts";
import { probeUrl, type ProbingOptions } from "./probing.ts";

/** A file's content, a status without a body, or a handler. */
export type ServedFile = string | Buffer | number | Handler;

export type ServedFiles = Readonly<Record<string, ServedFile>>;

export type FileServer = Awaited<ReturnType<typeof serveFiles>>;

/**
 * Serves whole files and, as nginx does, suffix ranges (`bytes=-N`). `changedAt` has modification times in epoch seconds.
 * `requests` has the method and path of each request. Tests may change `files`.
 */
export async function serveFiles(served: ServedFiles, changedAt: Readonly<Record<string, number>> = {}) {
  const files = new Map(Object.entries(served));
  const requests: string[] = [];
  const { url, close } = await startServer(async (exchange) => {
    const { request, response, path } = exchange;
    requests.push(`${request.method ?? ""} ${path}`);
    const file = files.get(path);
    if (typeof file === "function") {
      await file(exchange);
      return;
    }
    if (file === undefined || typeof file === "number") {
      response.writeHead(file ?? 404, { "content-type": "text/html" }).end();
      return;
    }
    const content = Buffer.from(file);
    const seconds = changedAt[path];
    if (seconds !== undefined) response.setHeader("last-modified", new Date(1000 * seconds).toUTCString());
    const [, length] = /^bytes=-(\d+)$/.exec(request.headers.range ?? "") ?? [];
    if (length === undefined) {
      response.setHeader("content-length", content.length);
      response.end(request.method === "HEAD" ? undefined : content);
      return;
    }
    const start = Math.max(0, content.length - Number(length));
    response.writeHead(206, { "content-range": `bytes ${start}-${content.length - 1}/${content.length}` });
    response.end(content.subarray(start));
  });
  return { url, close, requests, files };
}

/** By default, `probeFiles` makes its probes at this time. */
export const now = Date.parse("2026-03-10T12:00:00.000Z");

interface FileProbing extends ProbingOptions {
  readonly path?: string;
  readonly changedAt?: Readonly<Record<string, number>>;
}

/** Probes a mirror of this kind. `mirror` is a server, or files to serve until the test ends. */
export async function probeFiles(
  kind: KindName,
  mirror: ServedFiles | FileServer,
  { path = "", changedAt, context, ...options }: FileProbing = {},
) {
  const server = isServer(mirror) ? mirror : closeAfterTest(await serveFiles(mirror, changedAt));
  const before = server.requests.length;
  const probing = { kind, ...options, context: { now, ...context } };
  const found = await probeUrl(`${server.url}${path}`, probing);
  const { code, http_status, revision, content_at, content_code, index, partial, unchecked } = found;
  const requests = server.requests.slice(before);
  return { code, http_status, revision, content_at, content_code, index, partial, unchecked, requests };
}

function isServer(mirror: ServedFiles | FileServer): mirror is FileServer {
  return Array.isArray(mirror["requests"]);
}
