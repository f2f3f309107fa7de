import { freshnesses, type Mirror } from "./documents.ts";

/**
 * The mirrors, the best first: reachable before unreachable, those in maintenance after the others, then by freshness, then by the latency that the prober
 * saw, those without one last, then as the feed has them. None is left out.
 */
export function rank(mirrors: readonly Mirror[]): Mirror[] {
  return [...mirrors].sort(
    (left, right) => right.status - left.status || lag(left) - lag(right) || wait(left) - wait(right),
  );
}

/** Any freshness comes before a maintenance, in which nothing can be relied on. */
function lag({ freshness = "unknown", maintenance }: Mirror): number {
  return maintenance ? freshnesses.length : freshnesses.indexOf(freshness);
}

/** Finite, since the difference of two infinities is no number. */
function wait({ latency_ms = 1e9 }: Mirror): number {
  return latency_ms;
}
