import type { Command } from "@commander-js/extra-typings";
import type { Setting } from "../commands/setting.ts";
import { config, json } from "./options.ts";
import type { Finish } from "./program.ts";

/** The commands that write and check mirrors.json. */
export function declareEditing(program: Command, setting: Setting, finish: Finish): void {
  program
    .command("validate")
    .description("check mirrors.json, without any network")
    .option(...config)
    .addHelpText("after", "\nExample: mirrorfeed validate --config mirrors.json")
    .action(async (options) => {
      const { validate } = await import("../commands/validate.ts");
      finish(await validate(options, setting));
    });

  program
    .command("add")
    .description("add mirrors of a target to mirrors.json")
    .argument("<urls...>", "the urls of the mirrors")
    .requiredOption("--to <place>", "the target, as system/project/target; levels that are missing are made")
    .option(...config)
    .option("--name <label>", "the label of the mirror; host and path where it is left out")
    .option("--primary", "the first of them is what the others are mirrors of")
    .option(...json)
    .addHelpText("after", "\nExample: mirrorfeed add https://git.example.org/a/b --to community/jcb/packages")
    .action(async (urls, options) => {
      const { add } = await import("../commands/add.ts");
      finish(await add(urls, options, setting));
    });

  program
    .command("init")
    .description("begin a feed: mirrors.json and a workflow that refreshes it")
    .argument("[folder]", "where; it is made where it is missing", ".")
    .option("--mirror <url...>", "the urls of the first mirrors, of one target")
    .option("--system <name>", "the name of the system")
    .option("--project <name>", "the name of the project")
    .option("--target <name>", "the name of the target")
    .option("--host <name>", "the host of the site; github-pages where it is left out")
    .option("--url <url>", "where the site will be, with its path")
    .option("--title <text>", "the title of the page")
    .option("--schedule <time>", "how often it is refreshed, such as 15m or 6h; 30m where it is left out")
    .option("--yes", "ask nothing, be there a terminal or not")
    .addHelpText(
      "after",
      "\nExample: mirrorfeed init --mirror https://git.example.org/a/b --system community --project jcb --target packages",
    )
    .action(async (folder, options) => {
      const { init } = await import("../commands/init/init.ts");
      finish(await init(folder, options, setting, setting.terminal));
    });
}
