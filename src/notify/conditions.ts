import type { Node } from "../config/nodes.ts";
import type { EventName } from "../config/notify.ts";
import type { Config } from "../config/schema.ts";
import { isContentCode } from "../state/content-rule.ts";
import { dayMs } from "../state/counts.ts";
import type { NodeState, NotifiedEvent, Reference, State } from "../state/schema.ts";
import { freshnessOf } from "../state/freshness.ts";
import { maintenanceReason } from "../state/maintenance.ts";

/** A mirror of a condition. */
export interface ConditionNode {
  /** Undefined stands for the whole feed. */
  readonly node: Node | undefined;
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

/** The state before and after a run. */
export interface StateMove {
  readonly before: State | undefined;
  readonly after: State;
}

/** Returns all that is so after a run at a time (epoch milliseconds), except for the age of the feed. */
export function conditionsOf(
  { maintenance }: Pick<Config, "maintenance">,
  nodes: readonly Node[],
  { before, after }: StateMove,
  at: number,
): Condition[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const isInMaintenance = (node: Node): boolean => maintenanceReason(maintenance, node, at) !== undefined;
  const conditionNode = (node: Node, since: number): ConditionNode => ({
    node,
    since,
    isFrozen: isInMaintenance(node),
  });
  const incidents = Object.entries(after.incidents ?? {}).flatMap(([incident, one]): Condition[] => {
    const members = one.outages.flatMap(([id, from, to]): ConditionNode[] => {
      const node = byId.get(id);
      return node === undefined || to !== undefined ? [] : [conditionNode(node, from)];
    });
    return members.length === 0 ? [] : [{ event: "offline", incident, nodes: members }];
  });
  const inIncident = new Set(incidents.flatMap((one) => one.nodes.map(({ node }) => node)));
  const ofNodes = nodes.flatMap((node): Condition[] => {
    const stored = after.nodes[node.id];
    if (stored === undefined) return [];
    const conditions = [
      ...(inIncident.has(node) ? [] : offlineAlone(stored)),
      ...contentConditions(stored, after.references[node.place], at),
    ];
    return conditions.map(([event, since, isUnknown = false]) => ({
      event,
      nodes: [{ node, since, isFrozen: isUnknown || isInMaintenance(node) }],
    }));
  });
  return [...incidents, ...ofNodes, ...rewrittenTags(nodes, { before, after }, conditionNode)];
}

/** An event of a mirror, since when it is so, and whether it is unknown if it still is. */
type NodeCondition = readonly [event: EventName, since: number, isUnknown?: boolean];

/** A mirror that was never online has no incident, nor has one that went offline before there were any. */
function offlineAlone({ status, code, since, transitions }: NodeState): NodeCondition[] {
  if (status === 1) return [];
  return [[transitions.length === 0 && !isContentCode(code) ? "never_online" : "offline", since]];
}

/** The content of a mirror that is offline is unknown, and so is one that cannot be compared. */
function contentConditions(
  stored: NodeState,
  reference: Reference | undefined,
  at: number,
): readonly NodeCondition[] {
  const { status, content_code, tls_expires_at } = stored;
  const certificate: NodeCondition[] = tls_expires_at === undefined ? [] : [["certificate", tls_expires_at]];
  if (status === 0)
    return [...certificate, ["behind", at, true], ["differs", at, true], ["wrong_content", at, true]];
  const freshness = freshnessOf(stored, reference);
  const wrong: NodeCondition[] =
    content_code === undefined ? [] : [["wrong_content", sinceOf(stored, content_code, at)]];
  const others = [...certificate, ...wrong];
  if (freshness.state === "behind") return [...others, ["behind", freshness.behindSince]];
  if (freshness.state === "unknown") return [...others, ["behind", at, true], ["differs", at, true]];
  return stored.differs === true ? [...others, ["differs", sinceOf(stored, "differs", at)]] : others;
}

/** Returns since when content is wrong. Without a reference only the log of changes knows. */
function sinceOf({ content_since, changes = [] }: NodeState, code: string, at: number): number {
  return content_since ?? changes.findLast(([, known]) => known === code)?.[0] ?? at;
}

/** Returns the tags that this run found rewritten. They are about the primary mirror, or all of a target without one. */
function rewrittenTags(
  nodes: readonly Node[],
  { before, after }: StateMove,
  conditionNode: (node: Node, since: number) => ConditionNode,
): Condition[] {
  return Object.entries(after.references).flatMap(([place, { rewritten = [] }]) => {
    const known = new Set(
      (before?.references[place]?.rewritten ?? []).map(([moved, ref]) => `${moved} ${ref}`),
    );
    const found = rewritten.filter(([moved, ref]) => !known.has(`${moved} ${ref}`));
    if (found.length === 0) return [];
    const own = nodes.filter((node) => node.place === place);
    const primary = own.filter(({ primary }) => primary);
    return found.map(([moved, ref]): Condition => ({
      event: "rewritten",
      place,
      ref,
      nodes: (primary.length > 0 ? primary : own).map((node) => conditionNode(node, moved)),
    }));
  });
}

/** Returns when a certificate begins to expire soon, counted from the start of a day, as on the pages. */
export function certificateSince(expiry: number, days: number): number {
  return Math.floor((expiry - days * dayMs) / dayMs) * dayMs + dayMs;
}
