import type { Mirror } from "../../src/client/index.ts";
import { validateConfig } from "../../src/core/config/validate.ts";
import {
  type Behaviour,
  type Exchange,
  type Handler,
  type RunningServer,
  startServer,
} from "./mirror-server.ts";
import { renderSite } from "../../src/app/render-site.ts";
import { serveSite } from "../../src/features/serve/serve.ts";
import { closeAfterTest } from "./close-after-test.ts";
import { writeFiles } from "./contract/feed.ts";
import { mirrorsOf, target } from "./one-target.ts";
import { minute, play } from "./playing.ts";
import type { Seen } from "./rounds.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export { target };

// Feeds are made at `madeAt`. Tests read them at `soon`, before they expire, or at `expiry`, when they expire.
export const madeAt = Date.parse("2026-03-10T12:00:00Z");
export const soon = madeAt + 60_000;
export const expiry = madeAt + 2 * 3_600_000;

/** A document with its status, or a handler. */
export type Served = Handler | { readonly status?: number; readonly document: unknown };

export type Routes = Readonly<Partial<Record<string, Served>>>;

/** Starts a loopback server until the test ends. */
export async function serve(behaviour: Behaviour): Promise<RunningServer> {
  return closeAfterTest(await startServer(behaviour));
}

/** Serves answers by path. All other paths get the fallback. */
export function serveRoutes(routes: Routes, fallback: Handler = page(404)): Promise<RunningServer> {
  return serve((exchange) => {
    return answer(routes[exchange.path] ?? fallback, exchange);
  });
}

/** Serves a feed, or answers of one kind for all paths. Returns the URL. */
export async function urlOf(feed: Routes | Handler): Promise<string> {
  return (await (typeof feed === "function" ? serve(feed) : serveRoutes(feed))).url;
}

export function answer(served: Served, exchange: Exchange): ReturnType<Handler> {
  if (typeof served === "function") return served(exchange);
  const { status = 200 } = served;
  exchange.response.writeHead(status, { "content-type": "application/json" }).end(documentText(served));
  return undefined;
}

export function documentText({ document }: Exclude<Served, Handler>): string {
  return typeof document === "string" ? document : JSON.stringify(document);
}

export function page(status: number, text = "<!doctype html><title>A page</title>"): Handler {
  return ({ response }) => {
    response.writeHead(status, { "content-type": "text/html" }).end(text);
  };
}

export function mirror(id: number, status: 0 | 1, more: Partial<Mirror> = {}): Mirror {
  return { id, name: `mirror ${id}`, url: `https://mirror-${id}.example.org/jcb/packages`, status, ...more };
}

export function contractOf(mirrors: readonly Mirror[], name = "packages"): object {
  return {
    target: name,
    network: mirrors.map(({ id, name: label, url, status }) => ({ id, name: label, url, status })),
  };
}

export function heartbeatOf(mirrors: readonly Mirror[], more: object = {}): object {
  return {
    run: "r1",
    generated_at: new Date(madeAt).toISOString(),
    expires_at: new Date(expiry).toISOString(),
    prober: { state: "online", vantages: [] },
    nodes: mirrors.map(({ id, status }) => ({ id, status })),
    ...more,
  };
}

export function reportOf(mirrors: readonly Mirror[], name = "packages"): object {
  return {
    target: name,
    primary: mirrors.find(({ primary }) => primary)?.id,
    network: mirrors.map((fields) => ({
      freshness: "unknown",
      ...fields,
      maintenance: fields.maintenance && "A move to other disks",
    })),
  };
}

export function feedOf(mirrors: readonly Mirror[]): Routes {
  return {
    [`/v1/network/${target}/`]: { document: contractOf(mirrors) },
    "/v1/report/": { document: heartbeatOf(mirrors) },
    [`/v1/report/${target}/`]: { document: reportOf(mirrors) },
  };
}

/**
 * Serves a site with mirrors at the given URLs; the first is the primary. Each round has an observation of every mirror.
 * Rounds are half an hour apart, and the last ends at `madeAt`.
 */
export async function serveRendered(
  urls: readonly string[],
  rounds: readonly (readonly Seen[])[],
): Promise<string> {
  const nodes = urls.map((url) => ({ url }));
  const config = validateConfig(mirrorsOf(nodes, {}, { primary: 1 }), "mirrors.json");
  const { feed } = play(
    config,
    rounds.map((seen, place) => ({
      at: madeAt - (rounds.length - 1 - place) * 30 * minute,
      vantages: { default: (id) => seen[id - 1] },
    })),
  );
  const folder = temporaryFolder();
  writeFiles(folder, renderSite(config, feed));
  return closeAfterTest(await serveSite(folder, { port: 0 })).url;
}
