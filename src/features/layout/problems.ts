import { group } from "../../core/base/text/group.ts";
import { attentionStates } from "../../core/verdict/mirror-state.ts";
import type { Target } from "../../core/feed/feed.ts";
import { expiringCertificate, stateSince } from "./node-status.tsx";
import type { PageFeed } from "./page-feed.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import { verdictOf } from "../../core/feed/verdict.ts";

/** Mirrors at one host with the same problem share a line if there are at least this many. */
const minGroup = 3;

export const problemStates = [...attentionStates, "certificate"];

export type ProblemGroup = readonly [FeedNode, ...FeedNode[]];

/** Returns the mirrors with problems, worst first. Many mirrors of a host with the same problem are one group. */
export function problemGroups(feed: PageFeed, targets: readonly Target[]): ProblemGroup[] {
  const rated = targets.flatMap((target) => {
    const isReachable = verdictOf([target]).state !== "offline";
    return target.nodes.map((node) => ({ node, severity: severityOf(feed, node, isReachable) }));
  });
  const problems = rated
    .filter(({ severity }) => severity >= 0)
    .sort((left, right) => left.severity - right.severity)
    .map(({ node }) => node);
  return groupByHost(feed, problems);
}

/** Returns 0 for the worst problem, that no mirror of a target is reachable, and -1 if there is no problem. */
function severityOf(feed: PageFeed, node: FeedNode, isTargetReachable: boolean): number {
  return [
    node.state === "offline" && !isTargetReachable,
    ...attentionStates.map((state) => node.state === state),
    node.disagreement !== undefined,
    expiringCertificate(feed, node) !== undefined,
  ].indexOf(true);
}

export function groupByHost(feed: PageFeed, nodes: readonly FeedNode[]): ProblemGroup[] {
  const groups = group(nodes.map((node) => [`${node.host} ${faultOf(feed, node)}`, node] as const));
  return [...groups.values()].flatMap((own): ProblemGroup[] =>
    own.length < minGroup ? own.map((node) => [node]) : [own],
  );
}

function faultOf(feed: PageFeed, node: FeedNode): string {
  const { state, code, content_code, maintenance, disagreement } = node;
  const expiry = expiringCertificate(feed, node);
  // For wrong or different content, ignores the time, because runs can find the same problem at a different time on
  // each mirror.
  const since = state === "offline" || state === "behind" ? stateSince(node) : undefined;
  return JSON.stringify([state, code, content_code, since, maintenance, disagreement, expiry]);
}
