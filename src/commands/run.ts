import type { Command } from "@commander-js/extra-typings";
import { loadConfig } from "../config/load.ts";
import { receivingChannels } from "../config/nodes.ts";
import type { Config } from "../config/schema.ts";
import { observe, type ObserveOptions } from "../run/observe.ts";
import { type PipelineOptions, runPipeline } from "../run/pipeline.ts";
import { notifyAfterRun, requireVariables } from "../run/notify.ts";
import { saveResults } from "../probe/results.ts";
import { mergeResults } from "../state/round.ts";
import { earlierRuns } from "../state/earlier-runs.ts";
import type { ExitCode, CommandContext } from "../base/terminal/context.ts";
import {
  type Execute,
  type Notes,
  offline,
  allowPrivate,
  config,
  dns,
  json,
  notify,
  out,
  results,
  runId,
  siteUrl,
  state,
  stateRemote,
  vantage,
} from "./command.ts";

export const notes: Notes = {
  examples: [
    "mirrorfeed run --state branch:mirrorfeed-state --out /srv/site",
    'mirrorfeed run --json --run-id "$GITHUB_RUN_ID"',
  ],
  exitCodes: { 0: "done, whatever the statuses are", 3: offline },
};

export function declare(command: Command, execute: Execute): void {
  command
    .option(...config)
    .option(...out)
    .option(...siteUrl)
    .option(...state)
    .option(...stateRemote)
    .option(...results)
    .option(...runId)
    .option(...vantage)
    .option(...allowPrivate)
    .option(...dns)
    .option(...notify)
    .option(...json)
    .action(({ runId: id, ...options }) => execute((context) => run({ ...options, run: id }, context)));
}

export interface RunOptions extends PipelineOptions, ObserveOptions {
  readonly results?: string | undefined;
  /** Whether the messages that wait are sent after the run. */
  readonly notify?: boolean | undefined;
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
  const { results: file } = options;
  if (options.notify === true) requireVariables(receivingChannels(loaded), context);
  const exitCode = await runPipeline(
    loaded,
    async (config, nodes, state) => {
      const known = earlierRuns(await state.load());
      const results = await observe(config, nodes, { ...options, ...known }, context);
      if (file !== undefined) saveResults(file, results);
      return mergeResults([results]);
    },
    options,
    context,
  );
  if (options.notify === true) await notifyAfterRun(loaded, options, context);
  return exitCode;
}
