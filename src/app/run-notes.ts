import { formatCount, formatList } from "../core/base/text/count.ts";
import { group } from "../core/base/text/group.ts";
import type { Node } from "../core/config/nodes.ts";
import { type Feed, targetsOf } from "../core/feed/feed.ts";
import type { NotifiedFeed } from "../features/notify/notified-feed.ts";
import { defaultKind, kindNames } from "../core/kinds/kinds.ts";
import { pendingLines } from "../features/notify/outbox.ts";
import type { Observation } from "../core/probe/observation.ts";

interface ProbedNode {
  readonly node: Node;
  readonly observation: Observation | undefined;
}

/** Returns the lines below a run's summary, which are not about a single mirror. `feed` is undefined after `probe`. */
export function runNotes(probed: readonly ProbedNode[], feed: NotifiedFeed | undefined): string[] {
  const kinds = kindNote(probed);
  if (feed === undefined) return kinds;
  const pending = pendingLines(feed.notifications, Date.parse(feed.run.generated_at));
  return [...kinds, ...lonePrimaries(feed), ...pending];
}

/**
 * Returns a note about targets whose mirrors all answered, but not like Git repositories. `probe.kind` may be missing
 * for these.
 */
function kindNote(probed: readonly ProbedNode[]): string[] {
  const targets = group(probed.map((each) => [each.node.place, each] as const));
  const isOtherKind = ({ node, observation }: ProbedNode): boolean =>
    node.settings.kind === defaultKind &&
    (observation?.code === "not_git" || observation?.http_status === 404);
  const [first, ...more] = [...targets].flatMap(([place, nodes]) =>
    nodes.every(isOtherKind) ? [place] : [],
  );
  if (first === undefined) return [];
  const others = more.length > 0 ? ` and ${formatCount(more.length, "more target")}` : "";
  const otherKinds = kindNames.filter((kind) => kind !== defaultKind);
  return [
    `${first}${others}: no mirror answered like a Git repository. If they aren't Git repositories, set probe.kind to ${formatList(otherKinds, "or")}.`,
  ];
}

/**
 * Returns a line for each target whose mirrors stay online without the primary's new content, because no mirror has
 * copied that content.
 */
function lonePrimaries({ systems }: Feed): string[] {
  return targetsOf(systems)
    .filter(({ nodes }) => nodes.some(({ kept_online }) => kept_online === "primary_alone"))
    .map(
      ({ place }) =>
        `${place}: no other mirror has copied the primary's content, so mirrors without it stay online despite freshness.offlineAfter.`,
    );
}
