import { type Command, Option } from "@commander-js/extra-typings";
import {
  parseAge,
  parseCanonical,
  parseCountry,
  parseExcluded,
  parseMinimum,
  parseTimeout,
} from "../feed/option-values.ts";
import type { CommandContext } from "../terminal/context.ts";
import { kindOption } from "./kind-option.ts";
import { json, type Finish } from "./options.ts";
const maxAge = ["--max-age <time>", "how old the feed may be, such as 1h", parseAge] as const;

/** Returns what the exit codes of these commands mean. */
function exitCodes(done: string, finding: string): string {
  return `\nExit codes: 0 ${done}, 1 ${finding}, 2 usage or a target that the feed does not know, 4 nothing is known`;
}

/** Declares the commands for users of a feed. */
export function declareReading(program: Command, context: CommandContext, finish: Finish): void {
  program
    .command("check")
    .description("ask a feed whether enough mirrors are reachable")
    .argument("<url>", "where the feed is")
    .argument("<target>", "system/project/target")
    .option("--min <n>", "how many mirrors must be reachable", parseMinimum, 1)
    .option("--fresh", "count only mirrors that are in sync")
    .option(...maxAge)
    .option("--timeout <time>", "how long the feed may take, in all", parseTimeout, 5000)
    .option("--fail-open", "exit with 0 and a warning where nothing is known")
    .option(...json)
    .addHelpText(
      "after",
      `\nExample: mirrorfeed check https://status.example.org/ community/jcb/packages --min 2\n${exitCodes("enough are reachable", "too few are reachable")}`,
    )
    .action(async (url, target, { maxAge: maxAgeMs, timeout: timeoutMs, ...options }) => {
      const { check } = await import("../commands/check.ts");
      finish(await check({ url, target, maxAgeMs, timeoutMs, ...options }, context));
    });

  program
    .command("pick")
    .description("print the best reachable mirror")
    .argument("<url>", "where the feed is")
    .argument("<target>", "system/project/target")
    .option("--exclude <hostname...>", "hosts whose mirrors are left out", parseExcluded)
    .option("--country <code>", "prefer the mirrors of a country among equally good ones", parseCountry)
    .option("--spread", "draw by weight among equally good mirrors, to share the load")
    .addOption(
      new Option("--format <format>", "how it is printed")
        .choices(["url", "list", "json", "env", "git"] as const)
        .default("url" as const),
    )
    .option("--canonical <url>", "for git and env: the URL that Git replaces", parseCanonical)
    .option(
      "--fallback <url>",
      "what is printed, with a warning and exit code 0, if no mirror can be picked",
      parseCanonical,
    )
    .option("--verify", "probe a mirror from here before it is printed")
    .addOption(kindOption("how --verify probes"))
    .option(...maxAge)
    .option("--timeout <time>", "how long the feed may take, and each probe", parseTimeout, 5000)
    .option("--allow-private", "let --verify probe loopback, private and link-local addresses too")
    .addHelpText(
      "after",
      `\nExample: git clone "$(mirrorfeed pick https://status.example.org/ community/jcb/packages --fallback https://git.example.org/jcb/packages)"\n${exitCodes("a mirror or the fallback is printed", "no mirror is reachable")}`,
    )
    .action(async (url, target, { maxAge: maxAgeMs, timeout: timeoutMs, ...options }) => {
      const { pick } = await import("../commands/pick.ts");
      finish(await pick({ url, target, maxAgeMs, timeoutMs, ...options }, context));
    });
}
