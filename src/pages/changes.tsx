import { sentenceOf } from "../kinds/kinds.ts";
import { formatDuration } from "../text/duration.ts";
import { groupByOrigin } from "./group-by-origin.ts";
import { formatInteger } from "../text/count.ts";
import type { Node, Transition } from "../model/feed.ts";
import { link, nodePath, type PageFeed } from "./links.ts";
import { Timestamp } from "./timestamp.tsx";
import { Shape } from "./shape.tsx";

interface Change {
  readonly node: Node;
  readonly change: Transition;
}

const maxShown = 8;
/** One line can stand for all mirrors of a host, so many more changes are read than lines are shown. */
const maxConsidered = 2000;

/** Renders the latest status changes of the nodes, newest first. */
export function RecentChanges({
  feed,
  nodes,
}: {
  readonly feed: PageFeed;
  readonly nodes: readonly Node[];
}): preact.JSX.Element {
  const changes = nodes
    .flatMap((node) => node.transitions.map((change): Change => ({ node, change })))
    .sort((left, right) => (left.change.at < right.change.at ? 1 : left.change.at > right.change.at ? -1 : 0))
    .slice(0, maxConsidered);
  const groups = groupByOrigin(changes, ({ change: { at, status, code } }) => `${at} ${status} ${code}`);
  return (
    <section class="changes" aria-labelledby="changes">
      <h2 id="changes">Recent changes</h2>
      {groups.length === 0 ? (
        <p class="quiet">No status has changed since the feed began.</p>
      ) : (
        <ol>
          {groups.slice(0, maxShown).map(({ host, items }) => {
            const [{ node, change }] = items;
            return (
              <li>
                <Timestamp at={change.at} />
                <Shape name={change.status === 1 ? "online" : "offline"} />
                <span>
                  {items.length === 1 ? (
                    <a href={link(feed, nodePath(node))}>{node.name}</a>
                  ) : (
                    `${formatInteger(items.length)} mirrors at ${host}`
                  )}{" "}
                  {changeText(change, items.length === 1)}
                </span>
              </li>
            );
          })}
        </ol>
      )}
    </section>
  );
}

/** Returns what changed and why, and for a single node how long its previous status lasted. */
function changeText({ status, code, after_seconds }: Transition, isOne: boolean): string {
  const lasted = isOne && after_seconds !== undefined ? ` after ${formatDuration(after_seconds * 1000)}` : "";
  if (status === 1) return `came back online${lasted}.`;
  return `went offline${lasted}. ${sentenceOf(code)}`;
}
