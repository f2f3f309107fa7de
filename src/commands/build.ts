import type { Command } from "@commander-js/extra-typings";
import { loadConfig } from "../config/load.ts";
import { type PipelineOptions, runPipeline } from "../run/pipeline.ts";
import { loadResults } from "../probe/results.ts";
import { isOnline, offlineShards } from "../state/online.ts";
import { mergeResults } from "../state/round.ts";
import type { ExitCode, CommandContext } from "../base/terminal/context.ts";
import {
  type Execute,
  type Notes,
  config,
  json,
  out,
  repeated,
  siteUrl,
  state,
  stateRemote,
} from "./command.ts";

export const notes: Notes = {
  examples: [
    "mirrorfeed build --results results.json --out /srv/site",
    "mirrorfeed build --results europe.json --results asia.json --state branch:mirrorfeed-state",
  ],
  exitCodes: { 3: "the probes were offline: nothing is decided" },
};

export function declare(command: Command, execute: Execute): void {
  command
    .requiredOption(
      "--results <file>",
      "what mirrorfeed probe --results wrote; repeat it for each shard and vantage",
      repeated,
    )
    .option(...config)
    .option(...out)
    .option(...siteUrl)
    .option(...state)
    .option(...stateRemote)
    .option(...json)
    .action((options) => execute((context) => build(options, context)));
}

export interface BuildOptions extends PipelineOptions {
  readonly results: readonly string[];
}

/** Makes the site from earlier results, of all shards and vantages of one run, without probing. */
export async function build(options: BuildOptions, context: CommandContext): Promise<ExitCode> {
  return runPipeline(
    await loadConfig(options.config),
    async (_config, nodes) => {
      const results = await Promise.all(options.results.map((file) => loadResults(file, nodes)));
      const round = mergeResults(results);
      for (const vantage of round.vantages) {
        const offline = isOnline(nodes, vantage) ? offlineShards(nodes, vantage) : [];
        const warn = (shards: readonly number[], what: string): void => {
          if (shards.length === 0) return;
          const named = `shard ${shards.join(", ")} of the vantage ${vantage.name}`;
          context.log(`Warning: ${named} ${what}; its nodes are unobserved.`);
        };
        warn(vantage.missingShards, "is missing");
        warn(
          offline.map(({ index }) => index),
          "was offline",
        );
      }
      return round;
    },
    options,
    context,
  );
}
