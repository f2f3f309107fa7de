import { InputError } from "../base/errors.ts";
import { group } from "../base/text/group.ts";
import { type HostFamilies, mergeHistories, type Observation, type Results } from "../probe/observation.ts";
import { parseRefSet, type RefSet } from "../probe/ref-set.ts";

/** What a location or one of its shards saw. */
export interface Seen {
  readonly controls: Results["controls"];
  readonly observations: ReadonlyMap<number, Observation>;
  readonly families?: readonly HostFamilies[] | undefined;
}

export interface VantageRound extends Seen {
  readonly name: string;
  /** Shards without results. Their nodes were not observed. */
  readonly missingShards: readonly number[];
  /** Nodes that were not observed because mirrorfeed itself failed or stalled. */
  readonly problems?: Results["problems"];
  /** If there are several shards, the observations of each one, because each may have run on its own machine. */
  readonly shards?: readonly ShardRound[] | undefined;
}

export interface ShardRound extends Seen {
  readonly index: number;
}

/** One run across all its vantages and shards. `at` is when its last probe ended, in epoch milliseconds. */
export interface Round {
  readonly run: string;
  readonly at: number;
  readonly vantages: readonly VantageRound[];
  /** Observed refs by digest. Some may be missing, because they did not fit into a results file. */
  readonly refs?: ReadonlyMap<string, RefSet> | undefined;
  /** What Git servers said about commits. */
  readonly history?: Results["history"];
}

/** How far apart correct clocks can be, in milliseconds. */
export const clockToleranceMs = 5 * 60_000;

/** Sets a time that is ahead of the clock to `now`, because the observations of such a round are still correct. */
export function withoutClockAhead(round: Round, now: number): Round {
  return round.at > now + clockToleranceMs ? { ...round, at: now } : round;
}

export function observationsOf(vantages: readonly VantageRound[], id: number): Observation[] {
  return vantages.flatMap(({ observations }) => observations.get(id) ?? []);
}

/** Throws InputError unless the results belong to one run and configuration, and their shards fit together. */
export function mergeResults(all: readonly Results[]): Round {
  const [first] = all;
  if (first === undefined)
    throw new InputError("There are no results to build from; run mirrorfeed probe --results FILE first.");
  if (all.some(({ config }) => config !== first.config))
    throw new InputError(
      "The results come from different mirrors.json files; probe all shards with the same one.",
    );
  const other = all.find(({ run }) => run !== first.run);
  if (other !== undefined)
    throw new InputError(
      `The results come from different runs, ${first.run} and ${other.run}; give all shards of a run the same --run-id.`,
    );
  const byVantage = group(all.map((one) => [one.vantage, one] as const));
  return {
    run: first.run,
    at: Math.max(...all.map(({ finished_at }) => Date.parse(finished_at))),
    vantages: [...byVantage.values()].map(mergeShards).sort((one, other) => (one.name < other.name ? -1 : 1)),
    refs: refsOf(all),
    history: mergeHistories(all.map(({ history }) => history ?? {})),
  };
}

function refsOf(all: readonly Results[]): Map<string, RefSet> {
  const sets = new Map<string, RefSet>();
  for (const [digest, text] of all.flatMap(({ refs = {} }) => Object.entries(refs))) {
    const set = sets.has(digest) ? undefined : parseRefSet(text);
    if (set !== undefined) sets.set(digest, set);
  }
  return sets;
}

function mergeShards(shards: readonly [Results, ...Results[]]): VantageRound {
  const { vantage: name, shard: first } = shards[0];
  const seen = new Map<number, ShardRound>();
  for (const { shard, controls, observations, families } of shards) {
    const { index } = shard;
    if (shard.count !== first.count || index > first.count || seen.has(index)) {
      throw new InputError(
        `The shards of the location ${name} do not fit together at shard ${index} of ${shard.count}; split it into one number of shards, and give each results file once.`,
      );
    }
    const byId = new Map(observations.map((one) => [one.id, one]));
    seen.set(index, { index, controls, observations: byId, families });
  }
  const indexes = Array.from({ length: first.count }, (_, index) => index + 1);
  const missingShards = indexes.filter((index) => !seen.has(index));
  return {
    ...{ name, missingShards },
    observations: new Map(shards.flatMap((shard) => shard.observations.map((one) => [one.id, one]))),
    controls: shards.flatMap((shard) => shard.controls),
    families: shards.flatMap((shard) => shard.families ?? []),
    problems: shards.flatMap((shard) => shard.problems ?? []),
    shards: seen.size > 1 ? [...seen.values()] : undefined,
  };
}
