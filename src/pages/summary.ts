import type { ShapeName } from "./shape.tsx";
import { formatCount, formatInteger, formatList } from "../text/count.ts";
import { type Feed, nodesOf, type Target } from "../model/feed.ts";

/** The state of some targets: a shape, a sentence, and what is to be said beside it. */
export interface Summary {
  readonly shape: ShapeName;
  readonly sentence: string;
  readonly beside: readonly string[];
}

/** More targets than these are counted, not named. */
const maxNamed = 3;

/** What some targets of a feed come to. */
export function summarize({ everReached }: Pick<Feed, "everReached">, targets: readonly Target[]): Summary {
  const nodes = nodesOf(targets);
  if (!everReached) {
    return {
      shape: "unknown",
      sentence: "Nothing is known yet.",
      beside: [
        "The prober has never reached anything, so it was most likely offline itself.",
        "Until it does every status is 0, which accuses no mirror.",
      ],
    };
  }
  const online = nodes.filter(({ status }) => status === 1).length;
  const offline = nodes.length - online;
  const unreachable = targets.filter((target) => reachable(target) === 0);
  const undecided = nodes.filter(({ code }) => code === undefined).length;
  const behind = nodes.filter(({ freshness }) => freshness === "behind").length;
  const differing = nodes.filter(({ freshness }) => freshness === "differs").length;
  const inMaintenance = nodes.filter(({ maintenance }) => maintenance !== undefined).length;
  const notes = [
    ...(undecided > 0
      ? [`${formatCount(undecided, "mirror")} ${undecided === 1 ? "has" : "have"} no verdict yet.`]
      : []),
    ...(behind > 0 ? [`${formatCount(behind, "mirror")} ${isOrAre(behind)} behind.`] : []),
    ...(differing > 0
      ? [`${formatCount(differing, "mirror")} ${differing === 1 ? "differs" : "differ"}.`]
      : []),
    ...(inMaintenance > 0
      ? [`${formatCount(inMaintenance, "mirror")} ${isOrAre(inMaintenance)} in maintenance.`]
      : []),
  ];
  if (offline === 0) return { shape: "online", sentence: allReachable(nodes.length), beside: notes };
  if (online === 0) {
    const sentence = nodes.length === 1 ? "The only mirror is offline." : "No mirror is reachable.";
    const all =
      nodes.length === 1
        ? []
        : [`${nodes.length === 2 ? "Both" : `All ${formatInteger(nodes.length)}`} are offline.`];
    return { shape: "offline", sentence, beside: [...all, ...notes] };
  }
  const offlineNodes = `${formatInteger(offline)} of ${formatInteger(nodes.length)} mirrors ${isOrAre(offline)} offline`;
  if (unreachable.length === 0) {
    const still = targets.length > 1 ? ["Every target still has a reachable mirror."] : [];
    return { shape: "some", sentence: `${offlineNodes}.`, beside: [...still, ...notes] };
  }
  const sentence =
    unreachable.length > maxNamed
      ? `${formatInteger(unreachable.length)} of ${formatInteger(targets.length)} targets have no reachable mirror.`
      : `No mirror of ${formatList(
          unreachable.map(({ target }) => target),
          "or",
        )} is reachable.`;
  return { shape: "offline", sentence, beside: [`${offlineNodes}.`, ...notes] };
}

/** How many nodes of a target are reachable. */
export function reachable({ nodes }: Target): number {
  return nodes.filter(({ status }) => status === 1).length;
}

/** The shape of a target: a disc where all its nodes are reachable, a half one where some are. */
export function targetShape({ everReached }: Feed, target: Target): ShapeName {
  const online = reachable(target);
  if (!everReached) return "unknown";
  if (online === 0) return "offline";
  return online === target.nodes.length ? "online" : "some";
}

function allReachable(nodes: number): string {
  if (nodes === 1) return "The only mirror is reachable.";
  return nodes === 2 ? "Both mirrors are reachable." : `All ${formatInteger(nodes)} mirrors are reachable.`;
}

function isOrAre(count: number): string {
  return count === 1 ? "is" : "are";
}
