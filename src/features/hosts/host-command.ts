import { join, resolve } from "node:path";
import { type Command, Option } from "@commander-js/extra-typings";
import fs from "fs-extra";
import { basePath } from "../../core/config/config-schema.ts";
import { hostNames } from "../../core/config/site-settings.ts";
import { loadConfig } from "../../core/config/load.ts";
import { InputError } from "../../core/base/errors.ts";
import { explaining } from "../../core/base/files/system-errors.ts";
import { hosts, hostTable } from "./host-registry.ts";
import { quote } from "../../core/base/text/quote.ts";
import { formatCount } from "../../core/base/text/count.ts";
import { contentOf } from "../../core/base/files/site-file.ts";
import { alignedTable } from "../../core/base/terminal/table.ts";
import type { ExitCode, CommandContext } from "../../core/base/terminal/context.ts";
import { type Execute, type Notes, type OptionsOf, sharedOptions } from "../../core/command/command.ts";

export const notes: Notes = {
  examples: [
    "mirrorfeed host nginx --root /srv/site --listen 127.0.0.1:8081 > mirrorfeed.conf",
    "mirrorfeed host cloudflare --out configuration",
  ],
};

export function declare(command: Command, execute: Execute): void {
  addOptions(command).action((name, options) => execute((context) => host(name, options, context)));
}

function addOptions(command: Command) {
  return command
    .argument("[name]", "the host to configure (default: list all hosts)")
    .option(...sharedOptions.config)
    .addOption(
      new Option("--listen <address:port>", "the address and port that the server listens on")
        .argParser(parseListen)
        .default({ address: "0.0.0.0", port: 80 }, "0.0.0.0:80"),
    )
    .option("--root <folder>", "the site's folder on the server", "_site")
    .option("--out <folder>", "write all configuration files to this folder, instead of printing the first");
}

/** A port without an address means 0.0.0.0. */
export function parseListen(text: string): { address: string; port: number } {
  const [, address = "", port = ""] = /^(?:(\[[0-9a-fA-F:.]+\]|[\w.-]+):)?(\d{1,5})$/.exec(text) ?? [];
  if (port === "" || Number(port) > 65_535)
    throw new InputError(
      `${quote(text)} is not an address with a port; write it as 127.0.0.1:8080 or [::1]:8080.`,
    );
  return { address: address.replace(/^\[|\]$/g, "") || "0.0.0.0", port: Number(port) };
}

/** Prints or writes a web server's configuration, or lists the hosts with their capabilities. */
export async function host(
  name: string | undefined,
  { config: file, listen, root, out }: OptionsOf<typeof addOptions>,
  { output, log }: CommandContext,
): Promise<ExitCode> {
  if (name === undefined) {
    output(alignedTable(hostTable()));
    return 0;
  }
  const known = hosts.find((one) => one.name === name);
  if (known === undefined)
    throw new InputError(`${quote(name)} is not a host; choose one of ${hostNames.join(", ")}.`);
  if (known.serverFiles === undefined)
    throw new InputError(
      `${name} needs no files outside the site; set site.host to ${quote(name)} in ${file} and build the site.`,
    );
  const config = await loadConfig(file);
  const files = known.serverFiles({
    feed: config.systems,
    basePath: basePath(config),
    listen,
    root: resolve(root),
    companions: resolve(out ?? "."),
  });
  if (out === undefined) {
    const [main, ...others] = files;
    output(String(contentOf(main)).trimEnd());
    if (others.length > 0)
      log(
        `This configuration needs ${formatCount(others.length, "more file")}; write all of them with --out FOLDER.`,
      );
    return 0;
  }
  // Synchronous, because the promise API would report a full disk as a missing folder.
  explaining(`${out} cannot be written`, "name another folder with --out", () => {
    for (const one of files) fs.outputFileSync(join(out, one.path), contentOf(one));
  });
  log(`Wrote ${files.map(({ path }) => join(out, path)).join(", ")}.`);
  return 0;
}
