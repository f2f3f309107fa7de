import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { errorCode, InputError } from "../../src/core/base/errors.ts";
import type { Processes } from "../../src/core/base/files/lock.ts";
import type { SiteFile } from "../../src/core/base/files/site-file.ts";
import { writeSite } from "../../src/core/site/write.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export function site(contents: Readonly<Record<string, string>>): SiteFile[] {
  return Object.entries(contents).map(([path, content]) => ({ path, content }));
}

export const pages = {
  "index.html": "<p>all is well</p>",
  "v1/network/index.json": "{}\n",
  "v1/network/a/index.json": "[]\n",
};

export function writtenSite(contents: Readonly<Record<string, string>>): string {
  const out = join(temporaryFolder(), "_site");
  writeSite(out, site(contents));
  return out;
}

/** Writes files without using mirrorfeed's own code. */
export function put(folder: string, contents: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, content] of Object.entries(contents)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

export function folderWith(contents: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  put(folder, contents);
  return folder;
}

/** Returns a folder's content by path: the text of files, `/` for empty folders, the target of links. */
export function everything(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { withFileTypes: true }).flatMap((entry): [string, string][] => {
    const place = join(folder, entry.name);
    if (entry.isSymbolicLink()) return [[entry.name, `-> ${readlinkSync(place)}`]];
    if (!entry.isDirectory()) return [[entry.name, readFileSync(place, "latin1")]];
    const inside = Object.entries(everything(place));
    if (inside.length === 0) return [[entry.name, "/"]];
    return inside.map(([path, content]) => [`${entry.name}/${path}`, content]);
  });
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Like everything(), without the folder `.mirrorfeed`. */
export function published(folder: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(everything(folder)).filter(([path]) => !path.startsWith(".mirrorfeed")),
  );
}

/** Expects that writing the site throws an InputError with this message and changes nothing. */
export function expectRefusal(
  out: string,
  contents: Readonly<Record<string, string>>,
  sentence: RegExp,
): void {
  const before = everything(join(out, ".."));
  const write = (): unknown => writeSite(out, site(contents));
  expect(write).toThrow(InputError);
  expect(write).toThrow(sentence);
  expect(everything(join(out, ".."))).toEqual(before);
}

export const processes: Processes = {
  pid: process.pid,
  isAlive: (pid) => {
    try {
      return process.kill(pid, 0);
    } catch (error) {
      return errorCode(error) !== "ESRCH";
    }
  },
};
