import { mkdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { basePath } from "../config/base-path.ts";
import { loadConfig } from "../config/load.ts";
import { type HostName, hostNames } from "../config/schema.ts";
import { InputError } from "../errors.ts";
import { fileFault } from "../file-errors.ts";
import { hosts } from "../hosts/registry.ts";
import { quote } from "../quote.ts";
import type { SiteFile } from "../site-file.ts";
import { alignedTable } from "./aligned-table.ts";
import { hostMarkdown, hostTable } from "./host-table.ts";
import type { ExitCode, Setting } from "./setting.ts";

export interface HostOptions {
  readonly config: string;
  readonly listen: { readonly address: string; readonly port: number };
  /** The folder of the site, as the server will see it. */
  readonly root: string;
  /** Where to write the files instead of printing the first. */
  readonly out?: string | undefined;
  readonly markdown?: boolean | undefined;
}

/** Prints the configuration of a web server, or lists the hosts with what each can do. */
export async function host(
  name: string | undefined,
  options: HostOptions,
  setting: Setting,
): Promise<ExitCode> {
  if (name === undefined) {
    const all = Object.values(hosts);
    setting.print(options.markdown === true ? hostMarkdown(all).trimEnd() : alignedTable(hostTable(all)));
    return 0;
  }
  const known = hostNames.find((one) => one === name);
  if (known === undefined)
    throw new InputError(`${quote(name)} is no host; choose one of ${hostNames.join(", ")}.`);
  const files = await filesFor(known, options);
  const [main] = files;
  if (main === undefined) throw new Error(`The host ${known} has a configuration without files.`);
  if (options.out === undefined) {
    setting.print(String(main.content).trimEnd());
    if (files.length > 1)
      setting.tell(`It needs ${files.length - 1} more file beside it; write all with --out FOLDER.`);
    return 0;
  }
  await writeAll(options.out, files);
  setting.tell(`Wrote ${files.map(({ path }) => join(options.out ?? "", path)).join(", ")}.`);
  return 0;
}

async function filesFor(
  name: HostName,
  { config: file, listen, root, out }: HostOptions,
): Promise<readonly SiteFile[]> {
  const { serverFiles } = hosts[name];
  if (serverFiles === undefined) {
    throw new InputError(
      `${name} needs nothing outside of the site; set site.host to ${quote(name)} in ${file} and build.`,
    );
  }
  const config = await loadConfig(file);
  return serverFiles({
    feed: config.systems,
    basePath: basePath(config),
    listen,
    root: resolve(root),
    companions: resolve(out ?? "."),
  });
}

async function writeAll(folder: string, files: readonly SiteFile[]): Promise<void> {
  try {
    for (const { path, content } of files) {
      // Not the one that promises: it takes a full disk for a folder that is missing.
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
  } catch (error) {
    throw fileFault(error, `${folder} cannot be written`, "name another folder with --out") ?? error;
  }
}
