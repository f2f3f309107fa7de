import type { CommandContext } from "../core/base/terminal/context.ts";
import { isoTimestamp } from "../core/base/text/timestamp.ts";
import type { Config } from "../core/config/config-schema.ts";
import type { Node } from "../core/config/nodes.ts";
import { observe, type ObserveOptions } from "../core/probe/observe.ts";
import { loadResults, saveResults } from "../core/probe/results.ts";
import { mergeResults, type Round, withoutClockAhead } from "../core/state/round.ts";
import { earlierRuns } from "../core/state/earlier-runs.ts";
import { isOnline, offlineShards } from "../core/state/online.ts";
import { familiesCheck } from "../features/families/families.ts";
import type { FeedState } from "./state-document.ts";

export interface RoundOptions extends ObserveOptions {
  /** A file to save the observations to. */
  readonly results?: string | undefined;
  /** Results files of all shards and vantages of one run, to read instead of probing. */
  readonly fromResults?: readonly string[] | undefined;
}

/** Probes every mirror, or reads what was observed elsewhere. Warns if its time is ahead of this machine's clock. */
export async function takeRound(
  config: Config,
  nodes: readonly Node[],
  stored: FeedState | undefined,
  options: RoundOptions,
  context: CommandContext,
): Promise<Round> {
  const { results: file, fromResults } = options;
  const probe = async (): Promise<Round> => {
    const known = { ...earlierRuns(stored, nodes), checkHosts: familiesCheck(stored?.hosts) };
    const results = await observe(config, nodes, { ...options, ...known }, context);
    if (file !== undefined) saveResults(file, results);
    return mergeResults([results]);
  };
  const observed = await (fromResults === undefined ? probe() : readRound(fromResults, nodes, context));
  const now = context.now();
  const round = withoutClockAhead(observed, now);
  if (round !== observed)
    context.log(
      `Warning: the results are from ${isoTimestamp(observed.at)}, but this machine's clock says ${isoTimestamp(now)}. They are treated as current; correct whichever clock is wrong.`,
    );
  return round;
}

/** Merges results files. Logs a warning about missing and offline shards. */
async function readRound(files: readonly string[], nodes: readonly Node[], context: CommandContext) {
  const round = mergeResults(await Promise.all(files.map((file) => loadResults(file, nodes))));
  for (const vantage of round.vantages) {
    const offline = isOnline(nodes, vantage) ? offlineShards(nodes, vantage) : [];
    const silent = [
      [vantage.missingShards, "is missing", "are missing"],
      [offline.map(({ index }) => index), "was offline", "were offline"],
    ] as const;
    for (const [shards, ofOne, ofMany] of silent) {
      const named = `${shards.join(", ")} of the location ${vantage.name}`;
      if (shards.length === 1)
        context.log(`Warning: shard ${named} ${ofOne}, so its mirrors were not observed.`);
      if (shards.length > 1)
        context.log(`Warning: shards ${named} ${ofMany}, so their mirrors were not observed.`);
    }
  }
  return round;
}
