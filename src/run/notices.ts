import { dirname, join } from "node:path";
import type { Node } from "../config/nodes.ts";
import { InputError } from "../base/errors.ts";
import { readText } from "../base/files/read-text.ts";
import type { NoticeText } from "../feed/incidents.ts";
import { readPublic } from "../site/public.ts";
import { quote } from "../base/text/quote.ts";

const folder = "incidents";

export const maxNotices = 200;
export const maxNoticeBytes = 256 * 1024;

/** Returns whether a file of `public/` is a notice, which is rendered and not copied. */
export function isNotice(path: string): boolean {
  return /^incidents\/[^/]+\.md$/i.test(path);
}

/**
 * Returns the notices in `public/incidents/` beside mirrors.json, with their text as HTML. Throws InputError with the file and the
 * remedy if one is not valid at this time (epoch milliseconds). What reads YAML and Markdown is loaded only if there is a notice.
 */
export async function loadNotices(
  beside: string,
  nodes: readonly Node[],
  now: number,
): Promise<NoticeText[]> {
  const source = join(beside, "public", folder);
  const paths = readPublic(source).map(({ path }) => path);
  const below = paths.find((path) => /^[^/]*\.md\//i.test(path));
  if (below !== undefined)
    throw new InputError(`${quote(join(source, dirname(below)))} is a folder; write a notice in a file.`);
  const files = paths.filter((path) => isNotice(`${folder}/${path}`));
  if (files.length === 0) return [];
  const upper = files.find((path) => !path.endsWith(".md"));
  if (upper !== undefined)
    throw new InputError(`${quote(join(source, upper))} must end in .md, in lower case; rename it.`);
  if (files.length > maxNotices)
    throw new InputError(`${source} has more than ${maxNotices} notices; remove old ones.`);
  const [{ parseNotice }, { withHtml }] = await Promise.all([
    import("../config/notice.ts"),
    import("../outputs/pages/markdown.ts"),
  ]);
  const notices: NoticeText[] = [];
  for (const path of files) {
    const file = join(source, path);
    const text = await readText(file, maxNoticeBytes, "shorten it");
    const notice = parseNotice(text, path.slice(0, -3), file, nodes, now);
    notices.push(withHtml(notice));
  }
  return notices;
}
