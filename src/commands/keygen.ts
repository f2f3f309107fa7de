import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import { InputError } from "../base/errors.ts";
import { makeFolder } from "../base/files/folders.ts";
import { explaining } from "../base/files/system-errors.ts";
import type { CommandContext, ExitCode } from "../base/terminal/context.ts";
import { generateKey, keyVariable } from "../publish/minisign.ts";
import type { Execute, Notes, OptionsOf } from "./command.ts";

export const notes: Notes = {
  examples: ["mirrorfeed keygen --out ~/keys", "mirrorfeed keygen --out /mnt/offline"],
};

export function declare(command: Command, execute: Execute): void {
  addOptions(command).action((options) => execute((context) => Promise.resolve(keygen(options, context))));
}

function addOptions(command: Command) {
  return command.option("--out <folder>", "the folder for mirrorfeed.key and mirrorfeed.pub", ".");
}

/** Writes the two files of a new key. Throws InputError if one of them exists or cannot be written. */
function keygen({ out }: OptionsOf<typeof addOptions>, { log }: CommandContext): ExitCode {
  const { secretKey, publicKey } = generateKey();
  const files = [
    { path: join(out, "mirrorfeed.key"), content: secretKey, mode: 0o600 },
    { path: join(out, "mirrorfeed.pub"), content: publicKey, mode: 0o644 },
  ] as const;
  const existing = files.find(({ path }) => existsSync(path));
  if (existing !== undefined)
    throw new InputError(
      `${existing.path} already exists, and keygen overwrites nothing; name another folder with --out.`,
    );
  explaining(`${out} cannot be written`, "name another folder with --out", () => {
    makeFolder(out);
    for (const { path, content, mode } of files) writeFileSync(path, content, { mode, flag: "wx" });
  });
  log(`Wrote ${files[0].path}, which must stay secret, and ${files[1].path}.`);
  log(
    `Store the first file's text in ${keyVariable} for mirrorfeed sign. Give the second to everyone who reads the feed.`,
  );
  return 0;
}
