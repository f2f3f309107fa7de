import { formatCount, formatInteger, formatList } from "../../core/base/text/count.ts";
import { dayMs, formatDuration } from "../../core/base/text/time.ts";
import { attentionStates, type MirrorState, mirrorStates } from "../../core/verdict/mirror-state.ts";
import { type ContentCode, contentCodeNames } from "../../core/kinds/mirror-content.ts";
import { nodesOf, type Target } from "../../core/feed/feed.ts";
import type { PageFeed } from "./page-feed.ts";
import { verdictShape } from "./shapes.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import { type Verdict, verdictOf } from "../../core/feed/verdict.ts";

/** A state, or a problem with the content. Headlines count the mirrors in each condition. */
export type Condition = MirrorState | ContentCode;

const conditions: readonly Condition[] = mirrorStates.flatMap((state): readonly Condition[] =>
  state === "wrong" ? [...contentCodeNames, state] : [state],
);

/** If more targets than this have no good mirror, the headline counts them instead of naming them. */
const maxNamed = 3;

const predicates: Readonly<Record<Condition, readonly [one: string, more: string]>> = {
  offline: ["is offline", "are offline"],
  missing_file: ["is missing a file", "are missing a file"],
  wrong_size: ["has a file of the wrong size", "have a file of the wrong size"],
  half_synced: ["is half synced", "are half synced"],
  expired: ["has an expired index", "have expired indexes"],
  no_fetch: ["does not serve what it lists", "do not serve what they list"],
  wrong: ["has wrong content", "have wrong content"],
  differs: ["differs from its reference", "differ from their reference"],
  behind: ["is behind", "are behind"],
  maintenance: ["is in maintenance", "are in maintenance"],
  unknown: ["is still unknown", "are still unknown"],
  online: ["is reachable", "are reachable"],
};

function predicate(count: number, condition: Condition): string {
  return predicates[condition][count === 1 ? 0 : 1];
}

/** Mirrors are up to date only if each is known to be, and no target has a warning, such as that it has expired. */
function goodPredicate(targets: readonly Target[]): string {
  const online = nodesOf(targets).filter(({ state }) => state === "online");
  const isUpToDate =
    online.every(({ freshness }) => freshness === "in_sync") &&
    targets.every(({ warnings }) => warnings.length === 0);
  if (!isUpToDate) return predicate(online.length, "online");
  return online.length === 1 ? "is up and up to date" : "are up and up to date";
}

/** Follows “No mirror” if the best mirror is in this state. */
const better: Readonly<Record<MirrorState, string>> = {
  offline: "is reachable",
  wrong: "has the right content",
  differs: "matches its reference",
  behind: "is up to date",
  maintenance: "is reachable and not in maintenance",
  unknown: "is known to be reachable yet",
  online: "is offline",
};

/** Returns a sentence as it continues after a colon. */
export function afterColon(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

function mirrors(count: number): string {
  return formatCount(count, "mirror");
}

function allMirrors(total: number): string {
  if (total === 1) return "The only mirror";
  return total === 2 ? "Both mirrors" : `All ${mirrors(total)}`;
}

/** Sums up targets in one sentence. `details` are further sentences. */
export function summarize(feed: PageFeed, targets: readonly Target[]) {
  const verdict = verdictOf(targets);
  const shape = verdictShape(verdict);
  if (!feed.everReached) {
    const details = [
      "No mirror has ever been reached, so the prober itself was probably offline.",
      "Until one is reached, every status is 0 and says nothing about the mirrors.",
    ];
    return { shape, sentence: "Nothing is known yet.", details };
  }
  const { state, total, attention } = verdict;
  const nodes = nodesOf(targets);
  const found = nodes.map((node) => (node.state === "wrong" ? wrongContentOf(node) : node.state));
  const counts = countFound(conditions, found);
  const disputed = nodes.filter(({ disagreement }) => disagreement !== undefined).length;
  const disputes = disputed === 0 ? [] : [`The locations disagree about ${mirrors(disputed)}.`];
  const counted = counts
    .filter(([condition]) => condition !== "online")
    .map(([condition, count], index) =>
      index === 0 && attention > 0
        ? `${formatInteger(count)} of ${mirrors(total)} ${predicate(count, condition)}.`
        : `${mirrors(count)} ${predicate(count, condition)}.`,
    );
  const behind = leastBehind(feed, nodes);
  if (state === "behind" && behind >= dayMs) {
    const every = total === 1 ? "The only" : verdict.counts.offline > 0 ? "Every reachable" : "Every";
    const sentence = `${every} mirror is at least ${formatDuration(behind)} behind.`;
    return { shape, sentence, details: [...counted.slice(0, -1), ...disputes] };
  }
  const [worst] = counts;
  if (worst?.[1] === total) {
    const isAgreed = disputed === 0 || total === 1;
    const shared = state === "online" ? goodPredicate(targets) : predicate(total, worst[0]);
    const sentence = isAgreed ? `${allMirrors(total)} ${shared}.` : `No mirror ${better[state]}.`;
    return { shape, sentence, details: disputes };
  }
  if (state !== "online") {
    return { shape, sentence: withoutGood(targets, state), details: [...counted, ...disputes] };
  }
  if (attention === 0) {
    const { online } = verdict.counts;
    const sentence = `${formatInteger(online)} of ${mirrors(total)} ${goodPredicate(targets)}.`;
    return { shape, sentence, details: [...disputes, ...counted] };
  }
  const isGood = (target: Target): boolean => verdictOf([target]).state === "online";
  const everyTarget =
    targets.length > 1 && targets.every(isGood) ? ["Every target still has a good mirror."] : [];
  const affected = `${formatInteger(attention)} of ${mirrors(total)} need attention.`;
  const [sentence = "", ...others] = worst?.[1] === attention ? counted : [affected, ...counted];
  return { shape, sentence, details: [...everyTarget, ...others, ...disputes] };
}

/** Counts each name in `found`, in the order of `names`. Leaves out names that don't occur. */
export function countFound<Name>(names: readonly Name[], found: readonly Name[]) {
  return names
    .map((name) => [name, found.filter((one) => one === name).length] as const)
    .filter(([, count]) => count > 0);
}

/** Returns `wrong` if this version of mirrorfeed doesn't know the code. */
export function wrongContentOf({ content_code }: FeedNode): ContentCode | "wrong" {
  return contentCodeNames.find((code) => code === content_code) ?? "wrong";
}

/** Says which targets, or how many, have no mirror in a better state. */
function withoutGood(targets: readonly Target[], state: MirrorState): string {
  if (targets.length === 1) return `No mirror ${better[state]}.`;
  const names = targets.filter((target) => verdictOf([target]).state === state).map(({ target }) => target);
  return names.length > maxNamed
    ? `${formatInteger(names.length)} of ${formatInteger(targets.length)} targets have no mirror that ${better[state]}.`
    : `No mirror of ${formatList(names, "or")} ${better[state]}.`;
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

/** For the browser's tab, such as `2 offline`: the verdict's state or, if that is fine, the worst state of a mirror. */
export function pageState(verdict: Verdict) {
  const { state, counts } = verdict;
  const faults = attentionStates.filter((one) => counts[one] > 0);
  const [worst = state] = faults.includes(state) ? [state] : faults;
  const count = counts[worst];
  const text = worst === "online" ? "Online" : `${formatInteger(count)} ${shortState(worst, count)}`;
  return { shape: verdictShape(verdict), text };
}

function shortState(state: MirrorState, count: number): string {
  if (state === "maintenance") return "in maintenance";
  return state === "differs" && count !== 1 ? "differ" : state;
}
