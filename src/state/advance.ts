import { group } from "../base/text/group.ts";
import { parseDuration } from "../base/text/duration.ts";
import type { Node } from "../config/nodes.ts";
import type { Config } from "../config/schema.ts";
import type { Status } from "../contract/network.ts";
import type { Observation } from "../probe/observation.ts";
import { clockToleranceMs } from "./clock.ts";
import { contentChanges, contentOf } from "./content.ts";
import {
  isContentCode,
  lastReachable,
  type RuledNode,
  wrongContent,
  type WrongContent,
} from "./content-rule.ts";
import { dayMs, daysKept } from "./counts.ts";
import { urlDigest, withoutFormerNodes } from "./identity.ts";
import { updateIncidents } from "./incidents.ts";
import { maintenanceReason } from "./maintenance.ts";
import { updateNodeCounts } from "./node-counts.ts";
import { onlineVantages } from "./online.ts";
import { keptReferences, moveReferences, type ReferenceMove } from "./reference.ts";
import { observationsOf, type Round, type VantageRound } from "./round.ts";
import {
  type NodeContent,
  type NodeState,
  runsKept,
  type State,
  type Transition,
  transitionsKept,
} from "./schema.ts";
import { damp, type DampedVerdict, evidence, vote } from "./verdict.ts";

export interface Advance {
  /** The vantages that were online. Empty if the round is void. */
  readonly online: readonly VantageRound[];
  /** In epoch milliseconds. Missing if the round is void, late or a repetition, and changes no verdict. */
  readonly decidedAt?: number | undefined;
  /** Unchanged if the round is void or was applied before. Undefined if there was none before a void round. */
  readonly state: State | undefined;
}

/**
 * Returns the state after a round. A void round, in which no vantage was online, changes nothing, and a round counts
 * only once. A round that is older than the last one, by more than clocks differ, adds to the counts and changes no
 * verdict. The history of an id with a new URL is removed.
 */
export function advance(
  config: Config,
  nodes: readonly Node[],
  round: Round,
  previous: State | undefined,
): Advance {
  const online = onlineVantages(nodes, round.vantages);
  if (online.length === 0 || previous?.runs.some(([run]) => run === round.run))
    return { online, state: previous };

  const known = previous && withoutFormerNodes(previous, nodes);
  const lastRun = known?.runs.at(-1)?.[1];
  const isLate = lastRun !== undefined && round.at < lastRun - clockToleranceMs;
  // A decision comes after earlier decisions, whatever the clocks.
  const at = isLate ? round.at : Math.max(round.at, lastRun ?? 0);
  const references = moveReferences(config, nodes, isLate ? undefined : round, online, known, at);
  const seenNodes = nodes.map((node): SeenNode => {
    const before = known?.nodes[node.id];
    const seen = observationsOf(online, node.id);
    const reference = references.get(node.place);
    const content = contentOf(node, before, { at, seen, refs: round.refs, reference });
    const wrong = wrongContent(node.freshness, content, reference?.after, at);
    const inMaintenance = maintenanceReason(config.maintenance, node, round.at) !== undefined;
    return { node, before, seen, reference, content, wrong, inMaintenance };
  });
  const run = { at, lastRun: Math.min(lastRun ?? at, at), exempt: exemptNodes(seenNodes) };
  const judgedNodes = Object.fromEntries(
    seenNodes.map((seen) => [seen.node.id, isLate && seen.before ? seen.before : judge(seen, run)]),
  );
  const frozen = new Set(seenNodes.flatMap(({ node, inMaintenance }) => (inMaintenance ? [node] : [])));
  const intervalMs = parseDuration(config.site.interval);
  const vantages = new Map(Object.entries(known?.vantages ?? {}));
  for (const { name, observations } of online) {
    const observed = (node: Node): Observation | undefined =>
      frozen.has(node) ? undefined : observations.get(node.id);
    vantages.set(name, updateNodeCounts(vantages.get(name), nodes, observed, round.at, intervalMs));
  }
  const keptVantages = [...vantages].filter(
    ([, { times }]) => round.at - (times.at(-1) ?? 0) < daysKept * dayMs,
  );
  const runs = [...(known?.runs ?? []), [round.run, round.at] satisfies [string, number]];
  return {
    online,
    decidedAt: isLate ? undefined : at,
    state: {
      schema: 1,
      runs: runs.sort(([, left], [, right]) => left - right).slice(-runsKept),
      nodes: judgedNodes,
      references: keptReferences(references, nodes.length),
      incidents: updateIncidents(known?.incidents, nodes, { before: known?.nodes, after: judgedNodes, at }),
      notifications: known?.notifications,
      vantages: Object.fromEntries(keptVantages),
    },
  };
}

