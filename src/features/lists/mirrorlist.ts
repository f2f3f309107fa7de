import type { SiteFile } from "../../core/base/files/site-file.ts";
import { familyNames } from "../../core/base/http/address.ts";
import { formatCount } from "../../core/base/text/count.ts";
import { group } from "../../core/base/text/group.ts";
import { type Feed, type Target, targetsOf } from "../../core/feed/feed.ts";
import { countriesOf, listOrder, type TargetList, targetLists } from "./lists.ts";
import { targetPath } from "../../core/feed/page-paths.ts";
import type { ListInput } from "../../core/kinds/kind.ts";
import { dayMs, hourMs } from "../../core/base/text/time.ts";
import { formatMinute, isoTimestamp } from "../../core/base/text/timestamp.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import { formatStates, verdictOf } from "../../core/feed/verdict.ts";

/**
 * Returns each target's mirror lists: a plain list with one URL per line, and lists in the formats of tools such as
 * dnf. They rank mirrors like `pick`. If the prober was offline, only the lists for a country are ranked, and all
 * others keep the configuration's order.
 */
export function renderMirrorlists(feed: Feed): SiteFile[] {
  const targets = targetsOf(feed.systems);
  const countries = countriesOf(targets);
  return targets.flatMap((target) =>
    targetLists(target, countries).map((list) => ({
      path: list.path,
      content: () => contentOf(feed, target, list),
    })),
  );
}

function contentOf(feed: Feed, target: Target, { list, nodes, country }: TargetList): string {
  const mirrors = listOrder(feed, nodes, country);
  if (list === undefined) return mirrors.map(({ url }) => `${url}\n`).join("");
  const primary = nodes.find((node) => node.primary) ?? nodes[0];
  if (primary === undefined) return "";
  return list.render({
    ...{
      place: target.place,
      mirrors,
      primary,
      comment: commentOf(feed, nodes),
      ...referenceOf(feed, target),
    },
    checkedAt: `${feed.run.generated_at.slice(0, 13)}:00:00.000Z`,
    intervalMinutes: feed.run.interval.scheduled_minutes,
    page: feed.url && `${feed.url}${targetPath(target)}`,
  });
}

/**
 * Says until when the list holds, in whole hours, so that the list does not change with every run. Warns if every
 * mirror has a problem, or if some mirrors are unreachable over IPv4 or IPv6.
 */
function commentOf({ run }: Feed, nodes: readonly FeedNode[]): string {
  const end = Math.ceil(Date.parse(run.expires_at) / hourMs) * hourMs;
  const sentences = [`Out of date after ${formatMinute(isoTimestamp(end))}.`];
  const { counts, attention } = verdictOf([{ nodes }]);
  if (attention > 0 && counts.online === 0)
    sentences.push(`Warning: every mirror has a problem (${formatStates(counts)}).`);
  for (const [family, found] of group(nodes.map((node) => [node.unreachable_family, node] as const)))
    if (family !== undefined)
      sentences.push(
        `Warning: ${found.length} of ${formatCount(nodes.length, "mirror")} cannot be reached over ${familyNames[family]}.`,
      );
  return sentences.join(" ");
}

/**
 * When the reference changes, lists accept its former content for this many days, because mirrors need time to sync.
 */
const acceptableDays = 3;

/**
 * Returns the reference's current content, and its former content that is still acceptable. Counts whole days, so that
 * lists don't change with every run.
 */
function referenceOf({ run }: Feed, { reference }: Target): Pick<ListInput, "reference" | "former"> {
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
