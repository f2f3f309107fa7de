import { type Command, Option } from "@commander-js/extra-typings";
import {
  parseAge,
  parseCanonical,
  parseCountry,
  parseExcluded,
  parseFallback,
  parseMinimum,
  parseTimeout,
} from "../published/option-values.ts";
import type { CommandContext } from "../../base/terminal/context.ts";
import { kindOption } from "./kind-option.ts";
import { json, type Finish } from "./options.ts";

const maxAge = ["--max-age <time>", "how old the feed may be, such as 1h", parseAge] as const;

function timeout(description: string) {
  return new Option("--timeout <time>", description).argParser(parseTimeout).default(5000, "5s");
}

/** Declares the commands for users of a feed. */
export function declareReading(program: Command, context: CommandContext, finish: Finish): void {
  program.commandsGroup("Use a feed:");

  program
    .command("check")
    .description("ask a feed whether enough mirrors are reachable")
    .argument("<url>", "the URL of the feed")
    .argument("<target>", "the target, as system/project/target")
    .option("--min <n>", "how many mirrors must be reachable", parseMinimum, 1)
    .option("--fresh", "count only mirrors that are in sync")
    .option(...maxAge)
    .addOption(timeout("the time limit of all requests"))
    .option("--fail-open", "exit with 0 and a warning if nothing is known")
    .option(...json)
    .action(async (url, target, { maxAge: maxAgeMs, timeout: timeoutMs, ...options }) => {
      const { check } = await import("../check.ts");
      finish(await check({ url, target, maxAgeMs, timeoutMs, ...options }, context));
    });

  program
    .command("pick")
    .description("print the best reachable mirror")
    .argument("<url>", "the URL of the feed")
    .argument("<target>", "the target, as system/project/target")
    .option("--exclude <host>", "a host to leave out; repeat it for more", parseExcluded)
    .option("--country <code>", "prefer the mirrors of a country among equally good ones", parseCountry)
    .option("--spread", "draw by weight among equally good mirrors, to share the load")
    .addOption(
      new Option("--format <format>", "how it is printed")
        .choices(["url", "list", "json", "env", "git"] as const)
        .default("url" as const),
    )
    .option("--canonical <url>", "with --format git or env: the URL that Git replaces", parseCanonical)
    .option(
      "--fallback <url>",
      "what is printed, with a warning and exit code 0, if no mirror can be picked",
      parseFallback,
    )
    .option("--probe", "probe a mirror from here before it is printed")
    .addOption(kindOption("how --probe probes"))
    .option(...maxAge)
    .addOption(timeout("the time limit of all requests, and of each probe"))
    .addOption(new Option("--json", "the same as --format json").conflicts("format"))
    .option("--allow-private", "let --probe reach loopback, private and link-local addresses too")
    .action(async (url, target, { maxAge: maxAgeMs, timeout: timeoutMs, json: isJson, ...options }) => {
      const format = isJson === true ? "json" : options.format;
      const { pick } = await import("../pick.ts");
      finish(await pick({ url, target, maxAgeMs, timeoutMs, ...options, format }, context));
    });
}
