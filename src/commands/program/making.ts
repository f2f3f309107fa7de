import { type Command, Option } from "@commander-js/extra-typings";
import { InputError } from "../../base/errors.ts";
import { parseTimeout } from "../published/option-values.ts";
import { resolveShard } from "./engine-shard.ts";
import { parseInterval, parseShard, repeated } from "./option-values.ts";
import type { CommandContext } from "../../base/terminal/context.ts";
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
  notify,
  type Finish,
} from "./options.ts";

const ofMirrorsJson = ["config", "shard", "results", "runId", "vantage", "state"];
const ofUrl = ["kind", "timeout", "explain"];

/** Declares the commands that make the feed. */
export function declareMaking(program: Command, context: CommandContext, finish: Finish): void {
  program.commandsGroup("Make the feed:");

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
    .option(...notify)
    .option(...json)
    .action(async ({ runId: run, ...options }) => {
      const command = await import("../run.ts");
      finish(await command.run({ ...options, run }, context));
    });

  program
    .command("probe")
    .description("probe every mirror or one URL, and print or write what was observed")
    .argument("[url]", "probe this URL alone, without mirrors.json")
    .addOption(kindOption("what the URL is"))
    .addOption(
      new Option("--timeout <time>", "the time limit of the probe of the URL")
        .argParser(parseTimeout)
        .default(10_000, "10s"),
    )
    .option("--explain", "print each step of the probe of the URL with its time")
    .option(...config)
    .option(
      "--shard <i/n>",
      "probe only the i-th of n parts of the nodes; auto reads them from variables of the engine",
      parseShard,
    )
    .option("--state <location>", "where earlier runs are remembered; only read")
    .option(...stateRemote)
    .option(...results)
    .option(...runId)
    .option(...vantage)
    .option(...allowPrivate)
    .option(...dns)
    .option(...json)
    .action(async (url, { kind, timeout: timeoutMs, explain, runId: run, ...options }, command) => {
      const misplaced = (url === undefined ? ofUrl : ofMirrorsJson).find(
        (name) => command.getOptionValueSource(name) === "cli",
      );
      if (misplaced !== undefined) {
        const remedy = url === undefined ? "name the URL to probe" : "leave it out, or the URL";
        const flag = command.options.find((one) => one.attributeName() === misplaced)?.long ?? misplaced;
        throw new InputError(
          `${flag} is for the probe of ${url === undefined ? "one URL" : "mirrors.json"}; ${remedy}.`,
        );
      }
      const { probe, probeUrl } = await import("../probe.ts");
      const { shard, ...others } = options;
      finish(
        url === undefined
          ? await probe({ ...others, ...resolveShard(shard, run, context.environment) }, context)
          : await probeUrl({ ...others, url, kind, timeoutMs, explain }, context),
      );
    });

  program
    .command("build")
    .description("write the site from observations, without any network")
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
    .action(async (options) => {
      const { build } = await import("../build.ts");
      finish(await build(options, context));
    });

  program
    .command("watch")
    .description("run again at a fixed interval, until it is stopped")
    .addOption(
      new Option("--interval <time>", "the interval of the runs, such as 5m or 1h")
        .argParser(parseInterval)
        .default(60_000, "60s"),
    )
    .option(...config)
    .option(...out)
    .option(...siteUrl)
    .option(...state)
    .option(...stateRemote)
    .option(...vantage)
    .option(...allowPrivate)
    .option(...dns)
    .option(...notify)
    .action(async ({ interval: intervalMs, ...options }) => {
      const { watch } = await import("../watch.ts");
      finish(await watch({ ...options, everyMs: intervalMs }, context));
    });

  program
    .command("notify")
    .description("send the messages that wait in the state")
    .option(...config)
    .option(...state)
    .option(...stateRemote)
    .option(...siteUrl)
    .option("--channel <name>", "send only what goes to this channel")
    .option("--dry-run", "print the messages, and send nothing")
    .option(...json)
    .action(async (options) => {
      const { notify: send } = await import("../notify.ts");
      finish(await send(options, context));
    });
}
