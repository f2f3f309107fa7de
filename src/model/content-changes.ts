import type { NodeState } from "../state/document.ts";
import { type ContentChange, type Node, nodesOf, type Target } from "./feed.ts";
import { isoTimestamp, timestampIfAny } from "./timestamp.ts";

/** A change of a node's freshness or certificate, with the node. */
export interface NodeContentChange extends ContentChange {
  readonly node: Node;
}

/** Returns the changes of freshness and certificates that a state has of a node, newest first. */
export function contentChangesOf(stored: NodeState | undefined): ContentChange[] {
  const changes = stored?.changes ?? [];
  return changes
    .map(([at, code, expiry]) => ({ at: isoTimestamp(at), code, expires_at: timestampIfAny(expiry) }))
    .reverse();
}

/** Returns up to `max` of these changes of the targets, newest first. Those of one time are in the order of the nodes. */
export function newestContentChanges(targets: readonly Target[], max: number): NodeContentChange[] {
  return nodesOf(targets)
    .flatMap((node) => node.changes.map((one) => ({ ...one, node })))
    .sort((left, right) => (left.at > right.at ? -1 : left.at < right.at ? 1 : 0))
    .slice(0, max);
}
