import type { ShapeName } from "./shape.tsx";
import { formatCount, formatInteger, formatList } from "../text/count.ts";
import { type Feed, type Node, nodesOf, type Target } from "../model/feed.ts";

/** The state of some targets: a shape, a sentence, and further sentences. */
export interface Summary {
  readonly shape: ShapeName;
  readonly sentence: string;
  readonly details: readonly string[];
}

/** Up to this many unreachable targets are named. More are counted. */
const maxNamed = 3;

/** Returns the summary of some targets of a feed. */
export function summarize({ everReached }: Pick<Feed, "everReached">, targets: readonly Target[]): Summary {
  const nodes = nodesOf(targets);
  if (!everReached) {
    return {
      shape: "unknown",
      sentence: "Nothing is known yet.",
      details: [
        "No mirror was ever reached, so the prober itself was most likely offline.",
        "Until one is, every status is 0, and says nothing about the mirrors.",
      ],
    };
  }
  const count = (test: (node: Node) => boolean): number => nodes.filter(test).length;
  const online = count(({ status }) => status === 1);
  const offline = nodes.length - online;
  const unreachable = targets.filter((target) => countReachable(target) === 0);
  const undecided = count(({ code }) => code === undefined);
  const behind = count(({ freshness }) => freshness === "behind");
  const differing = count(({ freshness }) => freshness === "differs");
  const inMaintenance = count(({ maintenance }) => maintenance !== undefined);
  const notes = [
    ...note(undecided, "has no verdict yet", "have no verdict yet"),
    ...note(behind, "is behind", "are behind"),
    ...note(differing, "differs", "differ"),
    ...note(inMaintenance, "is in maintenance", "are in maintenance"),
  ];
  if (offline === 0) return { shape: "online", sentence: allReachable(nodes.length), details: notes };
  if (online === 0) {
    const sentence = nodes.length === 1 ? "The only mirror is offline." : "No mirror is reachable.";
    const all =
      nodes.length === 1
        ? []
        : [`${nodes.length === 2 ? "Both" : `All ${formatInteger(nodes.length)}`} are offline.`];
    return { shape: "offline", sentence, details: [...all, ...notes] };
  }
  const offlineNodes = `${formatInteger(offline)} of ${formatInteger(nodes.length)} mirrors ${offline === 1 ? "is" : "are"} offline`;
  if (unreachable.length === 0) {
    const still = targets.length > 1 ? ["Every target still has a reachable mirror."] : [];
    return { shape: "some", sentence: `${offlineNodes}.`, details: [...still, ...notes] };
  }
  const sentence =
    unreachable.length > maxNamed
      ? `${formatInteger(unreachable.length)} of ${formatInteger(targets.length)} targets have no reachable mirror.`
      : `No mirror of ${formatList(
          unreachable.map(({ target }) => target),
          "or",
        )} is reachable.`;
  return { shape: "offline", sentence, details: [`${offlineNodes}.`, ...notes] };
}

/** Returns how many nodes of a target are reachable. */
export function countReachable({ nodes }: Target): number {
  return nodes.filter(({ status }) => status === 1).length;
}

/** Returns the shape of a target: `online` if all its nodes are reachable, `some` if only some are. */
export function targetShape({ everReached }: Feed, target: Target): ShapeName {
  const online = countReachable(target);
  if (!everReached) return "unknown";
  if (online === 0) return "offline";
  return online === target.nodes.length ? "online" : "some";
}

function allReachable(nodes: number): string {
  if (nodes === 1) return "The only mirror is reachable.";
  return nodes === 2 ? "Both mirrors are reachable." : `All ${formatInteger(nodes)} mirrors are reachable.`;
}

function note(count: number, one: string, many: string): string[] {
  return count === 0 ? [] : [`${formatCount(count, "mirror")} ${count === 1 ? one : many}.`];
}
