import type { Command } from "@commander-js/extra-typings";
import type { Setting } from "../commands/setting.ts";
import { config } from "./options.ts";
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
}
