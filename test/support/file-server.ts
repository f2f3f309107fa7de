import { type Handler, startServer } from "../../src/testbed/server.ts";

/** A file of a server: its content, or how its request is answered. */
export type ServedFile = string | Buffer | Handler;

export interface FileServer {
  readonly url: string;
  readonly close: () => Promise<void>;
  /** The method and the path of each request. */
  readonly requests: readonly string[];
  /** What the server has, by its path. A test may change it. */
  readonly files: Map<string, ServedFile>;
}

/** Serves files, with ranges as nginx has them. `changedAt` is the time of every file. */
export async function serveFiles(
  served: Readonly<Record<string, ServedFile>>,
  changedAt?: ReadonlyMap<string, Date>,
): Promise<FileServer> {
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
    if (file === undefined) {
      response.writeHead(404, { "content-type": "text/html" }).end("<title>404 Not Found</title>");
      return;
    }
    const content = Buffer.from(file);
    const date = changedAt?.get(path);
    if (date !== undefined) response.setHeader("last-modified", date.toUTCString());
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
