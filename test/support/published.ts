import { join } from "node:path";
import { listNodes } from "../../src/core/config/nodes.ts";
import type { Config } from "../../src/core/config/config-schema.ts";
import { renderSite } from "../../src/app/render-site.ts";
import { overlay, readPublic } from "../../src/core/site/public.ts";
import type { SiteFile } from "../../src/core/base/files/site-file.ts";
import { writeFiles } from "./contract/feed.ts";
import { hour, play } from "./playing.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/**
 * Renders a site after 31 hourly runs, the last of them an hour ago. Each target's first node is always online. The others
 * went offline in the last run.
 */
export function publishedFiles(config: Config): SiteFile[] {
  const first = new Map(
    listNodes(config)
      .toReversed()
      .map(({ id, place }) => [place, id]),
  );
  const online = new Set(first.values());
  const revision = "9f2c41d07b8e5a6390d4cf1e2ab7385560c91d2e";
  const last = Date.now() - hour;
  const rounds = Array.from({ length: 31 }, (_, index) => ({
    at: last - (30 - index) * hour,
    vantages: {
      default: (id: number) =>
        index === 30 && !online.has(id) ? "timeout" : { latency_ms: 40 + id, revision, branch: "main" },
    },
  }));
  // The build writes the client, to which the reference links.
  const client = { path: "client.js", content: "export {};\n" };
  return overlay(renderSite(config, play(config, rounds).feed), [...readPublic("public"), client]);
}

export function writePublished(files: readonly SiteFile[]): string {
  const root = join(temporaryFolder("mirrorfeed-published-"), "site");
  writeFiles(root, files);
  return root;
}
