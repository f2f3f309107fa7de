import { dayMs, minuteMs } from "../base/text/time.ts";
import { isoTimestamp } from "../base/text/timestamp.ts";
import type { Status } from "../contract/network.ts";
import type { Advance } from "../state/advance.ts";
import type { State } from "../state/state-schema.ts";
import type { Round } from "../state/round.ts";
import type { Verdict } from "./verdict.ts";

/** The part of the feed that changes with every run. */
export type Run = ReturnType<typeof runOf>;

/** `at` is the time of the feed in epoch milliseconds. */
export function runOf(
  intervalMs: number,
  { state: verdict, counts }: Verdict,
  nodes: readonly { readonly status: Status }[],
  round: Round,
  { state, online }: Pick<Advance, "state" | "online">,
  at: number,
) {
  const cadence = measureCadence(state?.runs ?? []);
  const problems = round.vantages.flatMap(({ name, problems: own = [] }) =>
    own.map(({ id, error }) => ({ id, vantage: name, error })),
  );
  const reachable = nodes.filter(({ status }) => status === 1).length;
  return {
    run: round.run,
    /** The end of the newest run. */
    generated_at: isoTimestamp(at),
    /** After this time, the statuses are too old to be trusted. */
    expires_at: isoTimestamp(at + stalenessMs(intervalMs, cadence)),
    prober: {
      state: online.length > 0 ? ("online" as const) : ("offline" as const),
      vantages: round.vantages.map((vantage) => {
        const used = online.find(({ name }) => name === vantage.name);
        const { name, missingShards } = used ?? vantage;
        const missing = missingShards.length > 0 ? missingShards : undefined;
        return { vantage: name, online: used !== undefined, missing_shards: missing };
      }),
    },
    interval: {
      scheduled_minutes: intervalMs / minuteMs,
      median_seconds: cadence && Math.round(cadence.medianMs / 1000),
      p90_seconds: cadence && Math.round(cadence.p90Ms / 1000),
    },
    /** How many notifications wait, and how many of these wait because their channel failed. Undefined without rules. */
    notifications: undefined as { readonly waiting: number; readonly failing: number } | undefined,
    /** Nodes that a vantage did not observe because mirrorfeed failed or stalled. */
    problems: problems.length > 0 ? problems : undefined,
    /** Counts nodes by status (online or offline), whereas `states` counts them by state, such as `behind`. */
    totals: { nodes: nodes.length, online: reachable, offline: nodes.length - reachable },
    state: verdict,
    states: counts,
  };
}

/** Returns the median and the 90th percentile of the gaps between the last runs, or undefined for fewer than three gaps. */
export function measureCadence(runs: State["runs"]) {
  const gaps = runs
    .slice(1)
    .map(([, at], index) => at - (runs[index]?.[1] ?? at))
    .sort((left, right) => left - right);
  const nearestRank = (share: number): number => gaps[Math.ceil(share * gaps.length) - 1] ?? 0;
  return gaps.length < 3 ? undefined : { medianMs: nearestRank(0.5), p90Ms: nearestRank(0.9) };
}

/**
 * Returns how long a feed can be trusted after a run, in milliseconds: for two measured gaps between runs, because
 * schedulers often miss short intervals, and for at most a day longer than the minimum, so that stopped feeds expire.
 */
export function stalenessMs(intervalMs: number, cadence: ReturnType<typeof measureCadence>): number {
  const minimum = Math.max(3 * intervalMs, 15 * minuteMs);
  const measured = 2 * (cadence?.p90Ms ?? 30 * minuteMs);
  return Math.min(Math.max(measured, minimum), minimum + dayMs);
}
