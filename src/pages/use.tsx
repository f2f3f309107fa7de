import { kinds } from "../kinds/kinds.ts";
import { toolLists } from "../render/mirrorlist.ts";
import { shellWord } from "../text/shell-word.ts";
import type { Target } from "../model/feed.ts";
import { copyLines, unknownUrl } from "./copy-lines.tsx";
import { link, type PageFeed } from "./links.ts";
import { useTitle } from "./sentence.ts";

/** Renders how to use a target from scripts: commands to copy, and links to its documents. */
export function howToUse(feed: PageFeed, target: Target): preact.JSX.Element {
  const { target: name, place: path, nodes } = target;
  const { use: words } = feed.words.mirrors;
  const url = feed.url ?? unknownUrl;
  const known = nodes.find(({ revision }) => revision !== undefined);
  const usage = known && kinds[known.kind].usage;
  const best = `$(mirrorfeed pick ${url} ${path} --fallback ${shellWord(fallbackOf(target))})`;
  const tools = toolLists(target);
  const lines = [
    ...(usage === undefined ? [] : [[useTitle(feed.words, usage.title), usage.command(best)] as const]),
    ...listLines(url, target).map(([title, line]) => [useTitle(feed.words, title), line] as const),
    [words.check, `mirrorfeed check ${url} ${path}`],
    [words.embed, `<iframe src="${url}/embed/${path}/" title="${name}" height="160"></iframe>`],
    [words.badge, `[![${name}](${url}/badge/${path}.svg)](${url}/status/${path}/)`],
  ] as const;
  const files = [
    [words.statuses, `/v1/network/${path}/`],
    [words.reachable, `/v1/network/${path}/1/`],
    [words.evidence, `/v1/report/${path}/`],
    [words.mirrorlist, `/mirrorlist/${path}.txt`],
    ...tools.map(
      ({ list: { tool, extension } }) => [words.listFor(tool), `/mirrorlist/${path}.${extension}`] as const,
    ),
    [words.badgeFile, `/badge/${path}.svg`],
    [words.embedFile, `/embed/${path}/`],
  ] as const;
  return (
    <section class="use" aria-labelledby="use">
      <h2 id="use">{words.heading}</h2>
      {copyLines(lines, feed.url !== undefined, feed.top)}
      <p class="files">
        {words.asFiles}{" "}
        {files.map(([name, file], index) => [index > 0 && ", ", <a href={link(feed, file)}>{name}</a>])}.
      </p>
    </section>
  );
}

/** Returns the lines for tools that read a list of a target, each with its title, from the site at a URL. */
export function listLines(site: string, target: Target): (readonly [title: string, line: string])[] {
  return toolLists(target).flatMap(({ list: { usage, extension }, nodes }) => {
    const file = `${site}/mirrorlist/${target.place}.${extension}`;
    return usage === undefined ? [] : [[usage.title, usage.line(file, nodes[0]?.options ?? {})] as const];
  });
}

/** Returns the URL to use if the feed cannot be reached: the primary's, otherwise the first mirror's. */
function fallbackOf({ nodes }: Target): string {
  return (nodes.find(({ primary }) => primary) ?? nodes[0])?.url ?? "";
}
