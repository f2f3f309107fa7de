import { dirname } from "node:path";
import { loadConfig } from "../config/load.ts";
import { listNodes } from "../config/nodes.ts";
import type { Config } from "../config/schema.ts";
import { saveResults } from "../probe/results.ts";
import { refuseForeign } from "../site/write.ts";
import { mergeResults } from "../state/round.ts";
import { conclude, type ConcludeOptions } from "./conclude.ts";
import { observe, type ObserveOptions } from "./observe.ts";
import type { ExitCode, Setting } from "./setting.ts";

export interface RunOptions extends ConcludeOptions, ObserveOptions {
  readonly config: string;
  readonly results?: string | undefined;
}

/** Probes every mirror, decides, and writes the site. */
export async function run(options: RunOptions, setting: Setting): Promise<ExitCode> {
  return runWith(await loadConfig(options.config), options, setting);
}

/** A run with a configuration that was loaded before. */
export async function runWith(config: Config, options: RunOptions, setting: Setting): Promise<ExitCode> {
  const nodes = listNodes(config);
  refuseForeign(options.out);
  const results = await observe(config, nodes, options, setting);
  if (options.results !== undefined) await saveResults(options.results, results);
  const beside = dirname(options.config);
  return conclude(config, nodes, mergeResults([results]), { ...options, beside }, setting);
}
