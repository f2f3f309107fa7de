import { resolveFeed } from "../../src/model/resolve.ts";
import { onTestFinished } from "vitest";
import type { Mirror } from "../../src/client/index.ts";
import { listNodes } from "../../src/config/nodes.ts";
import { validateConfig } from "../../src/config/validate.ts";
import { type Behaviour, type Handler, type RunningServer, startServer } from "../../src/testbed/server.ts";
import type { Observation } from "../../src/probe/observation.ts";
import { renderSite } from "../../src/pipeline/render-site.ts";
import { serveSite } from "../../src/site/serve.ts";
import { advance } from "../../src/state/advance.ts";
import type { State } from "../../src/state/document.ts";
import type { Round } from "../../src/state/round.ts";
import { writeFiles } from "./contract/feed.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export const target = "community/jcb/packages";

/** The moment at which the feeds here were made, and those at which they are read: while they hold, and later. */
export const madeAt = Date.parse("2026-03-10T12:00:00Z");
export const soon = madeAt + 60_000;
export const expiry = madeAt + 2 * 3_600_000;

/** An answer of a feed: a document with its status, a text that is none, or whatever a handler does. */
export type Served = Handler | { readonly status?: number; readonly document: unknown };

export type Routes = Readonly<Partial<Record<string, Served>>>;

/** A server on loopback that ends with the test. */
export async function serve(behaviour: Behaviour): Promise<RunningServer> {
  const server = await startServer(behaviour);
  onTestFinished(() => server.close());
  return server;
}

/** A server of answers by their paths; what has none is answered as `fallback` says. */
export function serveRoutes(routes: Routes, fallback: Handler = page(404)): Promise<RunningServer> {
  return serve((exchange) => {
    const served = routes[exchange.path] ?? fallback;
    if (typeof served === "function") return served(exchange);
    const { status = 200, document } = served;
    const text = typeof document === "string" ? document : JSON.stringify(document);
    exchange.response.writeHead(status, { "content-type": "application/json" }).end(text);
  });
}

/** An answer in HTML, whatever was asked. */
export function page(status: number, text = "<!doctype html><title>A page</title>"): Handler {
  return ({ response }) => {
    response.writeHead(status, { "content-type": "text/html" }).end(text);
  };
}

/** A mirror of the target by its id. */
export function mirror(id: number, status: 0 | 1, more: Partial<Mirror> = {}): Mirror {
  return { id, name: `mirror ${id}`, url: `https://mirror-${id}.example.org/jcb/packages`, status, ...more };
}

/** What the contract shows of mirrors. */
export function contractOf(mirrors: readonly Mirror[], name = "packages"): object {
  return {
    target: name,
    network: mirrors.map(({ id, name: label, url, status }) => ({ id, name: label, url, status })),
  };
}

/** A heartbeat as mirrorfeed writes it, of mirrors that have a latency or not. */
export function heartbeatOf(mirrors: readonly Mirror[], more: object = {}): object {
  return {
    run: "r1",
    generated_at: new Date(madeAt).toISOString(),
    expires_at: new Date(expiry).toISOString(),
    prober: { state: "online", vantages: [] },
    nodes: mirrors.map(({ id, status, latency_ms }) => ({ id, status, latency_ms })),
    ...more,
  };
}

/** A report as mirrorfeed writes it, of mirrors that have a freshness or not. */
export function reportOf(mirrors: readonly Mirror[], name = "packages"): object {
  return {
    target: name,
    primary: mirrors.find(({ primary }) => primary)?.id,
    network: mirrors.map(
      ({ id, status, freshness = "unknown", maintenance, mean_latency_ms: mean, unverified_since }) => ({
        id,
        status,
        freshness,
        unverified_since,
        ...(maintenance === true && { maintenance: "A move to other disks" }),
        ...(mean !== undefined && { days: { latency_ms: { mean: [null, mean] } } }),
      }),
    ),
  };
}

/** The answers of a mirrorfeed's feed of one target. */
export function feedOf(mirrors: readonly Mirror[]): Routes {
  return {
    [`/v1/network/${target}/`]: { document: contractOf(mirrors) },
    "/v1/report/": { document: heartbeatOf(mirrors) },
    [`/v1/report/${target}/`]: { document: reportOf(mirrors) },
  };
}

/** What a mirror is seen as in a round. */
export type Seen = Partial<Observation>;

/**
 * The site that mirrorfeed makes of mirrors at these urls, the first being the primary, after rounds half an hour
 * apart, of which the last ends at `madeAt`; served as the preview serves it.
 */
export async function serveRendered(
  urls: readonly string[],
  rounds: readonly (readonly Seen[])[],
): Promise<string> {
  const [system, project, name] = target.split("/");
  const network = urls.map((url, index) => ({ id: index + 1, url }));
  const config = validateConfig(
    JSON.stringify({
      systems: [{ system, projects: [{ project, targets: [{ target: name, primary: 1, network }] }] }],
    }),
    "mirrors.json",
  );
  const nodes = listNodes(config);
  let state: State | undefined;
  let files: ReturnType<typeof renderSite> = [];
  for (const [place, seen] of rounds.entries()) {
    const at = madeAt - (rounds.length - 1 - place) * 1_800_000;
    const observations = seen.map((own, index): [number, Observation] => {
      const observation = {
        id: index + 1,
        code: "ok" as const,
        attempts: 1,
        checked_at: new Date(at).toISOString(),
      };
      return [index + 1, { ...observation, ...own }];
    });
    const vantage = { name: "default", controls: [], observations: new Map(observations), missingShards: [] };
    const round: Round = { run: `r${place}`, at, vantages: [vantage] };
    const after = advance(config, nodes, round, state);
    state = after.state;
    files = renderSite(config, resolveFeed(config, nodes, round, after));
  }
  const folder = temporaryFolder();
  writeFiles(folder, files);
  const { url, close } = await serveSite(folder, { port: 0 });
  onTestFinished(close);
  return url;
}
