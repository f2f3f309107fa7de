import { type Command, Option } from "@commander-js/extra-typings";
import { InputError } from "../errors.ts";
import { parseTimeout } from "../feed/option-values.ts";
import { parsePort, parseShard, parseInterval } from "./option-values.ts";
import type { CommandContext } from "../terminal/context.ts";
import { kindOption } from "./kind-option.ts";
import {
  config,
  out,
  siteUrl,
  state,
  stateRemote,
  vantage,
  json,
  results,
  runId,
  allowPrivate,
  dns,
  type Finish,
} from "./options.ts";

const ofMirrorsJson = ["config", "shard", "results", "run", "vantage", "state"];
const ofUrl = ["kind", "timeout", "explain"];

/** Declares the commands that make the feed. */
export function declareMaking(program: Command, context: CommandContext, finish: Finish): void {
  program
    .command("run")
    .description("probe every mirror, decide, and write the site")
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
    .option(...json)
    .addHelpText("after", "\nExample: mirrorfeed run --config mirrors.json --out _site")
    .action(async (options) => {
      const { run } = await import("../commands/run.ts");
      finish(await run(options, context));
    });

  program
    .command("probe")
    .description("probe every mirror of mirrors.json, or one URL, and write only what was observed")
    .argument("[url]", "probe this URL alone, without mirrors.json")
    .addOption(kindOption("what the URL is"))
    .addOption(
      new Option("--timeout <time>", "how long the probe of the URL may take, in all")
        .argParser(parseTimeout)
        .default(10_000, "10s"),
    )
    .option("--explain", "print each step of the probe of the URL with its time")
    .option(...config)
    .option("--shard <i/n>", "probe only the i-th of n parts of the nodes", parseShard)
    .option("--state <place>", "what earlier runs know of the mirrors, which is only read")
    .option(...stateRemote)
    .option(...results)
    .option(...runId)
    .option(...vantage)
    .option(...allowPrivate)
    .option(...dns)
    .option(...json)
    .addHelpText(
      "after",
      "\nExamples: mirrorfeed probe --results results.json\n          mirrorfeed probe https://git.example.org/joomla/packages --explain",
    )
    .action(async (url, { kind, timeout: timeoutMs, explain, ...options }, command) => {
      const misplaced = (url === undefined ? ofUrl : ofMirrorsJson).find(
        (name) => command.getOptionValueSource(name) === "cli",
      );
      if (misplaced !== undefined) {
        const remedy = url === undefined ? "name the URL to probe" : "leave it out, or the URL";
        throw new InputError(
          `--${misplaced} is for the probe of ${url === undefined ? "one URL" : "mirrors.json"}; ${remedy}.`,
        );
      }
      const { probe, probeUrl } = await import("../commands/probe.ts");
      finish(
        url === undefined
          ? await probe(options, context)
          : await probeUrl({ ...options, url, kind, timeoutMs, explain }, context),
      );
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
    .option(...siteUrl)
    .option(...state)
    .option(...stateRemote)
    .option(...json)
    .addHelpText("after", "\nExample: mirrorfeed build --from results.json --out _site")
    .action(async (options) => {
      const { build } = await import("../commands/build.ts");
      finish(await build(options, context));
    });

  program
    .command("watch")
    .description("run without end, at a steady interval")
    .option("--every <time>", "the interval, such as 60s, 5m or 1h", parseInterval, 60_000)
    .option(...config)
    .option(...out)
    .option(...siteUrl)
    .option(...state)
    .option(...stateRemote)
    .option(...vantage)
    .option(...allowPrivate)
    .option(...dns)
    .addHelpText("after", "\nExample: mirrorfeed watch --every 60s")
    .action(async ({ every, ...options }) => {
      const { watch } = await import("../commands/watch.ts");
      finish(await watch({ ...options, everyMs: every }, context));
    });

  program
    .command("demo")
    .description("start a small testbed of mirrors, probe it, and serve its feed")
    .option("--once", "stop after the site is written")
    .option(
      "--port <number>",
      "the port of the preview, 0 for any free one (default: 8080, or any if it is taken)",
      parsePort,
    )
    .addHelpText("after", "\nExample: mirrorfeed demo")
    .action(async (options) => {
      const { demo } = await import("../commands/demo.ts");
      finish(await demo(options, context));
    });
}
