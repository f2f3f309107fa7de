import { loadConfig } from "../config/load.ts";
import { listNodes } from "../config/nodes.ts";
import { saveResults } from "../probe/results.ts";
import { conclude, type ConcludeOptions, folderOf } from "./conclude.ts";
import { observe, type ObserveOptions } from "./observe.ts";
import type { ExitCode, Setting } from "./setting.ts";

export interface RunOptions extends ConcludeOptions, ObserveOptions {
  readonly config: string;
  readonly results?: string | undefined;
}

/** Probes every mirror, decides, and writes the site. */
export async function run(options: RunOptions, setting: Setting): Promise<ExitCode> {
  const config = await loadConfig(options.config);
  const nodes = listNodes(config);
  const results = await observe(config, nodes, options, setting);
  if (options.results !== undefined) await saveResults(options.results, results);
  return conclude(config, nodes, results, { ...options, beside: folderOf(options.config) }, setting);
}
