import { type Command, Option } from "@commander-js/extra-typings";
import { defaultHost } from "../hosts/registry.ts";
import { formatNames } from "../import/format-names.ts";
import type { CommandContext } from "../terminal/context.ts";
import { allowPrivate, config, dns, json, type Finish } from "./options.ts";

/** Declares the commands that write and check mirrors.json. */
export function declareEditing(program: Command, context: CommandContext, finish: Finish): void {
  program
    .command("validate")
    .description("check mirrors.json, and if asked to, probe its new mirrors; else it needs no network")
    .option(...config)
    .option(
      "--probe-new <base>",
      "probe the mirrors that are new since a revision of Git, such as origin/main, or since another file",
    )
    .option(...allowPrivate)
    .option(...dns)
    .addOption(
      new Option(
        "--client <name>",
        "warn of URLs that a client reads differently; jcb is Joomla Component Builder",
      ).choices(["jcb"] as const),
    )
    .option(...json)
    .addHelpText(
      "after",
      "\nExamples: mirrorfeed validate --config mirrors.json\n          mirrorfeed validate --probe-new origin/main\n\nExit codes: 0 done, 1 a new mirror is not reachable, 2 usage or a file that is not valid, 3 the prober is offline",
    )
    .action(async (options) => {
      const { validate } = await import("../commands/validate.ts");
      finish(await validate(options, context));
    });

  program
    .command("add")
    .description("add mirrors of a target to mirrors.json")
    .argument("<urls...>", "the urls of the mirrors")
    .requiredOption("--to <place>", "the target, as system/project/target; levels that are missing are made")
    .option(...config)
    .option("--name <label>", "the label of the mirror; by default, its host and path")
    .option("--primary", "the first of them is what the others are mirrors of")
    .option(...json)
    .addHelpText("after", "\nExample: mirrorfeed add https://git.example.org/a/b --to community/jcb/packages")
    .action(async (urls, options) => {
      const { add } = await import("../commands/add.ts");
      finish(await add(urls, options, context));
    });

  program
    .command("import")
    .description("add the mirrors of a list that another program reads to mirrors.json")
    .argument(
      "<file>",
      "sources or a mirror list of apt, a mirror list of pacman, the configuration of Upptime or Gatus, or one URL a line",
    )
    .requiredOption("--to <place>", "the target, as system/project/target; levels that are missing are made")
    .option(...config)
    .addOption(
      new Option(
        "--format <name>",
        "the format of the list; by default, what its content looks like",
      ).choices(formatNames),
    )
    .option("--remove", "remove the nodes of the target that are not in the list")
    .option("--dry-run", "print the difference, and change nothing")
    .option(...json)
    .addHelpText("after", "\nExample: mirrorfeed import mirrorlist.txt --to community/jcb/packages --dry-run")
    .action(async (file, options) => {
      const { importList } = await import("../commands/import.ts");
      finish(await importList(file, options, context));
    });

  program
    .command("init")
    .description("begin a feed: mirrors.json and the workflows that refresh and check it")
    .argument("[folder]", "where to write the files; created if it is missing", ".")
    .option("--mirror <url...>", "the urls of the first mirrors, of one target")
    .option("--system <name>", "the name of the system")
    .option("--project <name>", "the name of the project")
    .option("--target <name>", "the name of the target")
    .option("--host <name>", `the host of the site (default: ${defaultHost.name})`)
    .option("--url <url>", "where the site will be, with its path")
    .option("--title <text>", "the title of the page")
    .option("--schedule <time>", "how often it is refreshed, such as 15m or 6h; by default, 30m")
    .option("--primary <url>", "the mirror that the others copy")
    .option(
      "--control <url...>",
      "https urls that are no mirrors: an answer proves that the prober is online",
    )
    .option("--allow-private", "probe loopback, private and link-local addresses")
    .option("--yes", "ask nothing, be there a terminal or not")
    .addHelpText(
      "after",
      "\nExample: mirrorfeed init --mirror https://git.example.org/a/b --system community --project jcb --target packages",
    )
    .action(async (folder, options) => {
      const { init } = await import("../commands/init.ts");
      finish(await init(folder, options, context, context.terminal));
    });
}
