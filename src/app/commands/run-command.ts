import { type Command, Option } from "@commander-js/extra-typings";
import { InputError } from "../../core/base/errors.ts";
import type { RunOptions } from "../run.ts";
import { type ExitCode, type CommandContext, withTime } from "../../core/base/terminal/context.ts";
import { type Execute, type Notes, offline, sharedOptions } from "../../core/command/command.ts";

export const notes: Notes = {
  examples: [
    "mirrorfeed run --state branch:mirrorfeed-state --out /srv/site",
    'mirrorfeed run --json --run-id "$GITHUB_RUN_ID"',
  ],
  exitCodes: { 0: "done, even if mirrors are offline", 3: offline },
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
    .addOption(briefOption())
    .action(({ runId: id, ...options }) => execute((context) => run({ ...options, run: id }, context)));
}

export function briefOption() {
  return new Option("--brief", "for logs: print only changes, with the time on each line").conflicts("json");
}

/** With `--brief`, also logs errors, so that their lines begin with the time. */
export async function run(options: RunOptions, context: CommandContext): Promise<ExitCode> {
  const isBrief = options.brief === true;
  const own = isBrief ? withTime(context) : context;
  const { loadConfig } = await import("../../core/config/load.ts");
  const { runFeed } = await import("../run.ts");
  try {
    return await runFeed(await loadConfig(options.config), options, own);
  } catch (error) {
    if (!isBrief || !(error instanceof InputError)) throw error;
    own.log(`mirrorfeed: ${error.message}`);
    return 2;
  }
}
