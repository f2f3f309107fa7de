import { loadConfig } from "../config/load.ts";
import { listNodes } from "../config/nodes.ts";
import { formatResults, saveResults } from "../probe/results.ts";
import { inShard } from "../probe/shard.ts";
import { visibleJson } from "../text/quote.ts";
import { mergeResults } from "../state/round.ts";
import { observe, type ObserveOptions } from "../pipeline/observe.ts";
import type { ExitCode, CommandContext } from "../terminal/context.ts";
import { summaryTable } from "../pipeline/summary.ts";

export interface ProbeOptions extends ObserveOptions {
  readonly config: string;
  readonly results?: string | undefined;
  readonly json?: boolean | undefined;
}

/** Probes every mirror and writes only the observations. */
export async function probe(options: ProbeOptions, context: CommandContext): Promise<ExitCode> {
  const config = await loadConfig(options.config);
  const nodes = listNodes(config);
  const results = await observe(config, nodes, options, context);
  if (options.results !== undefined) saveResults(options.results, results);
  context.output(
    options.json === true
      ? visibleJson(formatResults(results).trimEnd())
      : summaryTable({ nodes: inShard(nodes, results.shard), round: mergeResults([results]) }, context.color),
  );
  return 0;
}
