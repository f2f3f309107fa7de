import type { Command } from "@commander-js/extra-typings";
import { maxBytes } from "../../client/request.ts";
import { InputError } from "../../core/base/errors.ts";
import type { CommandContext, ExitCode } from "../../core/base/terminal/context.ts";
import { formatCount } from "../../core/base/text/count.ts";
import { keyVariable, parseSigningKey, signSite } from "./signing.ts";
import { type Execute, type Notes, sharedOptions } from "../../core/command/command.ts";

export const notes: Notes = {
  examples: [
    `${keyVariable}="$(cat mirrorfeed.key)" mirrorfeed sign --out _site`,
    "mirrorfeed sign --out /srv/status",
  ],
};

export function declare(command: Command, execute: Execute): void {
  command.option(...sharedOptions.out).action(({ out }) => execute((context) => sign(out, context)));
}

/** Writes SHA256SUMS and SHA256SUMS.minisig. Throws InputError if there is no key, or if the folder is not a site. */
async function sign(out: string, context: CommandContext): Promise<ExitCode> {
  const text = context.environment[keyVariable]?.trim() ?? "";
  if (text === "")
    throw new InputError(
      `${keyVariable} is not set; make a key with mirrorfeed keygen, and set the variable to the text of mirrorfeed.key.`,
    );
  const sums = await signSite(out, parseSigningKey(text), context);
  context.log(`Signed ${formatCount(sums.split("\n").length - 1, "document")} of ${out}.`);
  if (sums.length > maxBytes)
    context.log(
      "Warning: SHA256SUMS is larger than 2 MB. Clients read no more than that, so they cannot verify this feed.",
    );
  return 0;
}
