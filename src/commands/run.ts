import type { Command } from "@commander-js/extra-typings";
import type { RunOptions } from "../run/run.ts";
import type { ExitCode, CommandContext } from "../base/terminal/context.ts";
import { type Execute, type Notes, offline, sharedOptions } from "./command.ts";

export const notes: Notes = {
  examples: [
    "mirrorfeed run --state branch:mirrorfeed-state --out /srv/site",
    'mirrorfeed run --json --run-id "$GITHUB_RUN_ID"',
  ],
  exitCodes: { 0: "done, whatever the statuses are", 3: offline },
};

export function declare(command: Command, execute: Execute): void {
  command
    .option(...sharedOptions.config)
    .option(...sharedOptions.out)
    .option(...sharedOptions.siteUrl)
    .option(...sharedOptions.state)
    .option(...sharedOptions.stateRemote)
    .option(...sharedOptions.results)
    .option(...sharedOptions.runId)
    .option(...sharedOptions.vantage)
    .option(...sharedOptions.allowPrivate)
    .option(...sharedOptions.dns)
    .option(...sharedOptions.notify)
    .option(...sharedOptions.json)
    .action(({ runId: id, ...options }) => execute((context) => run({ ...options, run: id }, context)));
}

export async function run(options: RunOptions, context: CommandContext): Promise<ExitCode> {
  const { loadConfig } = await import("../config/load.ts");
  const { runFeed } = await import("../run/run.ts");
  return runFeed(await loadConfig(options.config), options, context);
}
