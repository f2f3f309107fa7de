import type { NetworkNode } from "../config/nodes.ts";
import type { Config } from "../config/schema.ts";
import type { Observation } from "../probe/observation.ts";
import { dayMs, daysKept } from "./counts.ts";
import { type NodeState, type State, type Transition, transitionsKept } from "./document.ts";
import { moveReference, type Reference, referenceTip, type Tip } from "./freshness.ts";
import { maintenanceReason } from "./maintenance.ts";
import type { Round, VantageRound } from "./round.ts";
import { tally } from "./tally.ts";
import { damp, evidence, isOnline, type Status, vote } from "./verdict.ts";

/** What a round made of the state. */
export interface Advance {
  /** The vantages that were online; none where the round is void. */
  readonly online: readonly VantageRound[];
  /** The state as it was where the round is void or was applied before; undefined where it is void and there was none. */
  readonly state: State | undefined;
}

const runsKept = 64;

/**
 * The state after a round. A round in which no vantage was online is void, and one that was applied before counts
 * once: both leave the state as it was. A round older than the last one adds to the counts and changes no verdict.
 */
export function advance(
  config: Config,
  nodes: readonly NetworkNode[],
  round: Round,
  previous: State | undefined,
): Advance {
  const online = round.vantages.filter((vantage) => isOnline(nodes, vantage));
  if (online.length === 0 || previous?.runs.some(([run]) => run === round.run))
    return { online, state: previous };

  const isLate = (previous?.runs.at(-1)?.[1] ?? 0) > round.at;
  const judged = nodes.map((node): [string, NodeState] => {
    const before = previous?.nodes[node.id];
    const inMaintenance = maintenanceReason(config.maintenance, node, round.at) !== undefined;
    const seen = online
      .map(({ observations }) => observations.get(node.id))
      .filter((one) => one !== undefined);
    return [
      String(node.id),
      before !== undefined && isLate ? before : judge(node, before, seen, inMaintenance, round.at),
    ];
  });
  const references = config.systems.flatMap(({ system, projects }) =>
    projects.flatMap(({ project, targets }) =>
      targets.flatMap(({ target, primary, network }): [string, State["references"][string]][] => {
        const key = `${system}/${project}/${target}`;
        const before = previous?.references[key];
        const tips = isLate ? [] : network.flatMap(({ id }) => tipOf(id, online));
        const tip = referenceTip(tips, primary, network.length);
        const after = tip === undefined ? before : moveReference(before, tip, round.at);
        return after === undefined ? [] : [[key, fromReference(after)]];
      }),
    ),
  );
  const intervalMs = config.site.intervalMinutes * 60_000;
  const tallied = online.map(({ name, observations }) => {
    const observed = (node: NetworkNode): Observation | undefined =>
      maintenanceReason(config.maintenance, node, round.at) === undefined
        ? observations.get(node.id)
        : undefined;
    const before =
      previous !== undefined && Object.hasOwn(previous.vantages, name) ? previous.vantages[name] : undefined;
    return [name, tally(before, nodes, observed, round.at, intervalMs)] as const;
  });
  const runs = [...(previous?.runs ?? []), [round.run, round.at] satisfies [string, number]];
  return {
    online,
    state: {
      schema: 1,
      runs: runs.sort(([, left], [, right]) => left - right).slice(-runsKept),
      nodes: Object.fromEntries(judged),
      references: Object.fromEntries(references),
      vantages: { ...keptVantages(previous, nodes, round.at), ...Object.fromEntries(tallied) },
    },
  };
}

/** Every node's status by its id. Where there is no state nothing was ever reached: everything is offline. */
export function statusesOf(nodes: readonly NetworkNode[], state: State | undefined): Map<number, Status> {
  return new Map(nodes.map(({ id }) => [id, state === undefined ? 0 : (state.nodes[id]?.status ?? 1)]));
}

function judge(
  { settings }: NetworkNode,
  before: NodeState | undefined,
  seen: readonly Observation[],
  inMaintenance: boolean,
  at: number,
): NodeState {
  const voted = inMaintenance ? undefined : vote(seen.map(({ code }) => code));
  // Without a vote only a code that explains why there is none goes with a status of which nothing is known.
  const code = voted?.code ?? seen.find((one) => evidence(one.code) === undefined)?.code;
  const standing =
    before === undefined
      ? { status: voted?.status ?? (1 as const), streak: 0 }
      : damp(before, voted?.status, settings);
  const changed = before === undefined || standing.status !== before.status;
  // A status that was assumed, since nothing told, gets the first evidence that bears it out.
  const isBorneOut = evidence(before?.code) === undefined && voted?.status === standing.status;
  const isExplained = before === undefined || changed || isBorneOut;
  const transition: Transition[] =
    before === undefined || !changed || code === undefined ? [] : [[at, standing.status, code]];
  return {
    status: standing.status,
    since: changed ? at : before.since,
    code: isExplained ? code : before.code,
    httpStatus: isExplained ? seen.find((one) => one.code === code)?.http_status : before.httpStatus,
    streak: standing.streak,
    transitions: [...(before?.transitions ?? []), ...transition].slice(-transitionsKept),
    ...contentOf(before, seen),
  };
}

/** The revision, its branch and the certificate's expiry: those seen now, else those seen last. */
function contentOf(
  before: NodeState | undefined,
  seen: readonly Observation[],
): Pick<NodeState, "revision" | "branch" | "tlsExpiresAt"> {
  const good = seen.find(({ code }) => evidence(code) === 1);
  const { revision, branch } = good ?? before ?? {};
  const expiry = seen.find(({ tls_expires_at }) => tls_expires_at !== undefined)?.tls_expires_at;
  return {
    revision,
    branch: revision === undefined ? undefined : (branch ?? ""),
    tlsExpiresAt: expiry === undefined ? before?.tlsExpiresAt : Date.parse(expiry),
  };
}

function tipOf(id: number, online: readonly VantageRound[]): Tip[] {
  const seen = online
    .map(({ observations }) => observations.get(id))
    .find((one) => one?.revision !== undefined);
  return seen?.revision === undefined ? [] : [{ id, revision: seen.revision, branch: seen.branch ?? "" }];
}

function fromReference({ branch, revisions }: Reference): State["references"][string] {
  return { branch, revisions: revisions.map(([revision, from]) => [revision, from]) };
}

/** The vantages as they were, without nodes that are gone, and without those whose last day is no longer kept. */
function keptVantages(
  previous: State | undefined,
  nodes: readonly NetworkNode[],
  at: number,
): State["vantages"] {
  const kept = Object.entries(previous?.vantages ?? {}).filter(
    ([, vantage]) => at - vantage.at < daysKept * dayMs,
  );
  return Object.fromEntries(
    kept.map(([name, { at: seenAt, nodes: tallies }]) => {
      const own = nodes.flatMap(({ id }) => {
        const one = tallies[id];
        return one === undefined ? [] : [[String(id), one] as const];
      });
      return [name, { at: seenAt, nodes: Object.fromEntries(own) }] as const;
    }),
  );
}
