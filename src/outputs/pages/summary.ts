import { type FeedNode, nodesOf, type Target } from "../../feed/feed.ts";
import { countStates } from "./node-status.tsx";
import { isOverview, type PageFeed } from "./page-feed.ts";
import type { ShapeName } from "./parts.tsx";

export interface Summary {
  readonly shape: ShapeName;
  readonly sentence: string;
  readonly details: readonly string[];
}

/** Up to this many unreachable targets are named. More are counted. */
const maxNamed = 3;

/**
 * Says "all" or "both" only if every mirror has a verdict and the vantages agree. That changes with every run, so with
 * several vantages only the overview says so.
 */
export function summarize(feed: PageFeed, targets: readonly Target[]): Summary {
  const { summary: words } = feed.words;
  if (!feed.everReached) {
    return { shape: "unknown", sentence: words.nothingKnown, details: words.neverReached };
  }
  const nodes = nodesOf(targets);
  const total = nodes.length;
  const states = countStates(feed, nodes);
  const { online, offline, unknown } = states;
  const disputed = isOverview(feed) ? nodes.filter(isDisputed) : [];
  const disagreeing = disputed.length;
  const isAgreed = disagreeing === 0 && (isOverview(feed) || feed.vantages.length < 2);
  const note = (count: number, text: (count: number) => string): string[] =>
    count === 0 ? [] : [text(count)];
  const notes = [
    ...note(disagreeing, words.disagreeing),
    ...note(unknown, words.undecided),
    ...(["behind", "differs", "maintenance"] as const).flatMap((state) => note(states[state], words[state])),
  ];
  if (unknown === total) {
    return { shape: "unknown", sentence: words.noVerdicts, details: total === 1 ? [] : notes };
  }
  if (online === total && disagreeing === 0) {
    const all = total === 2 ? words.bothReachable : words.allReachable(total);
    const sentence = total === 1 ? words.onlyReachable : isAgreed ? all : words.noneOffline;
    return { shape: "online", sentence, details: notes };
  }
  if (offline === 0) {
    const sure = online - countStates(feed, disputed).online;
    if (sure === 0)
      return { shape: "some", sentence: words.disagreeing(disagreeing), details: notes.slice(1) };
    const text = disagreeing === 0 ? words.reachable : words.reachableEverywhere;
    return { shape: "some", sentence: text(sure, total), details: notes };
  }
  if (offline === total && (disagreeing === 0 || total === 1)) {
    const all = total === 1 || !isAgreed ? [] : [total === 2 ? words.bothOffline : words.allOffline(total)];
    const sentence = total === 1 ? words.onlyOffline : words.noneReachable;
    return { shape: "offline", sentence, details: [...all, ...notes] };
  }
  const unreachable = targets.filter((target) => targetShape(feed, target) === "offline");
  const offlineText = words.offline(offline, total);
  if (unreachable.length === 0 || targets.length === 1) {
    const isEach =
      targets.length > 1 && targets.every((target) => countStates(feed, target.nodes).online > 0);
    const shape = online === 0 ? "offline" : "some";
    return { shape, sentence: offlineText, details: [...(isEach ? [words.everyTarget] : []), ...notes] };
  }
  const sentence =
    unreachable.length > maxNamed
      ? words.unreachableTargets(unreachable.length, targets.length)
      : words.unreachableTarget(unreachable.map(({ target }) => target));
  return { shape: "offline", sentence, details: [offlineText, ...notes] };
}

/** Returns the shape of a target: a node without a verdict is not reachable. */
export function targetShape(feed: PageFeed, { nodes }: Target): ShapeName {
  const { online, offline } = countStates(feed, nodes);
  if (online === nodes.length) return "online";
  if (offline === nodes.length) return "offline";
  return online > 0 ? "some" : "unknown";
}

export function isDisputed({ observed }: FeedNode): boolean {
  return observed.votes !== undefined;
}

export interface PageState {
  readonly shape: ShapeName;
  /** A few words, such as `2 offline`. */
  readonly text: string;
}

export function pageState(feed: PageFeed, targets: readonly Target[]): PageState {
  const { pageState: words, number } = feed.words;
  const { offline, unknown } = countStates(feed, nodesOf(targets));
  if (offline > 0) {
    const isUnreachable = targets.some((target) => targetShape(feed, target) === "offline");
    return { shape: isUnreachable ? "offline" : "some", text: words.offline(number.integer(offline)) };
  }
  if (unknown > 0) return { shape: "unknown", text: words.unknown(number.integer(unknown)) };
  return { shape: "online", text: words.online };
}
