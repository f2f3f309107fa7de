import { join } from "node:path";
import type { SiteFile } from "../core/base/files/site-file.ts";
import type { Node } from "../core/config/nodes.ts";
import type { Feed } from "../core/feed/feed.ts";
import { readOwnPublic } from "../core/site/public.ts";
import { isNotice } from "../features/incidents/notices.ts";
import { filledPath } from "../features/templates/filled-path.ts";

/** Returns what a feed publishes of the operator's files in `public/`, which are all except notices. */
export type OwnFiles = (feed: Feed) => readonly SiteFile[];

/** Throws InputError for files that cannot be published and for invalid templates. */
export async function loadOwnFiles(configFolder: string, nodes: readonly Node[]): Promise<OwnFiles> {
  const files = readOwnPublic(configFolder, filledPath).filter(({ path }) => !isNotice(path));
  if (files.every(({ path }) => filledPath(path) === undefined)) return () => files;
  // Loaded only if needed, because it takes long.
  const { fillTemplates } = await import("../features/templates/template.ts");
  return fillTemplates(join(configFolder, "public"), files, nodes);
}
