import { dayMs } from "../../state/counts.ts";
import type { Feed, FeedNode } from "../../feed/feed.ts";
import { type StateName, stateNames } from "../../base/text/state-names.ts";

/** A certificate is mentioned if it expires in fewer days. */
export const certificateDays = 14;

/** The part of a feed that states depend on. */
export interface StatesFeed extends Pick<Feed, "everReached"> {
  readonly run: Pick<Feed["run"], "generated_at">;
}

/** Returns the states of a node, the worst first. Exactly one of them is `offline`, `unknown` or `online`. */
export function statesOf(feed: StatesFeed, node: FeedNode): readonly StateName[] {
  const has: Readonly<Record<StateName, boolean>> = {
    offline: verdictOf(feed, node) === "offline",
    behind: node.freshness === "behind",
    differs: node.freshness === "differs",
    maintenance: node.maintenance !== undefined,
    certificate:
      node.tls_expires_at !== undefined && certificateDaysLeft(feed, node.tls_expires_at) < certificateDays,
    unknown: verdictOf(feed, node) === "unknown",
    online: verdictOf(feed, node) === "online",
  };
  return stateNames.filter((state) => has[state]);
}

/** Returns whether a node is online. Without a code there is no verdict, and its status is only assumed. */
export function verdictOf(
  { everReached }: Pick<Feed, "everReached">,
  { status, code }: Pick<FeedNode, "status" | "code">,
): "online" | "offline" | "unknown" {
  if (!everReached || code === undefined) return "unknown";
  return status === 1 ? "online" : "offline";
}

/** Returns the days that are left until a certificate expires, from the start of the feed's day. Negative afterwards. */
export function certificateDaysLeft({ run }: Pick<StatesFeed, "run">, expiresAt: string): number {
  return (Date.parse(expiresAt) - Date.parse(run.generated_at.slice(0, 10))) / dayMs;
}

/** Returns the number of nodes in each state. */
export function countStates(
  feed: StatesFeed,
  nodes: readonly FeedNode[],
): Readonly<Record<StateName, number>> {
  const counts = { offline: 0, behind: 0, differs: 0, maintenance: 0, certificate: 0, unknown: 0, online: 0 };
  for (const node of nodes) for (const state of statesOf(feed, node)) counts[state] += 1;
  return counts;
}

/** Returns the attributes of the row of a mirror, on whichever page. The search, the chips and the sort read them. */
export function rowAttributes(
  feed: StatesFeed,
  node: FeedNode,
): Readonly<Record<`data-${string}`, string | number | undefined>> {
  return {
    "data-item": "",
    "data-node": node.id,
    "data-states": statesOf(feed, node).join(" "),
    "data-uptime": node.uptime["90d"].ratio,
    "data-latency": node.mean_latency_ms && Math.round(node.mean_latency_ms),
  };
}
