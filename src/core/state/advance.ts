import { dayMs, parseDuration } from "../base/text/time.ts";
import { group } from "../base/text/group.ts";
import type { Config } from "../config/config-schema.ts";
import { maintenanceReason, type Node } from "../config/nodes.ts";
import { type ContentRun, contentsAfter, type ObservedNode } from "./content.ts";
import { type AnsweringNode, lastReachable, wrongContent } from "./content-rule.ts";
import type { NodeContent, Reference } from "./content-schema.ts";
import { daysKept } from "./counts.ts";
import { withNodes } from "./identity.ts";
import { updateNodeCounts } from "./node-counts.ts";
import { damp, nodeAfter, type RuledNode, vote } from "./node-state.ts";
import { onlineVantages } from "./online.ts";
import { updateIncidents } from "./outages.ts";
import { keptReferences } from "./room.ts";
import { clockToleranceMs, observationsOf, type Round, type VantageRound } from "./round.ts";
import { type NodeState, runsKept, type State } from "./state-schema.ts";

export type Advance = Readonly<ReturnType<typeof advance>>;

/**
 * Applies a round to the previous state. A void round (no vantage was online) and a round that was already applied
 * change nothing. A late round, older than the last one by more than the clock tolerance, only adds to the counts.
 */
export function advance(config: Config, nodes: readonly Node[], round: Round, previous: State | undefined) {
  const online: readonly VantageRound[] = onlineVantages(nodes, round.vantages);
  if (online.length === 0 || previous?.runs.some(([run]) => run === round.run))
    return { online, decidedAt: undefined, replaced: new Set<number>(), state: previous };

  const lastRun = previous?.runs.at(-1)?.[1] ?? round.at;
  const isLate = round.at < lastRun - clockToleranceMs;
  // Clocks differ slightly, so a run that seems a little older than the last one gets the last one's time.
  const at = isLate ? round.at : Math.max(round.at, lastRun);
  const { state: known, replaced } = previous
    ? withNodes(previous, nodes, Math.max(at, lastRun))
    : { replaced: new Set<number>() };
  const { refs, history } = round;
  const intervalMs = parseDuration(config.site.interval);
  const frozen = new Set(nodes.filter((node) => maintenanceReason(config.maintenance, node, round.at)));
  const run = { at, lastRun: Math.min(lastRun, at), refs, history, isLate, frozen };
  const byPlace = group(
    nodes.map((node): [string, ObservedNode] => [
      node.place,
      { node, before: known?.nodes[node.id], seen: observationsOf(online, node.id) },
    ]),
  );
  const targets = [...byPlace].map(([place, own]) => targetAfter(place, own, known?.references[place], run));
  const judgedNodes = Object.fromEntries(targets.flatMap((target) => target.nodes));
  const tallied = new Map(Object.entries(known?.vantages ?? {}));
  for (const { name, observations } of online) {
    const observed = (node: Node) => (frozen.has(node) ? undefined : observations.get(node.id));
    tallied.set(name, updateNodeCounts(tallied.get(name), nodes, observed, round.at, intervalMs));
  }
  const vantages = [...tallied].filter(([, { times }]) => round.at - (times.at(-1) ?? 0) < daysKept * dayMs);
  const runs = [...(known?.runs ?? []), [round.run, round.at] satisfies [string, number]];
  return {
    /** Empty if the round is void. */
    online,
    /** In epoch milliseconds. Undefined if the round changes no verdict. */
    decidedAt: isLate ? undefined : at,
    /** The ids that belong to other mirrors than before the round. */
    replaced,
    state: {
      schema: 1 as const,
      runs: runs.sort(([, left], [, right]) => left - right).slice(-runsKept),
      nodes: judgedNodes,
      references: keptReferences(targets, nodes.length),
      incidents: updateIncidents(known?.incidents, nodes, { before: known?.nodes, after: judgedNodes, at }),
      former: known?.former,
      vantages: Object.fromEntries(vantages),
    },
  };
}

/** Returns a target's reference after a run, and its nodes by id. */
function targetAfter(
  place: string,
  own: readonly ObservedNode[],
  before: Reference | undefined,
  { isLate, frozen, ...run }: ContentRun & { readonly isLate: boolean; readonly frozen: ReadonlySet<Node> },
) {
  const { reference, contents } = isLate
    ? { reference: before, contents: new Map<number, NodeContent>() }
    : contentsAfter(own, before, run);
  const hasPrimary = own.some(({ node }) => node.primary);
  const isFollowed = own.some(({ node }) => !node.primary && contents.get(node.id)?.freshness === "in_sync");
  const target = { reference, isFollowed, mirrors: hasPrimary ? own.length - 1 : undefined };
  const ruled = own.map((one): RuledNode => {
    const { node, seen } = one;
    const evident = vote(seen.map(({ code }) => code));
    const content = contents.get(node.id) ?? {};
    const wrong = evident?.status === 1 ? wrongContent(node.freshness, content, target, run.at) : undefined;
    // A primary is behind only while it stands alone, and nobody knows then who is right.
    const isSpared = wrong?.isSpared === true || (node.primary && wrong?.code === "behind");
    const inMaintenance = frozen.has(node);
    return { ...one, evident, content, inMaintenance, wrong: isSpared ? undefined : wrong, isSpared };
  });
  const last = lastReachable(ruled.flatMap(answeringNode), run.at);
  const nodes = ruled.map((one): [number, NodeState] => {
    const { id } = one.node;
    return [id, isLate && one.before ? one.before : nodeAfter(one, id === last, run)];
  });
  return { place, reference, nodes };
}

/** Returns a node if it answers, and so may be the one that its target keeps online. */
function answeringNode(one: RuledNode): AnsweringNode[] {
  const { node, before, evident, inMaintenance, wrong, content } = one;
  const { id, settings } = node;
  // An answer that proves nothing, such as 429, leaves an online node online.
  if (evident === undefined)
    return before?.status === 1
      ? [{ id, isOnline: true, isWrong: before.kept_online !== undefined, content }]
      : [];
  if (evident.status === 0 || (inMaintenance && before?.status === 0)) return [];
  const isOnline = inMaintenance || damp(before, 1, settings).status === 1;
  return [{ id, isOnline, isWrong: wrong !== undefined && !inMaintenance, content }];
}
