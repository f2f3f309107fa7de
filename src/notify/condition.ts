import type { EventName } from "../config/notify.ts";
import type { NetworkNode } from "../config/nodes.ts";
import type { NotifiedEvent } from "../state/notification-document.ts";

/** A mirror of a condition. */
export interface ConditionNode {
  /** Undefined stands for the whole feed. */
  readonly node: NetworkNode | undefined;
  /** Since when it is so, in epoch milliseconds. Of a certificate: when it expires. */
  readonly since: number;
  /** In maintenance, or if it is unknown whether it is still so: nothing begins and nothing ends. */
  readonly isFrozen: boolean;
}

/** Something that is so now, and that a rule can be about. */
export interface Condition {
  readonly event: EventName;
  readonly incident?: string | undefined;
  readonly place?: string | undefined;
  readonly ref?: string | undefined;
  readonly nodes: readonly ConditionNode[];
  /** The mirrors of an incident that have come back since the last run. */
  readonly left?: readonly NetworkNode[];
}

/** The events without an end. */
export const momentary: ReadonlySet<string> = new Set<EventName>(["rewritten"]);

/**
 * Returns what tells the conditions of one time apart, or the events about them, by the id of their first mirror. It is the same
 * in each run as long as a condition lasts.
 */
export function conditionKey(
  { event, incident, place, ref }: Pick<NotifiedEvent, "event" | "incident" | "place" | "ref">,
  node: number | undefined,
): string {
  const subject = incident ?? (place === undefined ? node : [place, ref]);
  return JSON.stringify([event, subject ?? null]);
}
