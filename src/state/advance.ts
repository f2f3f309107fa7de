import type { Node } from "../config/nodes.ts";
import type { Config } from "../config/schema.ts";
import type { Observation } from "../probe/observation.ts";
import { group } from "../base/text/group.ts";
import { parseDuration } from "../base/text/duration.ts";
import { clockToleranceMs } from "./clock.ts";
import { dayMs, daysKept } from "./counts.ts";
import { type NodeState, type State, type Transition, transitionsKept } from "./document.ts";
import { contentOf, keptReferences, moveReferences, type NodeContent, patternsOf } from "./content.ts";
import {
  isContentCode,
  lastReachable,
  type RuledNode,
  wrongContent,
  type WrongContent,
} from "./content-rule.ts";
import { contentChanges } from "./content-changes.ts";
import { updateIncidents } from "./incidents.ts";
import { urlDigest, withoutFormerUrls } from "./identity.ts";
import { nodesInMaintenance } from "./maintenance.ts";
import { onlineVantages } from "./online.ts";
import type { Round, VantageRound } from "./round.ts";
import { updateNodeCounts } from "./node-counts.ts";
import type { Status } from "../contract/network.ts";
import { damp, type DampedVerdict, evidence, vote } from "./verdict.ts";

/** The result of applying a round to the state. */
export interface Advance {
  /** The vantages that were online. Empty if the round is void. */
  readonly online: readonly VantageRound[];
  /** When the round was decided (epoch milliseconds). Missing if it changes no verdict: if it is void, late or a repetition. */
  readonly decidedAt?: number | undefined;
  /** The unchanged state if the round is void or was applied before. Undefined if it is void and there was no state. */
  readonly state: State | undefined;
}

const runsKept = 64;

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

  const known = previous && withoutFormerUrls(previous, nodes);
  const lastRun = known?.runs.at(-1)?.[1];
  const isLate = lastRun !== undefined && round.at < lastRun - clockToleranceMs;
  // A decision comes after earlier decisions, whatever the clocks.
  const at = isLate ? round.at : Math.max(round.at, lastRun ?? 0);
  const references = moveReferences(config, nodes, isLate ? undefined : round, online, known, at);
  const frozen = nodesInMaintenance(config.maintenance, nodes, round.at);
  const seenNodes = nodes.map((node): SeenNode => {
    const before = known?.nodes[node.id];
    const seen = online
      .map(({ observations }) => observations.get(node.id))
      .filter((one) => one !== undefined);
    const inMaintenance = frozen.has(node);
    const reference = references.get(node.place);
    const patterns = patternsOf(node);
    const content = contentOf(before, { at, url: node.url, seen, refs: round.refs, reference, patterns });
    const wrong = wrongContent(node.freshness, content, reference?.after, at);
    return { node, before, seen, inMaintenance, content, wrong };
  });
  const exempt = exemptNodes(seenNodes);
  const run = { at, lastRun: Math.min(lastRun ?? at, at), exempt };
  const judged = seenNodes.map((seenNode): [string, NodeState] => {
    const { node, before } = seenNode;
    if (before !== undefined && isLate) return [String(node.id), before];
    const after = judge(seenNode, run);
    const changes = contentChanges(before, after, references.get(node.place), run);
    return [String(node.id), { ...after, changes }];
  });
  const judgedNodes = Object.fromEntries(judged);
  const intervalMs = parseDuration(config.site.interval);
  const tallied = online.map(({ name, observations }) => {
    const observed = (node: Node): Observation | undefined =>
      frozen.has(node) ? undefined : observations.get(node.id);
    const before =
      known !== undefined && Object.hasOwn(known.vantages, name) ? known.vantages[name] : undefined;
    return [name, updateNodeCounts(before, nodes, observed, round.at, intervalMs)] as const;
  });
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
      vantages: { ...keptVantages(known, nodes, round.at), ...Object.fromEntries(tallied) },
    },
  };
}

/** What a run says of one node. */
interface SeenNode {
  readonly node: Node;
  readonly before: NodeState | undefined;
  readonly seen: readonly Observation[];
  readonly inMaintenance: boolean;
  readonly content: NodeContent;
  readonly wrong: WrongContent | undefined;
}

/** What a run says of all nodes. */
interface NodeRun {
  readonly at: number;
  /** The time of the previous run, or its own if there is none. */
  readonly lastRun: number;
  /** The nodes that stay online whatever their content is. */
  readonly exempt: ReadonlySet<number | undefined>;
}

/** Returns the last reachable node of each target whose content would make all others offline, and it too. */
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
  { node: { id, url, settings }, before, seen, inMaintenance, content, wrong }: SeenNode,
  { at, lastRun, exempt }: NodeRun,
): NodeState {
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
  const isBorneOut = evidence(before?.code) === undefined && voted?.status === standing.status;
  const isExplained = before === undefined || changed || isBorneOut;
  const transition: Transition[] =
    before === undefined || !changed || code === undefined ? [] : [[at, standing.status, code]];
  // In maintenance, only evidence for the kept status verifies it.
  const isVerified = voted !== undefined || evident?.status === standing.status;
  const explained = isExplained ? seen.find((one) => one.code === code) : before;
  return {
    url: urlDigest(url, settings.kind),
    status: standing.status,
    since: changed ? at : before.since,
    code: isExplained ? code : before.code,
    http_status: explained?.http_status,
    phase: explained?.phase,
    cause: explained?.cause,
    streak: standing.streak || undefined,
    transitions: [...(before?.transitions ?? []), ...transition].slice(-transitionsKept),
    unverified_since: isVerified
      ? undefined
      : before === undefined
        ? at
        : (before.unverified_since ?? lastRun),
    ...content,
    last_reachable: isExempt || undefined,
  };
}

/** Returns the vantages without removed nodes, and without those whose last day is no longer kept. */
function keptVantages(previous: State | undefined, nodes: readonly Node[], at: number): State["vantages"] {
  const kept = Object.entries(previous?.vantages ?? {}).filter(
    ([, { times }]) => at - (times.at(-1) ?? 0) < daysKept * dayMs,
  );
  return Object.fromEntries(
    kept.map(([name, { times, nodes: tallies }]) => {
      const own = nodes.flatMap(({ id }) => {
        const one = tallies[id];
        return one === undefined ? [] : [[String(id), one] as const];
      });
      return [name, { times, nodes: Object.fromEntries(own) }] as const;
    }),
  );
}
