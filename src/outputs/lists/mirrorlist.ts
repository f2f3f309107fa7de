import { rank } from "../../contract/rank.ts";
import { type SiteFile } from "../../base/files/site-file.ts";
import { kindNames, kinds } from "../../kinds/kinds.ts";
import type { ListInput, MirrorList } from "../../kinds/list.ts";
import { type Feed, type FeedNode, nodesOf, type Target, targetsOf } from "../../feed/feed.ts";
import { dayMs } from "../../state/counts.ts";

/** A list of a target for a tool, with the nodes that can be in it. */
export interface ToolList {
  readonly list: MirrorList;
  /** In the order of the configuration. */
  readonly nodes: readonly FeedNode[];
}

/**
 * Returns the mirror lists of each target: the URLs of all its nodes, one a line, and the lists for tools that its kinds have.
 * All are in the ranking of `pick`, the best first. If the prober was offline, they are in the order of the configuration. A
 * target with a node in a country has the same lists for each country of the feed.
 */
export function renderMirrorlists(feed: Feed): SiteFile[] {
  const countries = countriesOf(feed);
  return targetsOf(feed.systems).flatMap((target) => {
    const hasCountry = target.nodes.some(({ country }) => country !== undefined);
    return [
      ...filesOf(feed, target, "mirrorlist"),
      ...(hasCountry ? countries : []).flatMap((country) =>
        filesOf(feed, target, `country/${country.toLowerCase()}`, country),
      ),
    ];
  });
}

/** Returns the lists for tools that the nodes of a target have. */
export function toolLists({ nodes }: Target): ToolList[] {
  return kindNames.flatMap((kind) =>
    (kinds[kind].lists ?? []).flatMap((list) => {
      const own = nodes.filter((node) => node.kind === kind && (list.isFor?.(node.options) ?? true));
      return own.length > 0 ? [{ list, nodes: own }] : [];
    }),
  );
}

function filesOf(feed: Feed, target: Target, folder: string, country?: string): SiteFile[] {
  const { place, nodes } = target;
  return [
    {
      path: `${folder}/${place}.txt`,
      content: () =>
        listOrder(feed, nodes, country)
          .map(({ url }) => `${url}\n`)
          .join(""),
    },
    ...toolLists(target).map(({ list, nodes: own }) => ({
      path: `${folder}/${place}.${list.extension}`,
      content: () => {
        const mirrors = listOrder(feed, own, country);
        const primary = own.find((node) => node.primary) ?? own[0];
        if (primary === undefined) return "";
        return list.render({ place, mirrors, primary, ...contentOf(feed, target) });
      },
    })),
  ];
}

/** How long content that the reference had is acceptable, in whole days: mirrors need time to copy what is new. */
const acceptableDays = 3;

/** Returns what is known of the content of a target's reference, and of what it had lately. It changes with the day. */
function contentOf({ run }: Feed, { reference }: Target): Pick<ListInput, "reference" | "former"> {
  if (reference === undefined) return {};
  const today = Math.floor(Date.parse(run.generated_at) / dayMs) * dayMs;
  const { content_at, index, former } = reference;
  const recent = former.filter(({ until }) => Date.parse(until) >= today - acceptableDays * dayMs);
  return {
    reference: { content_at, ...index },
    former: recent.map((one) => ({ content_at: one.content_at, ...one.index })),
  };
}

/** Returns the countries of all nodes, in alphabetical order. */
function countriesOf({ systems }: Feed): string[] {
  const all = nodesOf(targetsOf(systems)).flatMap(({ country }) => country ?? []);
  return [...new Set(all)].sort();
}

/** Returns nodes in the order of the mirror lists, the best first, or in that of the configuration if the prober was offline. */
export function listOrder(
  { isKnown }: Pick<Feed, "isKnown">,
  nodes: readonly FeedNode[],
  country?: string,
): readonly FeedNode[] {
  return isKnown || country !== undefined ? rank(nodes, country) : nodes;
}
