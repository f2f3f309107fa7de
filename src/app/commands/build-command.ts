import type { Command } from "@commander-js/extra-typings";
import type { RunOptions } from "../run.ts";
import type { ExitCode, CommandContext } from "../../core/base/terminal/context.ts";
import { type Execute, type Notes, repeated, sharedOptions } from "../../core/command/command.ts";
import { briefOption, run } from "./run-command.ts";

export const notes: Notes = {
  examples: [
    "mirrorfeed build --results results.json --out /srv/site",
    "mirrorfeed build --results europe.json --results asia.json --state branch:mirrorfeed-state",
  ],
  exitCodes: { 3: "every probing machine was offline, so nothing was decided" },
};

export function declare(command: Command, execute: Execute): void {
  command
    .requiredOption(
      "--results <file>",
      "a file written by mirrorfeed probe --results; repeat for each shard and location",
      repeated,
    )
    .option(...sharedOptions.config)
    .option(...sharedOptions.out)
    .option(...sharedOptions.siteUrl)
    .option(...sharedOptions.state)
    .option(...sharedOptions.stateRemote)
    .option(...sharedOptions.json)
    .addOption(briefOption())
    .action((options) => execute((context) => build(options, context)));
}

type BuildOptions = Omit<RunOptions, "results" | "fromResults"> & { readonly results: readonly string[] };

/** Builds the site without probing, from the results that the shards and locations of one run have written. */
export function build({ results, ...options }: BuildOptions, context: CommandContext): Promise<ExitCode> {
  return run({ ...options, fromResults: results }, context);
}
