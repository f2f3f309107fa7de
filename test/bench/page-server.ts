import { createServer } from "node:http";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { listenOnLoopback } from "../support/loopback.ts";
import { contentOf, type SiteFile } from "../../src/base/files/site-file.ts";
import type { Feed } from "../../src/feed/feed.ts";
import { renderEmbeds } from "../../src/outputs/pages/embeds.tsx";
import { renderPages } from "../../src/outputs/pages/pages.tsx";
import { renderReport } from "../../src/outputs/report/report.ts";
import { readPublic } from "../../src/site/public.ts";

/** The pages of a feed on loopback, compressed as hosts compress them. */
export interface PageServer {
  readonly url: string;
  /** Shows another feed in place of the one before. */
  readonly show: (feed: Feed) => void;
  readonly close: () => Promise<void>;
}

const types: Partial<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".svg": "image/svg+xml",
};

/** Serves the pages of a feed from memory: a page is rendered when it is first requested. */
export async function servePages(feed: Feed): Promise<PageServer> {
  const assets = [...readPublic("public"), ...readPublic("dist/public")];
  let files = new Map<string, SiteFile>();
  let answers = new Map<string, Buffer>();
  const show = (shown: Feed): void => {
    const all = [...assets, ...renderPages(shown), ...renderEmbeds(shown), ...renderReport(shown)];
    files = new Map(all.map((file) => [file.path, file]));
    answers = new Map();
  };
  show(feed);
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "", "http://localhost");
    const path = pathname.slice(1);
    const file =
      files.get(path) ?? files.get(join(path, "index.html")) ?? files.get(join(path, "index.json"));
    if (file === undefined) {
      response.writeHead(404).end();
      return;
    }
    const body = answers.get(file.path) ?? gzipSync(contentOf(file));
    answers.set(file.path, body);
    const type = types[extname(file.path)] ?? "application/octet-stream";
    response.writeHead(200, { "Content-Type": type, "Content-Encoding": "gzip" }).end(body);
  });
  return { ...(await listenOnLoopback(server)), show };
}
