import { type Command, Option } from "@commander-js/extra-typings";
import {
  readAge,
  readCanonical,
  readExcluded,
  readMinimum,
  readTimeout,
} from "../commands/feed/arguments.ts";
import type { Setting } from "../commands/setting.ts";
import { json } from "./options.ts";
import type { Finish } from "./program.ts";

const maxAge = ["--max-age <time>", "how old the feed may be, such as 1h", readAge] as const;

/** The commands of those who use a feed. */
export function declareReading(program: Command, setting: Setting, finish: Finish): void {
  program
    .command("check")
    .description("ask a feed whether enough mirrors are reachable")
    .argument("<url>", "where the feed is")
    .argument("<target>", "system/project/target")
    .option("--min <n>", "how many mirrors must be reachable", readMinimum, 1)
    .option("--fresh", "count only mirrors that are in sync")
    .option(...maxAge)
    .option("--timeout <time>", "how long the feed may take, in all", readTimeout, 5000)
    .option("--fail-open", "exit with 0 and a warning where nothing is known")
    .option(...json)
    .addHelpText(
      "after",
      "\nExample: mirrorfeed check https://status.example.org/ community/jcb/packages --min 2",
    )
    .action(async (url, target, { maxAge: maxAgeMs, timeout: timeoutMs, ...options }) => {
      const { check } = await import("../commands/feed/check.ts");
      finish(await check({ url, target, maxAgeMs, timeoutMs, ...options }, setting));
    });

  program
    .command("pick")
    .description("print the best reachable mirror")
    .argument("<url>", "where the feed is")
    .argument("<target>", "system/project/target")
    .option("--exclude <hostname...>", "hosts whose mirrors are left out", readExcluded)
    .addOption(
      new Option("--format <format>", "how it is printed")
        .choices(["url", "list", "json", "env", "git"] as const)
        .default("url" as const),
    )
    .option("--canonical <url>", "for git and env: the url that git is led away from", readCanonical)
    .option("--verify", "probe a mirror from here before it is printed")
    .addOption(
      new Option("--kind <kind>", "how --verify probes")
        .choices(["git", "http"] as const)
        .default("git" as const),
    )
    .option(...maxAge)
    .option("--timeout <time>", "how long the feed may take, and each probe", readTimeout, 5000)
    .option("--allow-private", "let --verify probe loopback, private and link-local addresses too")
    .addHelpText(
      "after",
      '\nExample: git clone "$(mirrorfeed pick https://status.example.org/ community/jcb/packages)"',
    )
    .action(async (url, target, { maxAge: maxAgeMs, timeout: timeoutMs, ...options }) => {
      const { pick } = await import("../commands/feed/pick.ts");
      finish(await pick({ url, target, maxAgeMs, timeoutMs, ...options }, setting));
    });
}
