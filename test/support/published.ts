import { resolveFeed } from "../../src/feed/feed.ts";
import { join } from "node:path";
import { listNodes } from "../../src/config/nodes.ts";
import type { Config } from "../../src/config/schema.ts";
import type { Observation } from "../../src/probe/observation.ts";
import { renderSite } from "../../src/run/render-site.ts";
import { overlay, readPublic } from "../../src/site/public.ts";
import type { SiteFile } from "../../src/base/files/site-file.ts";
import { type Advance, advance } from "../../src/state/advance.ts";
import type { Round } from "../../src/state/round.ts";
import { writeFiles } from "./contract/feed.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const hour = 3_600_000;

/**
 * Returns every file of a site as a run publishes it, some hours after its first run. The first node of each target is
 * online, and the others are offline since the last run, an hour before now.
 */
export function publishedFiles(config: Config): SiteFile[] {
  const nodes = listNodes(config);
  const first = new Map(
    nodes.toReversed().map((node) => [`${node.system}/${node.project}/${node.target}`, node.id]),
  );
  const online = new Set(first.values());
  const last = Date.now() - hour;
  let after: Advance | undefined;
  let files: SiteFile[] = [];
  for (let at = last - 30 * hour; at <= last; at += hour) {
    const checked_at = new Date(at - 1000).toISOString();
    const observations = nodes.map(({ id }): [number, Observation] => {
      if (at === last && !online.has(id)) return [id, { id, code: "timeout", attempts: 3, checked_at }];
      const revision = "9f2c41d07b8e5a6390d4cf1e2ab7385560c91d2e";
      return [id, { id, code: "ok", attempts: 1, checked_at, latency_ms: 40 + id, revision, branch: "main" }];
    });
    const vantage = { name: "default", controls: [], observations: new Map(observations), missingShards: [] };
    const round: Round = { run: `run-${at}`, at, vantages: [vantage] };
    after = advance(config, nodes, round, after?.state);
    if (at === last) files = renderSite(config, resolveFeed(config, nodes, round, after));
  }
  return overlay(files, readPublic("public"));
}

/** Writes a site into a folder of its own. Returns its path. */
export function writePublished(files: readonly SiteFile[]): string {
  const root = join(temporaryFolder("mirrorfeed-published-"), "site");
  writeFiles(root, files);
  return root;
}
