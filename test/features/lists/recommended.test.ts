import fc from "fast-check";
import { expect, test } from "vitest";
import type { FeedNode } from "../../../src/core/feed/feed-node.ts";
import { targetsOf } from "../../../src/core/feed/feed.ts";
import { mirrorStates } from "../../../src/core/verdict/mirror-state.ts";
import { freshnesses, rank } from "../../../src/core/verdict/rank.ts";
import { bestNearby, bestOf, isRecommendable } from "../../../src/features/lists/lists.ts";
import { trials } from "../../support/trials.ts";
import { manyMirrorsFeed } from "../pages/feeds.ts";

const { feed } = manyMirrorsFeed(9);
const at = feed.run.generated_at;
const [target] = targetsOf(feed.systems);
if (target === undefined) throw new Error("the feed has no target");

const change = fc.record({
  country: fc.constantFrom("DE", "FR", undefined),
  state: fc.constantFrom("online", "online", ...mirrorStates),
  freshness: fc.constantFrom("in_sync", ...freshnesses),
  notice: fc.constantFrom(undefined, undefined, undefined, "disks"),
  mean_latency_ms: fc.constantFrom(undefined, 5, 70, 900),
  primary: fc.boolean(),
  uptime: fc.constantFrom(1, 1, 0.97, 0.6).map((ratio) => {
    const window = { ratio, coverage: 1 };
    return { "24h": window, "7d": window, "30d": window, "90d": window };
  }),
});

/** Whether the ranking prefers neither mirror if latency and primary don't count. */
function areEqual(one: FeedNode, other: FeedNode): boolean {
  const bare = [one, other].map((node) => ({ ...node, mean_latency_ms: 1, primary: false }));
  const first = (nodes: typeof bare): number | undefined => rank(nodes, at)[0]?.id;
  return one.id === other.id || first(bare) !== first(bare.toReversed());
}

test("nearby is who is as good as the best mirror but for its latency, and the fastest of its country", () => {
  fc.assert(
    fc.property(fc.array(change, { minLength: 9, maxLength: 9 }), (changes) => {
      const nodes = target.nodes.map((node, index): FeedNode => ({ ...node, ...changes[index] }));
      const best = bestOf(feed, { ...target, nodes });
      const nearby = bestNearby(feed, { ...target, nodes });
      const good = nodes.filter(isRecommendable);
      const equals = best && isRecommendable(best) ? good.filter((node) => areEqual(node, best)) : [];
      for (const { country, node } of nearby) {
        expect(equals).toContain(node);
        expect(node).toBe(rank(equals, at).find((one) => one.country === country));
      }
      const countries = new Set(equals.flatMap(({ country }) => country ?? []));
      expect(nearby.map(({ country }) => country).sort()).toEqual([...countries].sort());
    }),
    { numRuns: trials(500) },
  );
});
