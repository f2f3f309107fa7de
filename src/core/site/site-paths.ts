import { type Dirent, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import * as z from "../base/zod.ts";
import { explaining } from "../base/files/system-errors.ts";
import { tryParseJson } from "../base/text/json.ts";
import { documentPath, reportRoot } from "../contract/contract.ts";
import { errorCode, InputError } from "../base/errors.ts";
import { quote } from "../base/text/quote.ts";
import { isSitePath, internalFolder } from "../base/files/site-file.ts";
import { elsewhere, readManifest } from "./manifest.ts";

/** Throws InputError unless the folder is a finished site that mirrorfeed wrote. */
export function requireSite(out: string): void {
  const again = "run mirrorfeed run first, or name another folder with --out";
  if (statSync(out, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new InputError(`There is no folder ${out}; ${again}.`);
  const isFinished = readManifest(out)?.finished;
  if (isFinished === undefined) throw new InputError(`${out} is not a site that mirrorfeed wrote; ${again}.`);
  if (!isFinished) throw new InputError(`${out} is not finished, or is being written; ${again}.`);
}

/** Changes whenever mirrorfeed writes to the site, because it first writes each file to `internalFolder`. */
export function writeMark(out: string): string {
  return String(statSync(join(out, internalFolder), { bigint: true, throwIfNoEntry: false })?.mtimeNs);
}

/** Throws InputError if the site has no files, or has some that Git or a host could treat specially. */
export function sitePaths(out: string): string[] {
  const paths = [...filePaths(out)];
  if (paths.length === 0) throw new InputError(`${out} is empty; run mirrorfeed run first.`);
  return paths;
}

const gitFile = /^\.git(?:ignore|attributes|modules)?$/i;

function* filePaths(out: string, above = ""): Generator<string> {
  for (const entry of entriesOf(out, above)) {
    const path = `${above}${entry.name}`;
    if (path === internalFolder) continue;
    if (!isSitePath(path)) throw unpublishable(out, path, "has a name that cannot be published");
    if (gitFile.test(entry.name)) throw unpublishable(out, path, "would change what Git publishes");
    if (entry.isDirectory()) yield* filePaths(out, `${path}/`);
    else if (entry.isFile()) yield path;
    else throw unpublishable(out, path, "is a link or a special file, but only plain files can be published");
  }
}

function entriesOf(out: string, path: string): Dirent[] {
  try {
    return readdirSync(join(out, path), { withFileTypes: true });
  } catch (error) {
    throw unpublishable(out, path, `cannot be read (${errorCode(error) ?? String(error)})`);
  }
}

function unpublishable(out: string, path: string, problem: string): InputError {
  return new InputError(`${quote(join(out, path))} ${problem}; move it away and publish again.`);
}

const heartbeat = z.object({
  generated_at: z.iso.datetime(),
  // Before a run reaches a mirror, the site has no state either.
  prober: z.object({ state: z.literal("online") }),
  interval: z.object({ median_seconds: z.number().optional() }),
});

/** Returns what a site says about the run that wrote it. Undefined if no run reached a mirror. */
export function heartbeatOf(out: string): z.infer<typeof heartbeat> | undefined {
  const file = join(out, documentPath(reportRoot));
  const text = explaining(`${file} cannot be read`, elsewhere, () =>
    existsSync(file) ? readFileSync(file, "utf8") : "",
  );
  return heartbeat.safeParse(tryParseJson(text)).data;
}
