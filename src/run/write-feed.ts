import { dirname, join } from "node:path";
import { basePath, type Config } from "../config/schema.ts";
import { publicFolders } from "../base/files/package.ts";
import { hostOf } from "../hosts/registry.ts";
import type { Feed } from "../feed/feed.ts";
import { overlay, readPublic } from "../site/public.ts";
import { writeSite } from "../site/write.ts";
import { type CommandContext, logStage } from "../base/terminal/context.ts";
import { formatCount } from "../base/text/count.ts";
import { isNotice } from "./notices.ts";
import { renderSite } from "./render-site.ts";

export interface WriteOptions {
  readonly out: string;
  /** The file mirrors.json. Files of the folder `public/` beside it replace those of the package. */
  readonly config: string;
}

/** Renders a feed and writes its site with the files of `public/`. Logs what was written, and the limits of the host. */
export function writeFeed(
  config: Config,
  feed: Feed,
  { out, config: file }: WriteOptions,
  context: CommandContext,
  onFile?: () => void,
): void {
  logStage("model", { systems: feed.systems.length });
  const copied = readPublic(join(dirname(file), "public")).filter(({ path }) => !isNotice(path));
  const files = [...publicFolders.map(readPublic), copied].reduce(overlay, renderSite(config, feed));
  logStage("render", { files: files.length });
  const { written, unchanged, removed } = writeSite(out, files, onFile);
  logStage("write", { written, unchanged, removed });
  context.log(`${out}: ${formatCount(written, "file")} written, ${unchanged} unchanged, ${removed} removed.`);
  const site = { feed: config.systems, basePath: basePath(config), files: files.length };
  const warnings = hostOf(config.site.host).warnings?.(site) ?? [];
  for (const warning of warnings) context.log(`Warning: ${warning}`);
}
