import { dirname } from "node:path";
import { loadConfig } from "../config/load.ts";
import { listNodes } from "../config/nodes.ts";
import { loadResults } from "../probe/results.ts";
import { refuseForeign } from "../site/write.ts";
import { mergeResults } from "../state/round.ts";
import { conclude, type ConcludeOptions } from "./conclude.ts";
import type { ExitCode, Setting } from "./setting.ts";

export interface BuildOptions extends ConcludeOptions {
  readonly config: string;
  readonly from: readonly string[];
}

/** Makes the site from results that were written before, of all shards and vantages of one run, without probing. */
export async function build(options: BuildOptions, setting: Setting): Promise<ExitCode> {
  const config = await loadConfig(options.config);
  const nodes = listNodes(config);
  refuseForeign(options.out);
  const results = await Promise.all(options.from.map((file) => loadResults(file, nodes)));
  const round = mergeResults(results);
  for (const { name, missingShards } of round.vantages) {
    if (missingShards.length === 0) continue;
    setting.tell(
      `Warning: shard ${missingShards.join(", ")} of the vantage ${name} is missing; its nodes are unobserved.`,
    );
  }
  return conclude(config, nodes, round, { ...options, beside: dirname(options.config) }, setting);
}
