import type { NodeHistory } from "../report-schema.ts";
import { codeSentences } from "../../sentences.ts";
import { spanText } from "../../span.ts";
import { groupAlike } from "./alike.ts";
import { grouped } from "./count.ts";
import type { Feed, FeedNode } from "./feed.ts";
import { link } from "./feed.ts";
import { Moment } from "./moment.tsx";
import { Shape } from "./shape.tsx";

interface Change {
  readonly of: FeedNode;
  readonly change: NodeHistory["transitions"][number];
}

const mostShown = 8;
/** A host that changes as a whole is told once, so that more changes than are shown may have to be looked at. */
const mostLookedAt = 2000;

/** The latest changes of all these nodes, the newest first. */
export function RecentChanges({
  feed,
  nodes,
}: {
  readonly feed: Feed;
  readonly nodes: readonly FeedNode[];
}): preact.JSX.Element {
  const changes = nodes
    .flatMap((of) => of.node.transitions.map((change): Change => ({ of, change })))
    .sort((left, right) => (left.change.at < right.change.at ? 1 : left.change.at > right.change.at ? -1 : 0))
    .slice(0, mostLookedAt);
  const groups = groupAlike(changes, ({ change: { at, status, code } }) => `${at} ${status} ${code}`);
  return (
    <section class="changes" aria-labelledby="changes">
      <h2 id="changes">Recent changes</h2>
      {groups.length === 0 ? (
        <p class="quiet">No status has changed since the feed began.</p>
      ) : (
        <ol>
          {groups.slice(0, mostShown).map(({ host, items }) => {
            const [{ of, change }] = items;
            return (
              <li>
                <Moment at={change.at} />
                <Shape name={change.status === 1 ? "online" : "offline"} />
                <span>
                  {items.length === 1 ? (
                    <a href={`${link(feed, of.target.path)}#node-${of.node.id}`}>{of.node.name}</a>
                  ) : (
                    `${grouped(items.length)} mirrors at ${host}`
                  )}{" "}
                  {changeWords(change, items.length === 1)}
                </span>
              </li>
            );
          })}
        </ol>
      )}
    </section>
  );
}

/** What a change was, why, and how long the status before it had lasted. */
function changeWords({ status, code, after_seconds }: Change["change"], isOne: boolean): string {
  const lasted = isOne && after_seconds !== undefined ? ` after ${spanText(after_seconds * 1000)}` : "";
  if (status === 1) return `came back online${lasted}.`;
  return `went offline${lasted}. ${codeSentences[code]}`;
}
