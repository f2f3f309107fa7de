import type { Command } from "@commander-js/extra-typings";
import { loadConfig } from "../config/load.ts";
import { runFeed, type RunOptions } from "../run/run.ts";
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

/** Probes every mirror, decides, and writes the site. */
export async function run(options: RunOptions, context: CommandContext): Promise<ExitCode> {
  return runFeed(await loadConfig(options.config), options, context);
}
