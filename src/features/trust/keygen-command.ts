import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import { InputError } from "../../core/base/errors.ts";
import { makeFolder } from "../../core/base/files/folders.ts";
import { explaining } from "../../core/base/files/system-errors.ts";
import type { CommandContext, ExitCode } from "../../core/base/terminal/context.ts";
import { generateKey, keyVariable } from "./signing.ts";
import type { Execute, Notes } from "../../core/command/command.ts";

export const notes: Notes = {
  examples: ["mirrorfeed keygen --out ~/keys", "mirrorfeed keygen --out /mnt/offline"],
};

export function declare(command: Command, execute: Execute): void {
  command
    .option("--out <folder>", "the folder to write mirrorfeed.key and mirrorfeed.pub to", ".")
    .action(({ out }) => execute((context) => Promise.resolve(keygen(out, context))));
}

/** Throws InputError if one of the files exists or cannot be written. */
function keygen(out: string, { log }: CommandContext): ExitCode {
  const { secretKey, publicKey } = generateKey();
  const files = [
    { path: join(out, "mirrorfeed.key"), content: secretKey, mode: 0o600 },
    { path: join(out, "mirrorfeed.pub"), content: publicKey, mode: 0o644 },
  ] as const;
  const existing = files.find(({ path }) => existsSync(path));
  if (existing !== undefined)
    throw new InputError(
      `${existing.path} already exists, and keygen never overwrites a key; name another folder with --out.`,
    );
  explaining(`${out} cannot be written`, "name another folder with --out", () => {
    makeFolder(out);
    for (const { path, content, mode } of files) writeFileSync(path, content, { mode, flag: "wx" });
  });
  log(`Wrote the secret key to ${files[0].path} and the public key to ${files[1].path}.`);
  log(
    `Keep the secret key private; mirrorfeed sign reads its text from ${keyVariable}. Give the public key to your feed's readers.`,
  );
  return 0;
}
