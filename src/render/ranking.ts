import type { Days, NodeHistory, TargetHistory } from "./report-schema.ts";

/**
 * What the reference had once is older, but it is the reference's. What the reference never had may be newer or its
 * own; of what is unknown not even that is certain: it may be an empty repository.
 */
const freshnessOrder: Readonly<Record<NodeHistory["freshness"], number>> = {
  in_sync: 0,
  behind: 1,
  differs: 2,
  unknown: 3,
};

/** How many whole days the latency is the mean of. */
const daysMeasured = 7;

/**
 * The nodes of a target, the best first: those that are online, of them those that are in no maintenance; then by
 * freshness, by the lasting latency, the primary before the others; else in the order of the network. Only what lasts
 * decides, so that the order is the same until a status, a revision, a maintenance or the day changes.
 */
export function rankNetwork({ primary, network }: TargetHistory): NodeHistory[] {
  return network
    .map((node) => ({ node, rank: rankOf(node, primary) }))
    .sort((left, right) => compare(left.rank, right.rank))
    .map(({ node }) => node);
}

function rankOf(node: NodeHistory, primary: number | undefined): number[] {
  return [
    1 - node.status,
    node.maintenance === undefined ? 0 : 1,
    freshnessOrder[node.freshness],
    latencyClass(node.days),
    node.id === primary ? 0 : 1,
  ];
}

/**
 * The mean latency of the last days by its power of two, so that a few milliseconds do not reorder a network every
 * day; infinite where none was measured.
 */
function latencyClass(days: Days | undefined): number {
  const means = (days?.latency_ms.mean ?? []).slice(-daysMeasured).filter((mean) => mean !== null);
  if (means.length === 0) return Infinity;
  const mean = means.reduce((total, one) => total + one, 0) / means.length;
  return Math.floor(Math.log2(Math.max(1, mean)));
}

function compare(left: readonly number[], right: readonly number[]): number {
  const place = left.findIndex((value, index) => value !== right[index]);
  return (left[place] ?? 0) - (right[place] ?? 0);
}
