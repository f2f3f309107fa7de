import { accessSync, constants, fstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import type { ReadStream, Stats } from "node:fs";
import type { ServerResponse } from "node:http";
import send from "send";
import { errorDocuments, errorPath, jsonText, notFoundPage } from "../../core/contract/contract.ts";
import { answersWithPage, type Exists, route } from "../../core/contract/routing.ts";
import { join } from "node:path";

/** The headers that `send` sets before it opens a file. */
const fileHeaders = ["Content-Type", "Content-Length", "Content-Range", "ETag", "Last-Modified"];

const unreadable = { error: "Service unavailable", code: 503 } as const;

/**
 * Answers a request with a file below `root`. If a run removes the file after `exists` has found it, answers again with
 * an `exists` that no longer finds it.
 */
export function answer(
  root: string,
  response: ServerResponse,
  exists: Exists = (path) => isFile(root, path),
): void {
  const { method = "", url = "" } = response.req;
  const found = route(method, url, exists);
  switch (found.kind) {
    case "error":
      sendError(root, response, found.name);
      break;
    case "redirect":
      response.writeHead(301, { Location: found.location, "Content-Length": 0 }).end();
      break;
    case "file":
      sendFile(root, found.path, response, exists);
  }
}

function sendFile(root: string, path: string, response: ServerResponse, exists: Exists): void {
  let size = 0;
  const again = (existsNow: Exists): void => {
    for (const header of fileHeaders) response.removeHeader(header);
    response.statusCode = 200;
    answer(root, response, existsNow);
  };
  const isGone = (): void => {
    again((other) => other !== path && exists(other));
  };
  send(response.req, path.split("/").map(encodeURIComponent).join("/"), { root, index: false })
    .on("headers", () => {
      // `send` would add a charset to JSON, which has none (RFC 8259, section 11), and take TypeScript for a video.
      if (path.endsWith(".json")) response.setHeader("Content-Type", "application/json");
      if (path.endsWith(".ts")) response.setHeader("Content-Type", "text/plain; charset=utf-8");
    })
    .on("file", (_path: string, stats: Stats) => {
      ({ size } = stats);
    })
    .on("stream", (file: ReadStream) => {
      file.once("open", (descriptor) => {
        // If a run has replaced the file since `send` took its size, the Content-Length is wrong.
        if (fstatSync(descriptor).size === size) return;
        file.unpipe(response).destroy();
        again(exists);
      });
    })
    .on("directory", isGone)
    .on("error", ({ status }: { readonly status: number }) => {
      if (response.headersSent) response.destroy();
      else if (status === 404) isGone();
      else if (status === 412 || status === 416) response.writeHead(status, { "Content-Length": 0 }).end();
      else sendWhole(response, unreadable.code, jsonText(unreadable));
    })
    .pipe(response);
}

/** Sends the site's error page or document. If a run has removed the file, sends the built-in document. */
function sendError(root: string, response: ServerResponse, name: keyof typeof errorDocuments): void {
  const { url = "", headers } = response.req;
  const { code } = errorDocuments[name];
  if (name === "method") response.setHeader("Allow", "GET, HEAD");
  if (name === "not-found") response.setHeader("Vary", "Accept");
  const isPage = name === "not-found" && answersWithPage(url, headers.accept);
  const page = isPage ? readSmall(root, notFoundPage) : undefined;
  if (page !== undefined) sendWhole(response, code, page, "text/html; charset=utf-8");
  else sendWhole(response, code, readSmall(root, errorPath(name)) ?? jsonText(errorDocuments[name]));
}

function sendWhole(
  response: ServerResponse,
  status: number,
  body: Buffer | string,
  type = "application/json",
): void {
  response.statusCode = status;
  response.setHeader("Content-Type", type);
  response.setHeader("Content-Length", Buffer.byteLength(body));
  response.end(body);
}

/**
 * Whether the site has this file and this user may read it. Does not follow links, since web hosts don't either. The
 * path's case must match, even on a file system that ignores case.
 */
export function isFile(root: string, path: string): boolean {
  const file = join(root, path);
  return realPath(file) === file && attempt(() => statSync(file).isFile()) === true;
}

function readSmall(root: string, path: string): Buffer | undefined {
  return isFile(root, path) ? attempt(() => readFileSync(join(root, path))) : undefined;
}

/** Returns undefined if the file or folder is missing or unreadable. */
export function realPath(path: string): string | undefined {
  return attempt(() => {
    accessSync(path, constants.R_OK);
    return realpathSync.native(path);
  });
}

/** Returns undefined on any file system error, since every error means that there is no file to serve. */
function attempt<Result>(action: () => Result): Result | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
