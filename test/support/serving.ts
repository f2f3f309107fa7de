import type { Mirror } from "../../src/client/index.ts";
import { validateConfig } from "../../src/config/validate.ts";
import { type Behaviour, type Handler, type RunningServer, startServer } from "../../src/testbed/server.ts";
import { renderSite } from "../../src/run/render-site.ts";
import { serveSite } from "../../src/site/serve.ts";
import { closeAfterTest } from "./close-after-test.ts";
import { writeFiles } from "./contract/feed.ts";
import { mirrorsOf, target } from "./one-target.ts";
import { minute, play } from "./playing.ts";
import type { Seen } from "./rounds.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export { target };

/** The time of the feeds' run, and the times at which they are read: before and at their expiry. */
export const madeAt = Date.parse("2026-03-10T12:00:00Z");
export const soon = madeAt + 60_000;
export const expiry = madeAt + 2 * 3_600_000;

/** An answer of a feed: a document with its status, or what a handler does. */
export type Served = Handler | { readonly status?: number; readonly document: unknown };

export type Routes = Readonly<Partial<Record<string, Served>>>;

/** Starts a server on loopback that ends with the test. */
export async function serve(behaviour: Behaviour): Promise<RunningServer> {
  return closeAfterTest(await startServer(behaviour));
}

/** Starts a server of answers by their paths. All other paths get the fallback. */
export function serveRoutes(routes: Routes, fallback: Handler = page(404)): Promise<RunningServer> {
  return serve((exchange) => {
    const served = routes[exchange.path] ?? fallback;
    if (typeof served === "function") return served(exchange);
    const { status = 200, document } = served;
    const text = typeof document === "string" ? document : JSON.stringify(document);
    exchange.response.writeHead(status, { "content-type": "application/json" }).end(text);
  });
}

/** Returns a handler that answers every request with HTML. */
export function page(status: number, text = "<!doctype html><title>A page</title>"): Handler {
  return ({ response }) => {
    response.writeHead(status, { "content-type": "text/html" }).end(text);
  };
}

/** Returns a mirror of the target by its id. */
export function mirror(id: number, status: 0 | 1, more: Partial<Mirror> = {}): Mirror {
  return { id, name: `mirror ${id}`, url: `https://mirror-${id}.example.org/jcb/packages`, status, ...more };
}

/** Returns the contract's document of mirrors. */
export function contractOf(mirrors: readonly Mirror[], name = "packages"): object {
  return {
    target: name,
    network: mirrors.map(({ id, name: label, url, status }) => ({ id, name: label, url, status })),
  };
}

/** Returns a heartbeat as mirrorfeed writes it. */
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

/** Returns a report as mirrorfeed writes it, of mirrors with or without a freshness. */
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

/** Returns the answers of a feed of one target. */
export function feedOf(mirrors: readonly Mirror[]): Routes {
  return {
    [`/v1/network/${target}/`]: { document: contractOf(mirrors) },
    "/v1/report/": { document: heartbeatOf(mirrors) },
    [`/v1/report/${target}/`]: { document: reportOf(mirrors) },
  };
}

/**
 * Serves the site of mirrors at these URLs as the preview does. The first mirror is the primary. The rounds are half an
 * hour apart, and the last one ends at `madeAt`. Each has what was seen of every mirror.
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
