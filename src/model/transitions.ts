import { transitionsKept } from "../state/document.ts";
import { type Node, nodesOf, type Target, type Transition } from "./feed.ts";

/** A change of a node's status, with the node. */
export interface NodeTransition extends Transition {
  readonly node: Node;
}

/** Returns up to `max` transitions of the targets, newest first. Those of one time are in the order of the nodes. */
export function newestTransitions(targets: readonly Target[], max: number): NodeTransition[] {
  return nodesOf(targets)
    .flatMap((node) => withCompleteRecord(node.transitions).map((one) => ({ ...one, node })))
    .sort((left, right) => (left.at > right.at ? -1 : left.at < right.at ? 1 : 0))
    .slice(0, max);
}

/**
 * Returns the transitions that will never lose a field. The state keeps a limited number. At that number the oldest one has
 * lost its predecessor, and so its `after_seconds`. It is left out, since a published entry must not change.
 */
function withCompleteRecord(transitions: readonly Transition[]): readonly Transition[] {
  return transitions.length < transitionsKept ? transitions : transitions.slice(0, -1);
}
