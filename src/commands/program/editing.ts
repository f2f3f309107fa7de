import { type Command, Option } from "@commander-js/extra-typings";
import { defaultHost } from "../../hosts/registry.ts";
import { formatNames } from "../../config/import/list-format.ts";
import type { CommandContext } from "../../base/terminal/context.ts";
import { parsePort, repeated } from "./option-values.ts";
import { allowPrivate, config, dns, json, type Finish } from "./options.ts";

const to = ["--to <target>", "the target, as system/project/target; missing levels are created"] as const;

/** Declares the commands that write and check mirrors.json, and the demo. */
export function declareEditing(program: Command, context: CommandContext, finish: Finish): void {
  program.commandsGroup("Set up:");

  program
    .command("init")
    .description("write mirrors.json and the workflows of a new feed, and ask for what is missing")
    .argument("[folder]", "the folder of the files, created if it is missing (default: .)")
    .option("--mirror <url>", "the URL of a mirror; repeat it for others of the same target", repeated)
    .option("--system <name>", "the name of the system")
    .option("--project <name>", "the name of the project")
    .option("--target <name>", "the name of the target")
    .option("--host <name>", `the host of the site (default: ${defaultHost.name})`)
    .option("--url <url>", "the URL of the site, with its path")
    .option("--title <text>", "the title of the status page")
    .option("--interval <time>", "the interval of the runs, such as 15m or 6h (default: 30m)")
    .option("--primary <url>", "the mirror that the others copy")
    .option(
      "--control <url>",
      "an HTTPS URL other than a mirror, whose answer proves that the prober is online; may be repeated",
      repeated,
    )
    .option("--allow-private", "probe loopback, private and link-local addresses")
    .option("--yes", "ask nothing")
    .action(async (folder = ".", options) => {
      const { init } = await import("../init.ts");
      finish(await init(folder, options, context, context.terminal));
    });

  program
    .command("add")
    .description("add mirrors of a target to mirrors.json")
    .argument("<urls...>", "the URLs of the mirrors")
    .requiredOption(...to)
    .option(...config)
    .option("--name <label>", "the label of the mirror (default: its host and path)")
    .option("--primary", "make the first of them the one that the others copy")
    .option(...json)
    .action(async (urls, options) => {
      const { add } = await import("../add.ts");
      finish(await add(urls, options, context));
    });

  program
    .command("import")
    .description("add the mirrors of another program's list to mirrors.json")
    .argument(
      "<file>",
      "sources or a mirror list of apt, a mirror list of pacman, the configuration of Upptime or Gatus, or one URL a line",
    )
    .requiredOption(...to)
    .option(...config)
    .addOption(
      new Option("--format <name>", "the format of the list, found by its content if not given").choices(
        formatNames,
      ),
    )
    .option("--remove", "remove the nodes of the target that are not in the list")
    .option("--dry-run", "print the difference, and change nothing")
    .option(...json)
    .action(async (file, options) => {
      const { importList } = await import("../import.ts");
      finish(await importList(file, options, context));
    });

  program
    .command("validate")
    .description("check mirrors.json, and probe its new mirrors if asked to")
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
    .action(async (options) => {
      const { validate } = await import("../validate.ts");
      finish(await validate(options, context));
    });

  program
    .command("demo")
    .description("show everything on this machine, with good and bad mirrors")
    .option("--once", "stop after the site is written")
    .option(
      "--port <number>",
      "the port of the demo, 0 for any free one (default: 8080, or the next free one)",
      parsePort,
    )
    .action(async (options) => {
      const { demo } = await import("../demo.ts");
      finish(await demo(options, context));
    });
}
