import { dirname } from "node:path";
import { loadConfig } from "../config/load.ts";
import { type PipelineOptions, runPipeline } from "../pipeline/pipeline.ts";
import { loadResults } from "../probe/results.ts";
import { mergeResults } from "../state/round.ts";
import type { ExitCode, CommandContext } from "../terminal/context.ts";

export interface BuildOptions extends PipelineOptions {
  readonly config: string;
  readonly from: readonly string[];
}

/** Makes the site from earlier results, of all shards and vantages of one run, without probing. */
export async function build(options: BuildOptions, context: CommandContext): Promise<ExitCode> {
  const beside = dirname(options.config);
  return runPipeline(
    await loadConfig(options.config),
    async (_config, nodes) => {
      const results = await Promise.all(options.from.map((file) => loadResults(file, nodes)));
      const round = mergeResults(results);
      for (const { name, missingShards } of round.vantages) {
        if (missingShards.length === 0) continue;
        context.log(
          `Warning: shard ${missingShards.join(", ")} of the vantage ${name} is missing; its nodes are unobserved.`,
        );
      }
      return round;
    },
    { ...options, beside },
    context,
  );
}
