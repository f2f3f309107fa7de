import { group } from "../base/text/group.ts";
import { parseDuration, dayMs } from "../base/text/duration.ts";
import type { Node } from "../config/nodes.ts";
import type { Config } from "../config/config-schema.ts";
import type { Status } from "../contract/network.ts";
import type { Observation } from "../probe/observation.ts";
import { clockToleranceMs } from "./clock.ts";
import { contentsAfter, type ObservedNode } from "./content.ts";
import { contentChanges } from "./content-changes.ts";
import { type AnsweringNode, lastReachable, wrongContent, type WrongContent } from "./content-rule.ts";
import { daysKept } from "./counts.ts";
import { urlDigest, withNodes } from "./identity.ts";
import { updateIncidents } from "./outages.ts";
import { maintenanceReason } from "./maintenance.ts";
import { updateNodeCounts } from "./node-counts.ts";
import { onlineVantages } from "./online.ts";
import { keptReferences, shownName } from "./room.ts";
import { observationsOf, type Round, type VantageRound } from "./round.ts";
import type { NodeContent } from "./content-schema.ts";
import type { Reference } from "./reference-schema.ts";
import { type NodeState, runsKept, type State, type Transition, transitionsKept } from "./state-schema.ts";
import { damp, type DampedVerdict, vote } from "./decide-status.ts";
import { evidence } from "../kinds/kinds.ts";

export interface Advance {
  /** Empty if the round is void. */
  readonly online: readonly VantageRound[];
  /**
   * In epoch milliseconds. Undefined if the round is void, late or already applied, since such a round changes no
   * verdict.
   */
  readonly decidedAt?: number | undefined;
  /** The state after the round. After a void or already applied round, it is the previous state, if any. */
  readonly state: State | undefined;
  /** The ids that belong to other mirrors than before the round. */
  readonly replaced: ReadonlySet<number>;
}

/**
 * Applies a round to the previous state. A void round (no vantage was online) and a round that was already applied
 * change nothing. A late round, older than the last one by more than the clock tolerance, adds to the counts but
 * changes no verdict. The history of nodes that have left the feed, or have another URL, is set aside.
 */
export function advance(
  config: Config,
  nodes: readonly Node[],
  round: Round,
  previous: State | undefined,
): Advance {
  const online = onlineVantages(nodes, round.vantages);
  if (online.length === 0 || previous?.runs.some(([run]) => run === round.run))
    return { online, state: previous, replaced: new Set() };

  const lastRun = previous?.runs.at(-1)?.[1];
  const isLate = lastRun !== undefined && round.at < lastRun - clockToleranceMs;
  // Clocks differ slightly, so a run that seems a little older than the last one gets the last one's time.
  const at = isLate ? round.at : Math.max(round.at, lastRun ?? 0);
  const { state: known, replaced } = previous
    ? withNodes(previous, nodes, Math.max(at, lastRun ?? 0))
    : { replaced: new Set<number>() };
  const run = { at, lastRun: Math.min(lastRun ?? at, at) };
  const observedNodes = nodes.map((node): ObservedNode => {
    return { node, before: known?.nodes[node.id], seen: observationsOf(online, node.id) };
  });
  const targets = [...group(observedNodes.map((one) => [one.node.place, one] as const))].map(
    ([place, own]): RuledTarget => {
      const before = known?.references[place];
      const { reference, contents } = isLate
        ? { reference: before, contents: new Map<number, NodeContent>() }
        : contentsAfter(own, before, { ...run, refs: round.refs, history: round.history });
      return { place, reference, nodes: ruledNodes(config, own, { reference, contents }, round.at, at) };
    },
  );
  const ruled = targets.flatMap((target) => target.nodes);
  const last = lastNodes(targets, at);
  const judgedNodes = Object.fromEntries(
    ruled.map((seen) => [seen.node.id, isLate && seen.before ? seen.before : judge(seen, { ...run, last })]),
  );
  const runs = [...(known?.runs ?? []), [round.run, round.at] satisfies [string, number]];
  return {
    online,
    decidedAt: isLate ? undefined : at,
    replaced,
    state: {
      schema: 1,
      runs: runs.sort(([, left], [, right]) => left - right).slice(-runsKept),
      nodes: judgedNodes,
      references: keptReferences(
        targets.map(({ place, reference }) => [place, reference]),
        nodes.length,
      ),
      incidents: updateIncidents(known?.incidents, nodes, { before: known?.nodes, after: judgedNodes, at }),
      former: known?.former,
      vantages: vantagesAfter(known?.vantages, online, ruled, round.at, parseDuration(config.site.interval)),
    },
  };
}

/** A target's reference, and its nodes with what their content means for them. */
interface RuledTarget {
  readonly place: string;
  readonly reference: Reference | undefined;
  readonly nodes: readonly RuledNode[];
}

interface RuledNode extends ObservedNode {
  readonly evident: ReturnType<typeof vote>;
  readonly content: NodeContent;
  readonly inMaintenance: boolean;
  readonly wrong: WrongContent | undefined;
  readonly isSpared: boolean;
}

