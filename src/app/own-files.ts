import { join } from "node:path";
import type { SiteFile } from "../core/base/files/site-file.ts";
import { readOwnPublic } from "../core/site/public.ts";
import { isNotice } from "../features/incidents/notices.ts";
import { filledPath, loadTemplates } from "../features/templates/load-templates.ts";
import type { Template } from "../features/templates/template.ts";
import type { PlacedMirror } from "../features/templates/view.ts";

/** The operator's files in `public/`, except notices: files to copy, and templates to fill in. */
export interface OwnFiles {
  readonly copied: readonly SiteFile[];
  readonly templates: readonly Template[];
}

/** Throws InputError for files that cannot be published and for invalid templates. */
export async function loadOwnFiles(configFolder: string, nodes: readonly PlacedMirror[]): Promise<OwnFiles> {
  const files = readOwnPublic(configFolder, filledPath).filter(({ path }) => !isNotice(path));
  const copied = files.filter(({ path }) => filledPath(path) === undefined);
  const templates = await loadTemplates(join(configFolder, "public"), files, nodes);
  return { copied, templates };
}
