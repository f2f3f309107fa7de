import { transitionsKept } from "../state/document.ts";
import { type Node, nodesOf, type Target, type Transition } from "./feed.ts";

/** A change of a node's status, with the node. */
export interface NodeTransition extends Transition {
  readonly node: Node;
}

/** Returns the newest transitions in these targets, the newest first; those of one time in the order of the nodes. */
export function newestTransitions(targets: readonly Target[], max: number): NodeTransition[] {
  return nodesOf(targets)
    .flatMap((node) => whole(node.transitions).map((one) => ({ ...one, node })))
    .sort((left, right) => (left.at > right.at ? -1 : left.at < right.at ? 1 : 0))
    .slice(0, max);
}

/**
 * Returns those of which all is known that ever was. If as many are there as are kept, the one before the last of them is
 * forgotten, and with it how long the status before it lasted.
 */
function whole(transitions: readonly Transition[]): readonly Transition[] {
  return transitions.length < transitionsKept ? transitions : transitions.slice(0, -1);
}
