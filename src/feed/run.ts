import { parseDuration } from "../base/text/duration.ts";
import { notifyRules } from "../config/notify.ts";
import type { Config } from "../config/schema.ts";
import type { Advance } from "../state/advance.ts";
import type { Round, VantageRound } from "../state/round.ts";
import { measureCadence, stalenessMs } from "./cadence.ts";
import { isoTimestamp } from "./timestamp.ts";
import { type MessageCounts, messageCounts } from "./message-counts.ts";
import type { NodeVerdict } from "./verdicts.ts";

/** The part of the feed that changes with every run. */
export interface Run {
  readonly run: string;
  /** The end of the newest run. */
  readonly generated_at: string;
  /** From this time on the statuses are too old to be trusted. */
  readonly expires_at: string;
  readonly prober: {
    readonly state: "online" | "offline";
    readonly vantages: readonly {
      readonly vantage: string;
      readonly online: boolean;
      readonly missing_shards: readonly number[] | undefined;
    }[];
  };
  /** The scheduled interval, and the measured one. */
  readonly interval: {
    readonly scheduled_minutes: number;
    readonly median_seconds: number | undefined;
    readonly p90_seconds: number | undefined;
  };
  /** Missing if mirrors.json has no rules for messages. */
  readonly notifications: MessageCounts | undefined;
  /** The nodes whose answer mirrorfeed itself failed at, so that a vantage has no observation. Missing if there are none. */
  readonly problems:
    | readonly { readonly id: number; readonly vantage: string; readonly error: string }[]
    | undefined;
  readonly totals: { readonly nodes: number; readonly online: number; readonly offline: number };
}

/** The last run's observation of a node. Empty if the run did not observe the node. */
export interface Observed {
  readonly code?: string;
  readonly checked_at?: string;
  readonly latency_ms?: number | undefined;
  readonly attempts?: number;
  readonly partial?: true | undefined;
  /** The code that each vantage observed, if they do not agree. */
  readonly votes?: readonly { readonly vantage: string; readonly code: string }[] | undefined;
}

/** Returns the description of the last run. `at` is the time of the feed in epoch milliseconds. */
export function runOf(
  { site, notify }: Pick<Config, "site" | "notify">,
  verdicts: ReadonlyMap<number, NodeVerdict>,
  round: Round,
  { state, online }: Advance,
  at: number,
): Run {
  const intervalMs = parseDuration(site.interval);
  const cadence = measureCadence(state?.runs ?? []);
  const problems = round.vantages.flatMap(({ name, problems: own = [] }) =>
    own.map(({ id, error }) => ({ id, vantage: name, error })),
  );
  const onlineNodes = [...verdicts.values()].filter(({ status }) => status === 1).length;
  return {
    run: round.run,
    generated_at: isoTimestamp(at),
    expires_at: isoTimestamp(at + stalenessMs(intervalMs, cadence)),
    prober: {
      state: online.length > 0 ? "online" : "offline",
      vantages: round.vantages.map((vantage) => {
        const used = online.find(({ name }) => name === vantage.name);
        const { name, missingShards } = used ?? vantage;
        const missing = missingShards.length > 0 ? missingShards : undefined;
        return { vantage: name, online: used !== undefined, missing_shards: missing };
      }),
    },
    interval: {
      scheduled_minutes: intervalMs / 60_000,
      median_seconds: cadence && Math.round(cadence.medianMs / 1000),
      p90_seconds: cadence && Math.round(cadence.p90Ms / 1000),
    },
    notifications: notifyRules({ notify }).length === 0 ? undefined : messageCounts(state?.notifications),
    problems: problems.length > 0 ? problems : undefined,
    totals: { nodes: verdicts.size, online: onlineNodes, offline: verdicts.size - onlineNodes },
  };
}

/**
 * Returns the observation of a node by the first vantage that has one, and the votes of all vantages if they do not agree.
 * `at` is the time of the feed in epoch milliseconds.
 */
export function observedBy(online: readonly VantageRound[], id: number, at: number): Observed {
  const votes = online.flatMap(({ name, observations }) => {
    const observation = observations.get(id);
    return observation === undefined ? [] : [{ vantage: name, observation }];
  });
  const [first] = votes;
  if (first === undefined) return {};
  const { code, checked_at, latency_ms, attempts, partial } = first.observation;
  const agreed = votes.every(({ observation }) => observation.code === code);
  return {
    code,
    // A vantage whose clock is ahead must not date its observation after the feed.
    checked_at: isoTimestamp(Math.min(Date.parse(checked_at), at)),
    latency_ms,
    attempts,
    partial,
    votes: agreed
      ? undefined
      : votes.map(({ vantage, observation }) => ({ vantage, code: observation.code })),
  };
}
