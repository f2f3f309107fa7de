import type { FeedNode, Target } from "../../feed/feed.ts";
import { breakable, Shape } from "./parts.tsx";
import { copyLines } from "./copy-lines.tsx";
import { type PageFeed, projectPath, systemPath, targetPath } from "./links.ts";
import { maintenanceSection } from "./maintenance.tsx";
import { pageDocument } from "./layout.tsx";
import { reportAttributes } from "./mirror-table.tsx";
import { nodeDetails } from "./node-section.tsx";
import { statusOf } from "./node-status.tsx";
import { breadcrumbs, runHint } from "./places.tsx";
import { rowAttributes } from "./states.ts";

/** Returns the page of a mirror of a large target. Nothing in it changes with every run. */
export function nodePage(feed: PageFeed, target: Target, node: FeedNode): string {
  const { system, project } = target;
  const { shape, word } = statusOf(feed, node);
  const sentence = feed.words.mirrors.node.heading(node.name, word);
  return pageDocument({
    feed,
    title: `${node.name} · ${target.target} · ${system} / ${project}`,
    description: sentence,
    state: { shape, text: word },
    hasStatuses: true,
    children: (
      <>
        {breadcrumbs(
          feed,
          [
            [system, systemPath(system)],
            [project, projectPath(target)],
            [target.target, targetPath(target)],
          ],
          node.name,
        )}
        <div class="state">
          <h1>
            <Shape name={shape} />
            <span>{breakable(sentence)}</span>
          </h1>
          {node.primary && <p>{feed.words.mirrors.node.primary}</p>}
          {runHint(feed)}
        </div>
        <section class="best" aria-label={feed.words.mirrors.node.use}>
          {copyLines([[feed.words.mirrors.node.url, node.url]], { isUrlKnown: true, top: feed.top })}
          <p>
            <a href={node.url} rel="noreferrer">
              {feed.words.mirrors.node.open}
            </a>
          </p>
        </section>
        {maintenanceSection(feed, [node])}
        <section
          class="evidence"
          aria-label={feed.words.mirrors.node.evidence}
          data-node={node.id}
          data-states={rowAttributes(feed, node)["data-states"]}
          {...reportAttributes(feed, target)}
        >
          {nodeDetails(feed, node, node.days())}
        </section>
      </>
    ),
  });
}
