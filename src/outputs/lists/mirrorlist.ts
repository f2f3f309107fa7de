import type { SiteFile } from "../../base/files/site-file.ts";
import { familyNames } from "../../base/http/address.ts";
import { formatCount } from "../../base/text/count.ts";
import { group } from "../../base/text/group.ts";
import {
  dayMs,
  type Feed,
  type FeedNode,
  formatStates,
  nodesOf,
  type Target,
  targetsOf,
  verdictOf,
} from "../../feed/feed.ts";
import { listOrder, toolLists } from "../../feed/lists.ts";
import { targetPath } from "../../contract/page-paths.ts";
import type { ListInput } from "../../kinds/kind.ts";

/**
 * Returns the mirror lists of each target: the URLs of all its nodes, one a line, and the lists for tools that its kinds have.
 * All are in the ranking of `pick`, the best first. If the prober was offline, they are in the order of the configuration. A
 * target with a node in a country has the same lists for each country of the feed.
 */
export function renderMirrorlists(feed: Feed): SiteFile[] {
  const targets = targetsOf(feed.systems);
  const countries = [...new Set(nodesOf(targets).flatMap(({ country }) => country ?? []))].sort();
  return targets.flatMap((target) => {
    const hasCountry = target.nodes.some(({ country }) => country !== undefined);
    return [
      ...filesOf(feed, target, "mirrorlist"),
      ...(hasCountry ? countries : []).flatMap((country) =>
        filesOf(feed, target, `country/${country.toLowerCase()}`, country),
      ),
    ];
  });
}

function filesOf(feed: Feed, target: Target, folder: string, country?: string): SiteFile[] {
  const { place, nodes } = target;
  const urls = (): string[] => listOrder(feed, nodes, country).map(({ url }) => `${url}\n`);
  return [
    { path: `${folder}/${place}.txt`, content: () => urls().join("") },
    ...toolLists(nodes).map(({ list, nodes: listed }) => ({
      path: `${folder}/${place}.${list.extension}`,
      content: () => {
        const mirrors = listOrder(feed, listed, country);
        const primary = listed.find((node) => node.primary) ?? listed[0];
        return primary === undefined
          ? ""
          : list.render({
              ...{ place, mirrors, primary, warning: warningOf(listed), ...contentOf(feed, target) },
              checkedAt: `${feed.run.generated_at.slice(0, 13)}:00:00.000Z`,
              intervalMinutes: feed.run.interval.scheduled_minutes,
              page: feed.url && `${feed.url}${targetPath(target)}`,
            });
      },
    })),
  ];
}

/**
 * Returns sentences for the comment of a list whose mirrors all need attention, or are in maintenance, or of which some do
 * not answer over a family.
 */
function warningOf(nodes: readonly FeedNode[]): string | undefined {
  const { counts, attention } = verdictOf([{ nodes }]);
  const warnings =
    attention === 0 || counts.online > 0
      ? []
      : [`Warning: no mirror is as it should be (${formatStates(counts)}).`];
  for (const [family, found] of group(nodes.map((node) => [node.unreachable_family, node] as const)))
    if (family !== undefined)
      warnings.push(
        `Warning: ${found.length} of ${formatCount(nodes.length, "mirror")} cannot be reached over ${familyNames[family]}.`,
      );
  return warnings.length === 0 ? undefined : warnings.join(" ");
}

/** How long content that the reference had is acceptable, in whole days: mirrors need time to copy what is new. */
const acceptableDays = 3;

/** Returns what is known of the content of a target's reference, and of what it had lately. It changes with the day. */
function contentOf({ run }: Feed, { reference }: Target): Pick<ListInput, "reference" | "former"> {
  if (reference === undefined) return {};
  const today = Math.floor(Date.parse(run.generated_at) / dayMs) * dayMs;
  const { content_at, index, former } = reference;
  return {
    reference: { content_at, ...index },
    former: former
      .filter(({ until }) => Date.parse(until) >= today - acceptableDays * dayMs)
      .map((one) => ({ content_at: one.content_at, ...one.index })),
  };
}
