import { loadConfig } from "../config/load.ts";
import { listNodes } from "../config/nodes.ts";
import { loadResults } from "../probe/results.ts";
import { conclude, type ConcludeOptions, folderOf } from "./conclude.ts";
import type { ExitCode, Setting } from "./setting.ts";

export interface BuildOptions extends ConcludeOptions {
  readonly config: string;
  readonly from: string;
}

/** Makes the site from results that were written before, without any network. */
export async function build(options: BuildOptions, setting: Setting): Promise<ExitCode> {
  const config = await loadConfig(options.config);
  const nodes = listNodes(config);
  const results = await loadResults(options.from, nodes);
  return conclude(config, nodes, results, { ...options, beside: folderOf(options.config) }, setting);
}
