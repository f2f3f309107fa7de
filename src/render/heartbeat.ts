import type { NetworkNode } from "../config/nodes.ts";
import type { Config } from "../config/schema.ts";
import { statusesOf } from "../state/advance.ts";
import type { State } from "../state/document.ts";
import type { Round, VantageRound } from "../state/round.ts";
import { measureCadence, stalenessMs } from "./cadence.ts";
import { momentText } from "./moment.ts";
import type { Heartbeat } from "./report-schema.ts";

/** What a round came to: the state after it, and the vantages that were online in it. */
export interface ReportInput {
  /** Undefined where no vantage was ever online: then every status is 0. */
  readonly state: State | undefined;
  readonly round: Round;
  readonly online: readonly VantageRound[];
}

/** The moment a feed is of: the end of the newest run, which a round that comes late does not take back. */
export function feedMoment({ state, round }: ReportInput): number {
  return Math.max(round.at, state?.runs.at(-1)?.[1] ?? 0);
}

/**
 * The heartbeat: what changes with every run, of the feed and of each node. A node is shown as the first online
 * vantage that observed it saw it, and with the votes of all of them where they do not agree.
 */
export function heartbeat(config: Config, nodes: readonly NetworkNode[], input: ReportInput): Heartbeat {
  const { state, round, online } = input;
  const at = feedMoment(input);
  const { intervalMinutes } = config.site;
  const cadence = measureCadence(state?.runs ?? []);
  const statuses = statusesOf(nodes, state);
  const onlineNodes = [...statuses.values()].filter((status) => status === 1).length;
  return {
    run: round.run,
    generated_at: momentText(at),
    expires_at: momentText(at + stalenessMs(intervalMinutes, cadence)),
    prober: {
      state: online.length > 0 ? "online" : "offline",
      vantages: round.vantages.map(({ name, missingShards }) => ({
        vantage: name,
        online: online.some((one) => one.name === name),
        missing_shards: missingShards.length > 0 ? [...missingShards] : undefined,
      })),
    },
    interval: {
      scheduled_minutes: intervalMinutes,
      median_seconds: cadence && Math.round(cadence.medianMs / 1000),
      p90_seconds: cadence && Math.round(cadence.p90Ms / 1000),
    },
    totals: { nodes: nodes.length, online: onlineNodes, offline: nodes.length - onlineNodes },
    nodes: nodes.map(({ id }) => ({ id, status: statuses.get(id) ?? 0, ...seenBy(online, id) })),
  };
}

function seenBy(
  online: readonly VantageRound[],
  id: number,
): Omit<Heartbeat["nodes"][number], "id" | "status"> {
  const votes = online.flatMap(({ name, observations }) => {
    const observation = observations.get(id);
    return observation === undefined ? [] : [{ vantage: name, observation }];
  });
  const [first] = votes;
  if (first === undefined) return {};
  const { code, checked_at, latency_ms, attempts } = first.observation;
  const agreed = votes.every(({ observation }) => observation.code === code);
  return {
    code,
    checked_at: momentText(Date.parse(checked_at)),
    latency_ms,
    attempts,
    votes: agreed
      ? undefined
      : votes.map(({ vantage, observation }) => ({ vantage, code: observation.code })),
  };
}