interface SeenNode {
  readonly node: Node;
  readonly before: NodeState | undefined;
  readonly seen: readonly Observation[];
  readonly reference: ReferenceMove | undefined;
  readonly content: NodeContent;
  readonly wrong: WrongContent | undefined;
  readonly inMaintenance: boolean;
}

interface NodeRun {
  readonly at: number;
  /** The time of the previous run, or `at` on the first run. */
  readonly lastRun: number;
  /** Nodes that stay online whatever their content. */
  readonly exempt: ReadonlySet<number | undefined>;
}

/** Returns the one node to keep online of each target whose content would otherwise take all of its nodes offline. */
function exemptNodes(seenNodes: readonly SeenNode[]): Set<number | undefined> {
  const ruled = seenNodes.map(({ node, before, seen, inMaintenance, wrong }): [string, RuledNode] => {
    const voted = inMaintenance ? undefined : vote(seen.map(({ code }) => code))?.status;
    // One that fails now is not counted on, even if damping keeps it online.
    const isOnline = voted !== 0 && standingOf(before, voted, node.settings, true).status === 1;
    return [node.place, { id: node.id, isOnline, wrong: voted === 1 ? wrong : undefined }];
  });
  return new Set([...group(ruled).values()].map(lastReachable));
}

/**
 * Returns the verdict of a node after a vote. If it is the last reachable one, and was offline only for its content, a vote
 * for online counts at once.
 */
function standingOf(
  before: NodeState | undefined,
  voted: Status | undefined,
  { failureThreshold, successThreshold }: Node["settings"],
  isLast: boolean,
): DampedVerdict {
  if (before === undefined) return { status: voted ?? 1, streak: 0 };
  const isBackAtOnce = isLast && isContentCode(before.code);
  const damping = { failureThreshold, successThreshold: isBackAtOnce ? 1 : successThreshold };
  return damp({ status: before.status, streak: before.streak ?? 0 }, voted, damping);
}

function judge(
  { node: { id, url, settings }, before, seen, reference, content, wrong, inMaintenance }: SeenNode,
  run: NodeRun,
): NodeState {
  const { at, lastRun, exempt } = run;
  const evident = vote(seen.map(({ code }) => code));
  const isWrong = evident?.status === 1 && wrong !== undefined;
  const isExempt = isWrong && exempt.has(id);
  const ruled = isWrong && !isExempt ? { status: 0 as const, code: wrong.code } : evident;
  const voted = inMaintenance ? undefined : ruled;
  // Without a vote, only a code without evidence explains an unknown status.
  const code = voted?.code ?? seen.find((one) => evidence(one.code) === undefined)?.code;
  const standing = standingOf(before, voted?.status, settings, isExempt);
  const changed = before === undefined || standing.status !== before.status;
  // A status without evidence gets the first evidence that confirms it.
  const isConfirmed = evidence(before?.code) === undefined && voted?.status === standing.status;
  const isExplained = changed || isConfirmed;
  const transition: Transition[] =
    before === undefined || !changed || code === undefined ? [] : [[at, standing.status, code]];
  // In maintenance, only evidence for the kept status verifies it.
  const isVerified = voted !== undefined || evident?.status === standing.status;
  const unverifiedSince = before === undefined ? at : (before.unverified_since ?? lastRun);
  const explained = isExplained ? seen.find((one) => one.code === code) : before;
  const after: NodeState = {
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
    ...content,
    last_reachable: isExempt || undefined,
  };
  return { ...after, changes: contentChanges(before, after, reference, run) };
}
