import { dirname, join } from "node:path";
import type { Node } from "../../core/config/nodes.ts";
import { InputError } from "../../core/base/errors.ts";
import { readText } from "../../core/base/files/read-text.ts";
import type { NoticeText } from "../../core/feed/incidents.ts";
import { readPublic } from "../../core/site/public.ts";
import { quote } from "../../core/base/text/quote.ts";

const folder = "incidents";

export const maxNotices = 200;
export const maxNoticeBytes = 256 * 1024;

/** Notices in `public/` are rendered, not copied. */
export function isNotice(path: string): boolean {
  return /^incidents\/[^/]+\.md$/i.test(path);
}

/**
 * Loads the notices in `public/incidents/`, next to mirrors.json, with their text as HTML. Throws InputError if a
 * notice is invalid. The YAML and Markdown parsers are loaded only if there are notices.
 */
export async function loadNotices(configFolder: string, nodes: readonly Node[]): Promise<NoticeText[]> {
  const source = join(configFolder, "public", folder);
  const paths = readPublic(source).map(({ path }) => path);
  const below = paths.find((path) => /^[^/]*\.md\//i.test(path));
  if (below !== undefined)
    throw new InputError(`${quote(join(source, dirname(below)))} is a folder; a notice must be a file.`);
  const files = paths.filter((path) => isNotice(`${folder}/${path}`));
  if (files.length === 0) return [];
  const upper = files.find((path) => !path.endsWith(".md"));
  if (upper !== undefined)
    throw new InputError(`${quote(join(source, upper))} must end in .md, in lower case; rename it.`);
  if (files.length > maxNotices)
    throw new InputError(`${source} has more than ${maxNotices} notices; remove old ones.`);
  const { parseNotice } = await import("../../core/config/notice.ts");
  const { withHtml } = await import("./notice-markdown.ts");
  const notices: NoticeText[] = [];
  for (const path of files) {
    const file = join(source, path);
    const text = await readText(file, maxNoticeBytes, "shorten it");
    const notice = parseNotice(text, path.slice(0, -3), file, nodes);
    notices.push(withHtml(notice));
  }
  return notices;
}

/** Returns a warning about each name in a notice, unless it ended before `at`, that is not in mirrors.json. */
export function goneWarnings(notices: readonly NoticeText[], at = 0) {
  const current = notices.filter(({ to }) => to === undefined || to > at);
  return current.flatMap(({ name, gone }) =>
    gone.map((one) => ({
      path: `public/incidents/${name}.md`,
      message: `${quote(String(one))} is not in mirrors.json; the notice shows its last known name`,
    })),
  );
}
