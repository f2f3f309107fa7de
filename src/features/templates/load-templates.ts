import { join } from "node:path";
import { InputError } from "../../core/base/errors.ts";
import { readText } from "../../core/base/files/read-text.ts";
import { isSitePath, type SiteFile } from "../../core/base/files/site-file.ts";
import { quote } from "../../core/base/text/quote.ts";
import type { Feed } from "../../core/feed/feed.ts";
import { checkTemplate, renderTemplates, type Template } from "./template.ts";
import type { PlacedMirror } from "./view.ts";

const maxTemplateBytes = 1024 * 1024;

/** Returns the path that a template in `public/` is rendered to, or undefined for any other file. */
export function filledPath(path: string): string | undefined {
  return path.endsWith(".mustache") ? path.slice(0, -".mustache".length) : undefined;
}

/** Returns a function that fills in the templates among the files of a folder. The other files stay as they are. */
export async function fillTemplates(
  folder: string,
  files: readonly SiteFile[],
  nodes: readonly PlacedMirror[],
): Promise<(feed: Feed) => SiteFile[]> {
  const templates = await loadTemplates(folder, files, nodes);
  const copied = files.filter(({ path }) => filledPath(path) === undefined);
  return (feed) => [...copied, ...renderTemplates(feed, templates)];
}

/** Loads the templates among the files of a folder. Throws InputError if one is invalid. */
export async function loadTemplates(
  folder: string,
  files: readonly SiteFile[],
  nodes: readonly PlacedMirror[],
): Promise<Template[]> {
  const copied = new Set(files.flatMap(({ path }) => (filledPath(path) === undefined ? [path] : [])));
  const templates: Template[] = [];
  for (const { path: source } of files) {
    const path = filledPath(source);
    if (path === undefined) continue;
    const file = join(folder, source);
    if (!isSitePath(path))
      throw new InputError(
        `${quote(file)} has no name before .mustache; put the name of the published file there.`,
      );
    if (copied.has(path))
      throw new InputError(`${quote(file)} would produce a file that already exists; remove one of the two.`);
    const text = await readText(file, maxTemplateBytes, "shorten it");
    checkTemplate({ path, text }, file, nodes);
    templates.push({ path, text });
  }
  return templates;
}
