import { dirname } from "node:path";
import { loadConfig } from "../config/load.ts";
import type { Config } from "../config/schema.ts";
import { observe, type ObserveOptions } from "../pipeline/observe.ts";
import { type PipelineOptions, runPipeline } from "../pipeline/pipeline.ts";
import { saveResults } from "../probe/results.ts";
import { parseState } from "../state/document.ts";
import { loadOnce, openStore } from "../state/open-store.ts";
import { mergeResults } from "../state/round.ts";
import { silentNodes } from "../state/silent.ts";
import type { ExitCode, CommandContext } from "../terminal/context.ts";

export interface RunOptions extends PipelineOptions, ObserveOptions {
  readonly config: string;
  readonly results?: string | undefined;
}

/** Probes every mirror, decides, and writes the site. */
export async function run(options: RunOptions, context: CommandContext): Promise<ExitCode> {
  return runWith(await loadConfig(options.config), options, context);
}

/** Runs with a configuration that is loaded already. */
export async function runWith(
  loaded: Config,
  options: RunOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { state, stateRemote: remote, results: file } = options;
  const beside = dirname(options.config);
  const store = loadOnce(openStore(state, { ...context, remote, folder: beside }));
  return runPipeline(
    loaded,
    async (config, nodes) => {
      const stored = await store.load();
      const silent = silentNodes(stored === undefined ? undefined : parseState(stored, state));
      const results = await observe(config, nodes, { ...options, silent }, context);
      if (file !== undefined) saveResults(file, results);
      return mergeResults([results]);
    },
    { ...options, beside, store },
    context,
  );
}
