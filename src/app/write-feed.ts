import { publicFolders } from "../core/base/files/package.ts";
import type { SiteFile } from "../core/base/files/site-file.ts";
import { type CommandContext, logStage } from "../core/base/terminal/context.ts";
import { formatCount } from "../core/base/text/count.ts";
import { basePath, type Config } from "../core/config/config-schema.ts";
import type { Feed, Site } from "../core/feed/feed.ts";
import { systemsPath } from "../core/feed/page-paths.ts";
import { namesOf, overlay, readPublic } from "../core/site/public.ts";
import { writeSite } from "../core/site/write.ts";
import { hostOf } from "../features/hosts/host-registry.ts";
import type { OwnFiles } from "./own-files.ts";
import { renderSite } from "./render-site.ts";

/** Renders the feed and writes the site. Logs what was written and replaced, and warnings about the host's limits. */
export function writeFeed(
  config: Config,
  feed: Feed,
  ownFiles: OwnFiles,
  { out, brief }: { readonly out: string; readonly brief?: boolean | undefined },
  context: CommandContext,
  checkLock: () => void,
): void {
  const own = ownFiles(feed);
  const hasOwnTop = own.some(({ path }) => path === "index.html");
  const site: Site = hasOwnTop ? { ...feed.site, overviewPath: systemsPath } : feed.site;
  const rendered = renderSite(config, { ...feed, site });
  // Files of the package replace rendered files, and the operator's files replace both.
  const files = [...publicFolders.map(readPublic), own].reduce<readonly SiteFile[]>(overlay, rendered);
  logStage("render", { files: files.length });
  const { written, unchanged, removed } = writeSite(out, files, checkLock);
  logStage("write", { written, unchanged, removed });
  if (brief !== true)
    context.log(
      `${out}: ${formatCount(written, "file")} written, ${unchanged} unchanged, ${removed} removed.`,
    );
  const ownPaths = new Set(own.map(({ path }) => path));
  const replaced = rendered.filter(({ path }) => ownPaths.has(path));
  if (replaced.length > 0) context.log(`Files in your public/ replace generated ones: ${namesOf(replaced)}.`);
  if (hasOwnTop) context.log(`The status page is at ${systemsPath}, because your public/ has an index.html.`);
  const size = { feed: config.systems, basePath: basePath(config), files: files.length };
  for (const warning of hostOf(config.site.host).warnings?.(size) ?? []) context.log(`Warning: ${warning}`);
}
