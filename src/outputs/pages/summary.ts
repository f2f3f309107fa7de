import { attentionStates } from "../../contract/mirror-state.ts";
import { dayMs, type FeedNode, nodesOf, type Target, type Verdict, verdictOf } from "../../feed/feed.ts";
import { countConditions } from "./conditions.ts";
import type { PageFeed } from "./page-feed.ts";
import { type ShapeName, verdictShape } from "./shapes.ts";

export interface Summary {
  readonly shape: ShapeName;
  readonly sentence: string;
  readonly details: readonly string[];
}

/** If more targets than this have no good mirror, the headline counts them instead of naming them. */
const maxNamed = 3;

/** Sums up targets in one sentence. `details` are further sentences. */
export function summarize(feed: PageFeed, targets: readonly Target[]): Summary {
  const { summary: words, number } = feed.words;
  const verdict = verdictOf(targets);
  const shape = verdictShape(verdict);
  if (!feed.everReached) return { shape, sentence: words.nothingKnown, details: words.neverReached };
  const { state, total, attention } = verdict;
  const nodes = nodesOf(targets);
  const counts = countConditions(nodes);
  const disputed = nodes.filter(({ disagreement }) => disagreement !== undefined).length;
  const disputes = disputed === 0 ? [] : [words.disagreeing(disputed)];
  const counted = counts
    .filter(([condition]) => condition !== "online")
    .map(([condition, count], index) =>
      index === 0 && attention > 0 ? words.some(count, total, condition) : words.count(count, condition),
    );
  const behind = leastBehind(feed, nodes);
  if (state === "behind" && behind >= dayMs) {
    const sentence = words.allBehind(total, number.duration(behind), verdict.counts.offline > 0);
    return { shape, sentence, details: [...counted.slice(0, -1), ...disputes] };
  }
  const [worst] = counts;
  if (worst?.[1] === total) {
    const isAgreed = disputed === 0 || total === 1;
    const notAll = state === "online" ? words.noneOffline : words.none([], state);
    return { shape, sentence: isAgreed ? words.all(total, worst[0]) : notAll, details: disputes };
  }
  if (state !== "online") {
    const without = targets.filter((target) => verdictOf([target]).state === state);
    const names = targets.length === 1 ? [] : without.map(({ target }) => target);
    const sentence =
      names.length > maxNamed
        ? words.targetsWithout(without.length, targets.length, state)
        : words.none(names, state);
    return { shape, sentence, details: [...counted, ...disputes] };
  }
  if (attention === 0) {
    const sentence = words.some(verdict.counts.online, total, "online");
    return { shape, sentence, details: [...disputes, ...counted] };
  }
  const [only = "", ...others] = counted;
  const isGood = (target: Target): boolean => verdictOf([target]).state === "online";
  const everyTarget = targets.length > 1 && targets.every(isGood) ? [words.everyTarget] : [];
  return worst?.[1] === attention
    ? { shape, sentence: only, details: [...everyTarget, ...others, ...disputes] }
    : {
        shape,
        sentence: words.attention(attention, total),
        details: [...everyTarget, ...counted, ...disputes],
      };
}

/**
 * Returns for how long (milliseconds) every mirror that isn't offline has been behind. Returns 0 or less if one of them
 * isn't behind. Counts up to the start of the last run's day, so that the sentence changes only once a day.
 */
function leastBehind({ run }: PageFeed, nodes: readonly FeedNode[]): number {
  const since = nodes
    .filter(({ state }) => state !== "offline")
    .map(({ state, behind_since }) => (state === "behind" && behind_since) || run.generated_at)
    .sort();
  return Date.parse(run.generated_at.slice(0, 10)) - Date.parse(since.at(-1) ?? run.generated_at);
}

/**
 * Returns the state for the browser's tab, such as `2 offline`: the verdict's state or, if that needs no attention, the
 * worst state of a mirror that does.
 */
export function pageState(
  { words }: PageFeed,
  verdict: Verdict,
): { readonly shape: ShapeName; readonly text: string } {
  const { state, counts } = verdict;
  const faults = attentionStates.filter((one) => counts[one] > 0);
  const [worst = state] = faults.includes(state) ? [state] : faults;
  return { shape: verdictShape(verdict), text: words.pageState(worst, counts[worst]) };
}
