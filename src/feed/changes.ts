import { transitionsKept } from "../state/schema.ts";
import { type ContentChange, type FeedNode, nodesOf, type Target, type Transition } from "./feed.ts";

/** A change of a node, with the node. */
type OfNode<Change> = Change & { readonly node: FeedNode };

/** A change of a node's status, with the node. */
export type NodeTransition = OfNode<Transition>;

/** A change of a node's freshness or certificate, with the node. */
export type NodeContentChange = OfNode<ContentChange>;

/** Returns up to `max` transitions of the targets, newest first. Those of one time are in the order of the nodes. */
export function newestTransitions(targets: readonly Target[], max: number): NodeTransition[] {
  return newest(targets, max, ({ transitions }) => withCompleteRecord(transitions));
}

/** Returns up to `max` changes of freshness and certificates of the targets, in the same order. */
export function newestContentChanges(targets: readonly Target[], max: number): NodeContentChange[] {
  return newest(targets, max, ({ changes }) => changes);
}

function newest<Change extends { readonly at: string }>(
  targets: readonly Target[],
  max: number,
  changesOf: (node: FeedNode) => readonly Change[],
): OfNode<Change>[] {
  return nodesOf(targets)
    .flatMap((node) => changesOf(node).map((one) => ({ ...one, node })))
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
