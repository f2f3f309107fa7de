import type { Command } from "@commander-js/extra-typings";
import type { RunOptions } from "../run/run.ts";
import type { ExitCode, CommandContext } from "../base/terminal/context.ts";
import { type Execute, type Notes, repeated, sharedOptions } from "./command.ts";
import { run } from "./run.ts";

export const notes: Notes = {
  examples: [
    "mirrorfeed build --results results.json --out /srv/site",
    "mirrorfeed build --results europe.json --results asia.json --state branch:mirrorfeed-state",
  ],
  exitCodes: { 3: "the probes were offline, so nothing was decided" },
};

export function declare(command: Command, execute: Execute): void {
  command
    .requiredOption(
      "--results <file>",
      "a file from mirrorfeed probe --results; repeat it for each shard and location",
      repeated,
    )
    .option(...sharedOptions.config)
    .option(...sharedOptions.out)
    .option(...sharedOptions.siteUrl)
    .option(...sharedOptions.state)
    .option(...sharedOptions.stateRemote)
    .option(...sharedOptions.json)
    .action((options) => execute((context) => build(options, context)));
}

export interface BuildOptions extends Omit<RunOptions, "results" | "fromResults"> {
  readonly results: readonly string[];
}

/** Makes the site from earlier results, of all shards and vantages of one run, without probing. */
export function build({ results, ...options }: BuildOptions, context: CommandContext): Promise<ExitCode> {
  return run({ ...options, fromResults: results }, context);
}
