import { kinds } from "../../kinds/kinds.ts";
import { toolLists } from "../../feed/lists.ts";
import { shellWord } from "../../base/text/quote.ts";
import type { FeedNode, Target } from "../../feed/feed.ts";
import { copyLines, unknownUrl } from "./copy-lines.tsx";
import type { PageFeed } from "./links.ts";
import { fileLinks } from "./parts.tsx";
import { useTitle } from "./sentence.ts";
import { freshnessNote } from "./node-status.tsx";

type Line = readonly [title: string, line: string];

/** Renders the answer to "which mirror do I take?": the URL of the best one, and how to use it. `nodes` begin with the best. */
export function bestMirror(feed: PageFeed, target: Target, nodes: readonly FeedNode[]): preact.JSX.Element {
  const { best: words } = feed.words.mirrors;
  const [best] = nodes;
  const note = best && freshnessNote(feed, best);
  const site = feed.url ?? unknownUrl;
  const isReachable = feed.everReached && best?.status === 1;
  const lines: Line[] = [[words.pick, `mirrorfeed pick ${site} ${target.place}`]];
  if (best !== undefined && isReachable) {
    lines.unshift([titleOf(feed, target, best), best.url], ...usageOf(words.command, site, target, best));
  }
  return (
    <section class="best" aria-labelledby="best" data-best={isReachable ? "" : undefined}>
      <h2 id="best" class="visually-hidden">
        {words.heading}
      </h2>
      {!isReachable && <p class="notice">{feed.everReached ? words.noneReachable : words.nothingKnown}</p>}
      {isReachable && note !== undefined && (
        <p>
          {words.itIs} {note}
        </p>
      )}
      {copyLines(lines, { isUrlKnown: feed.url !== undefined, top: feed.top })}
    </section>
  );
}

function titleOf({ words: { mirrors } }: PageFeed, { reference }: Target, best: FeedNode): string {
  const { best: words } = mirrors;
  if (best.maintenance !== undefined) return words.inMaintenance;
  if (best.freshness === "in_sync") return words.inSync;
  // Without a reference there is nothing that a mirror could be in sync with.
  return reference === undefined ? words.reachable : words.notInSync;
}

/** Returns the line that a tool takes: with the URL of the best mirror, or with the list of all. */
function usageOf(title: string, site: string, target: Target, { kind, url }: FeedNode): Line[] {
  const { usage } = kinds[kind];
  if (usage !== undefined) return [[title, usage.command(url)]];
  const [first] = listLines(site, target);
  return first === undefined ? [] : [[title, first[1]]];
}

/** Renders how to use a target from scripts: commands to copy, and links to its documents. */
export function howToUse(feed: PageFeed, target: Target): preact.JSX.Element {
  const { target: name, place: path, nodes } = target;
  const { use: words } = feed.words.mirrors;
  const url = feed.url ?? unknownUrl;
  const known = nodes.find(({ revision }) => revision !== undefined);
  const usage = known && kinds[known.kind].usage;
  const best = `$(mirrorfeed pick ${url} ${path} --fallback ${shellWord(fallbackOf(target))})`;
  const tools = toolLists(target.nodes);
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
      {copyLines(lines, { isUrlKnown: feed.url !== undefined, top: feed.top })}
      {fileLinks(feed, words.asFiles, files)}
    </section>
  );
}

/** Returns the lines for tools that read a list of a target, each with its title, from the site at a URL. */
function listLines(site: string, target: Target): Line[] {
  return toolLists(target.nodes).flatMap(({ list: { usage, extension }, nodes }): Line[] => {
    const file = `${site}/mirrorlist/${target.place}.${extension}`;
    return usage === undefined ? [] : [[usage.title, usage.line(file, nodes[0]?.options ?? {})]];
  });
}

/** Returns the URL to use if the feed cannot be reached: the primary's, otherwise the first mirror's. */
function fallbackOf({ nodes }: Target): string {
  return (nodes.find(({ primary }) => primary) ?? nodes[0])?.url ?? "";
}
