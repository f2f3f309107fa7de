import type { Command } from "@commander-js/extra-typings";
import { readPort, readShard, readTime } from "../commands/arguments.ts";
import type { Setting } from "../commands/setting.ts";
import {
  config,
  out,
  state,
  stateRemote,
  vantage,
  json,
  results,
  runId,
  allowPrivate,
  dns,
} from "./options.ts";
import type { Finish } from "./program.ts";

/** The commands that make the feed. */
export function declareMaking(program: Command, setting: Setting, finish: Finish): void {
  program
    .command("run")
    .description("probe every mirror, decide, and write the site")
    .option(...config)
    .option(...out)
    .option(...state)
    .option(...stateRemote)
    .option(...results)
    .option(...runId)
    .option(...vantage)
    .option(...allowPrivate)
    .option(...dns)
    .option(...json)
    .addHelpText("after", "\nExample: mirrorfeed run --config mirrors.json --out _site")
    .action(async (options) => {
      const { run } = await import("../commands/run.ts");
      finish(await run(options, setting));
    });

  program
    .command("probe")
    .description("probe every mirror and write only what was observed")
    .option(...config)
    .option("--shard <i/n>", "probe only the i-th of n parts of the nodes", readShard)
    .option(...results)
    .option(...runId)
    .option(...vantage)
    .option(...allowPrivate)
    .option(...dns)
    .option(...json)
    .addHelpText("after", "\nExample: mirrorfeed probe --results results.json")
    .action(async (options) => {
      const { probe } = await import("../commands/probe.ts");
      finish(await probe(options, setting));
    });

  program
    .command("build")
    .description("make the site from observations, without any network")
    .requiredOption(
      "--from <files...>",
      "the observations that mirrorfeed probe wrote, of all shards and vantages",
    )
    .option(...config)
    .option(...out)
    .option(...state)
    .option(...stateRemote)
    .option(...json)
    .addHelpText("after", "\nExample: mirrorfeed build --from results.json --out _site")
    .action(async (options) => {
      const { build } = await import("../commands/build.ts");
      finish(await build(options, setting));
    });

  program
    .command("watch")
    .description("run for ever, on a steady beat")
    .option("--every <time>", "the beat, such as 60s, 5m or 1h", readTime, 60_000)
    .option(...config)
    .option(...out)
    .option(...state)
    .option(...stateRemote)
    .option(...vantage)
    .option(...allowPrivate)
    .option(...dns)
    .addHelpText("after", "\nExample: mirrorfeed watch --every 60s")
    .action(async ({ every, ...options }) => {
      const { watch } = await import("../commands/watch.ts");
      finish(await watch({ ...options, everyMs: every }, setting));
    });

  program
    .command("demo")
    .description("start a small laboratory of mirrors, probe it, and serve its feed")
    .option("--once", "stop after the site is written")
    .option("--port <number>", "the port of the preview, 0 for any free one", readPort, 0)
    .addHelpText("after", "\nExample: mirrorfeed demo")
    .action(async (options) => {
      const { demo } = await import("../commands/demo.ts");
      finish(await demo(options, setting));
    });
}
