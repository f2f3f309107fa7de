import { loadConfig } from "../config/load.ts";
import { listNodes } from "../config/nodes.ts";
import { formatResults, saveResults } from "../probe/results.ts";
import { inShard } from "../probe/shard.ts";
import { visibleJson } from "../quote.ts";
import { mergeResults } from "../state/round.ts";
import { observe, type ObserveOptions } from "./observe.ts";
import type { ExitCode, Setting } from "./setting.ts";
import { summaryTable } from "./summary.ts";

export interface ProbeOptions extends ObserveOptions {
  readonly config: string;
  readonly results?: string | undefined;
  readonly json?: boolean | undefined;
}

/** Probes every mirror and writes only what was observed. */
export async function probe(options: ProbeOptions, setting: Setting): Promise<ExitCode> {
  const config = await loadConfig(options.config);
  const nodes = listNodes(config);
  const results = await observe(config, nodes, options, setting);
  if (options.results !== undefined) await saveResults(options.results, results);
  setting.print(
    options.json === true
      ? visibleJson(formatResults(results).trimEnd())
      : summaryTable({ nodes: inShard(nodes, results.shard), round: mergeResults([results]) }, setting.color),
  );
  return 0;
}
