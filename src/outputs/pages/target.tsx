import { listOrder } from "../../feed/lists.ts";
import type { FeedNode, RewrittenTag, Target } from "../../feed/feed.ts";
import type { Days } from "../../feed/uptime.ts";
import { bestMirror, howToUse } from "./use.tsx";
import { breakable } from "./parts.tsx";
import { maxSections, type PageFeed, projectPath, systemPath } from "./links.ts";
import { pageDocument } from "./layout.tsx";
import { maintenanceSection } from "./maintenance.tsx";
import { pageState, summarize } from "./summary.ts";
import { isSearched, mirrorList } from "./mirror-list.tsx";
import { problemList } from "./problems.tsx";
import { mirrorTable, reportAttributes } from "./mirror-table.tsx";
import { nodeDetails } from "./node-section.tsx";
import { shortRef } from "./node-status.tsx";
import { stateHeading } from "./overview.tsx";
import { breadcrumbs, runHint } from "./places.tsx";
import { countStates } from "./states.ts";
import { feedLinks, subscribeMenu, subscriptionsOf } from "./subscribe.tsx";
import { sinceTime, timestamp } from "./timestamp.tsx";

/**
 * Returns the page of a target: the mirror to take, the table of its mirrors, and, if they are few, everything about each.
 * Nothing in it changes with every run.
 */
export function targetPage(feed: PageFeed, target: Target): string {
  const { system, project, reference } = target;
  const { shape, details: all } = summarize(feed, [target]);
  // The heading has said it.
  const undecided = feed.words.summary.undecided(countStates(feed, target.nodes).unknown);
  const details = all.filter((one) => one !== undecided);
  const sentence = headingOf(feed, target);
  const nodes = listOrder(feed, target.nodes);
  const days = new Map(nodes.map((node) => [node, node.days()]));
  const subscriptions = subscriptionsOf(feed, target);
  return pageDocument({
    feed,
    title: `${target.target} · ${system} / ${project}`,
    description: sentence,
    state: pageState(feed, [target]),
    hasStatuses: true,
    head: feedLinks(feed, subscriptions),
    children: (
      <>
        {breadcrumbs(
          feed,
          [
            [system, systemPath(system)],
            [project, projectPath(target)],
          ],
          target.target,
        )}
        {stateHeading({ shape, sentence, details })}
        {bestMirror(feed, target, nodes)}
        {isSearched(nodes) && problemList(feed, [target], "day")}
        <div {...reportAttributes(feed, target)}>
          {mirrorList(feed, nodes, mirrorTable(feed, target, nodes, days))}
          {maintenanceSection(feed, nodes)}
          <div class="state more">
            {reference !== undefined && referenceLine(feed, reference)}
            {reference?.rewritten.map((one) => rewrittenLine(feed, one))}
            {runHint(feed)}
            {subscribeMenu(feed, subscriptions)}
          </div>
          {target.size <= maxSections && nodes.map((node) => nodeSection(feed, node, days.get(node)))}
        </div>
        {howToUse(feed, target)}
      </>
    ),
  });
}

/** Returns the heading of a target. Mirrors without a verdict count as neither reachable nor not. */
function headingOf(feed: PageFeed, { target, nodes }: Target): string {
  const { target: words } = feed.words.mirrors;
  const { online, unknown } = countStates(feed, nodes);
  if (!feed.everReached) return words.nothingKnown(target);
  const sentence = words.heading(target, online, nodes.length);
  return unknown === 0 ? sentence : `${sentence}, ${words.undecided(unknown)}`;
}

function referenceLine(
  feed: PageFeed,
  { revision, branch, since }: NonNullable<Target["reference"]>,
): preact.JSX.Element {
  const { target: words } = feed.words.mirrors;
  return (
    <p class="reference">
      {words.referenceAt} <code>{revision}</code>
      {branch !== undefined && [` ${words.onBranch} `, <code>{shortRef(branch)}</code>]},{" "}
      {sinceTime(feed, since)}.
    </p>
  );
}

/** Renders a tag that was rewritten. A tag should always name the same object. */
function rewrittenLine(feed: PageFeed, { at, tag, from, to }: RewrittenTag): preact.JSX.Element {
  const { target: words } = feed.words.mirrors;
  return (
    <p class="reference">
      <b class="notice">
        {to === undefined ? words.vanished(shortRef(tag)) : words.rewritten(shortRef(tag))}
      </b>{" "}
      (<code>{from}</code>
      {to !== undefined && [` ${words.to} `, <code>{to}</code>]}), {timestamp(feed, at)}.
    </p>
  );
}

function nodeSection(feed: PageFeed, node: FeedNode, days: Days | undefined): preact.JSX.Element {
  return (
    <section class="evidence" id={`node-${node.id}`} data-node={node.id}>
      <h2>{breakable(node.name)}</h2>
      {nodeDetails(feed, node, days)}
    </section>
  );
}
