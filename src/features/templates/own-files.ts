import { join } from "node:path";
import { InputError } from "../../core/base/errors.ts";
import { readText } from "../../core/base/files/read-text.ts";
import { isSitePath, type SiteFile } from "../../core/base/files/site-file.ts";
import { quote } from "../../core/base/text/quote.ts";
import { checkTemplate, type Template } from "./template.ts";
import type { PlacedMirror } from "./view.ts";
import { filledPath, readOwnPublic } from "../../core/site/public.ts";
import { isNotice } from "../incidents/notices.ts";

const maxTemplateBytes = 1024 * 1024;

/** The operator's files in `public/`, except notices: files to copy, and templates to fill in. */
export interface OwnFiles {
  readonly copied: readonly SiteFile[];
  readonly templates: readonly Template[];
}

/** Throws InputError for files that cannot be published and for invalid templates. */
export async function loadOwnFiles(configFolder: string, nodes: readonly PlacedMirror[]): Promise<OwnFiles> {
  const files = readOwnPublic(configFolder).filter(({ path }) => !isNotice(path));
  const copied = files.filter(({ path }) => filledPath(path) === undefined);
  const paths = new Set(copied.map(({ path }) => path));
  const templates: Template[] = [];
  for (const { path: source } of files) {
    const path = filledPath(source);
    if (path === undefined) continue;
    const file = join(configFolder, "public", source);
    if (!isSitePath(path))
      throw new InputError(
        `${quote(file)} has no name before .mustache; put the name of the published file there.`,
      );
    if (paths.has(path))
      throw new InputError(`${quote(file)} would produce a file that already exists; remove one of the two.`);
    const text = await readText(file, maxTemplateBytes, "shorten it");
    if (/[^\P{Cc}\n\t\r]/u.test(text))
      throw new InputError(
        `${quote(file)} has control characters; remove them, or remove .mustache from its name.`,
      );
    checkTemplate({ path, text }, file, nodes);
    templates.push({ path, text });
  }
  return { copied, templates };
}