/** `roundAt` is the time of the round, and `at` that of its verdicts. */
function ruledNodes(
  { maintenance }: Config,
  own: readonly ObservedNode[],
  { reference, contents }: ReturnType<typeof contentsAfter>,
  roundAt: number,
  at: number,
): RuledNode[] {
  const hasPrimary = own.some(({ node }) => node.primary);
  const isFollowed = own.some(({ node }) => !node.primary && contents.get(node.id)?.freshness === "in_sync");
  const target = { reference, isFollowed, mirrors: hasPrimary ? own.length - 1 : undefined };
  return own.map((one): RuledNode => {
    const evident = vote(one.seen.map(({ code }) => code));
    const content = contents.get(one.node.id) ?? {};
    const wrong = evident?.status === 1 ? wrongContent(one.node.freshness, content, target, at) : undefined;
    // A primary is behind only while it stands alone, and nobody knows then who is right.
    const isSpared = wrong?.isSpared === true || (one.node.primary && wrong?.code === "behind");
    const inMaintenance = maintenanceReason(maintenance, one.node, roundAt) !== undefined;
    return { ...one, evident, content, inMaintenance, wrong: isSpared ? undefined : wrong, isSpared };
  });
}

/** Counts what each online vantage saw, and drops vantages whose last day is no longer kept. */
function vantagesAfter(
  known: State["vantages"] | undefined,
  online: readonly VantageRound[],
  ruled: readonly RuledNode[],
  at: number,
  intervalMs: number,
): State["vantages"] {
  const nodes = ruled.map(({ node }) => node);
  const frozen = new Set(ruled.flatMap(({ node, inMaintenance }) => (inMaintenance ? [node] : [])));
  const vantages = new Map(Object.entries(known ?? {}));
  for (const { name, observations } of online) {
    const observed = (node: Node): Observation | undefined =>
      frozen.has(node) ? undefined : observations.get(node.id);
    vantages.set(name, updateNodeCounts(vantages.get(name), nodes, observed, at, intervalMs));
  }
  return Object.fromEntries(
    [...vantages].filter(([, { times }]) => at - (times.at(-1) ?? 0) < daysKept * dayMs),
  );
}

interface NodeRun {
  readonly at: number;
  /** The time of the previous run, or `at` on the first run. */
  readonly lastRun: number;
  /** The nodes that stay or become online only because their target would have no online node otherwise. */
  readonly last: ReadonlySet<number>;
}

/** For each target that would otherwise have no online node, picks one answering node, which is then online. */
function lastNodes(targets: readonly RuledTarget[], at: number): Set<number> {
  const last = targets.map(({ nodes }) => {
    const answering = nodes.flatMap((one): AnsweringNode[] => {
      const { node, before, evident, inMaintenance, wrong, content } = one;
      const { id } = node;
      // An answer that proves nothing, such as 429, leaves an online node online.
      if (evident === undefined)
        return before?.status === 1
          ? [{ id, isOnline: true, isWrong: before.kept_online !== undefined, content }]
          : [];
      if (evident.status === 0 || (inMaintenance && before?.status === 0)) return [];
      const isOnline = inMaintenance || standingOf(before, 1, node.settings).status === 1;
      return [{ id, isOnline, isWrong: wrong !== undefined && !inMaintenance, content }];
    });
    return lastReachable(answering, at);
  });
  return new Set(last.filter((id) => id !== undefined));
}

function standingOf(
  before: NodeState | undefined,
  voted: Status | undefined,
  damping: Parameters<typeof damp>[2],
): DampedVerdict {
  return before === undefined
    ? { status: voted ?? 1, streak: 0 }
    : damp({ status: before.status, streak: before.streak ?? 0 }, voted, damping);
}

function judge(
  { node, before, seen, evident, content, wrong, isSpared, inMaintenance }: RuledNode,
  run: NodeRun,
): NodeState {
  const { id, name, url, settings } = node;
  const { at, lastRun, last } = run;
  const ruled = wrong === undefined || last.has(id) ? evident : { status: 0 as const, code: wrong.code };
  const voted = inMaintenance ? undefined : ruled;
  // Without a vote, takes a code that proves nothing, such as `rate_limited`, if any vantage saw one.
  const code = voted?.code ?? seen.find((one) => evidence(one.code) === undefined)?.code;
  const { failureThreshold } = settings;
  const damping = last.has(id) ? { failureThreshold, successThreshold: 1 } : settings;
  const standing = standingOf(before, voted?.status, damping);
  const changed = before === undefined || standing.status !== before.status;
  // A status that was set without evidence takes its code from the first evidence that confirms it.
  const isConfirmed = evidence(before?.code) === undefined && voted?.status === standing.status;
  const isExplained = changed || isConfirmed;
  const transition: Transition[] =
    before === undefined || !changed || code === undefined || evidence(before.code) === undefined
      ? []
      : [[at, standing.status, code]];
  // During maintenance, there is no vote and the status is frozen. It counts as verified only if the evidence agrees
  // with it.
  const isVerified = voted !== undefined || evident?.status === standing.status;
  const unverifiedSince = before === undefined ? at : (before.unverified_since ?? lastRun);
  const explained = isExplained ? seen.find((one) => one.code === code) : before;
  const after: NodeState = {
    ...content,
    name: shownName(name),
    url: urlDigest(url, settings.kind),
    status: standing.status,
    since: changed ? at : before.since,
    code: isExplained ? code : before.code,
    http_status: explained?.http_status,
    phase: explained?.phase,
    cause: explained?.cause,
    streak: standing.streak || undefined,
    transitions: [...(before?.transitions ?? []), ...transition].slice(-transitionsKept),
    unverified_since: isVerified ? undefined : unverifiedSince,
    kept_online:
      voted?.status !== 1 || standing.status !== 1
        ? undefined
        : isSpared
          ? "primary_alone"
          : wrong && "last_reachable",
  };
  return { ...after, changes: contentChanges(before, after, run) };
}
