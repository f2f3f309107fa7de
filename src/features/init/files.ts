import { lstat, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { errorCode, InputError } from "../../core/base/errors.ts";
import { makeFolder } from "../../core/base/files/folders.ts";
import { fileError } from "../../core/base/files/system-errors.ts";
import { configJsonSchema } from "../../core/config/config-schema.ts";
import { renderConfig } from "../add/new-config.ts";
import { defaultKind } from "../../core/kinds/kinds.ts";
import { validateConfig } from "../../core/config/validate.ts";
import { contentOf, type SiteFile } from "../../core/base/files/site-file.ts";
import type { Answers } from "./answers.ts";
import { formatList } from "../../core/base/text/count.ts";

export const ignoredPaths = ["_site/", ".mirrorfeed/", "mirrorfeed.key", "node_modules/"] as const;

/**
 * Returns mirrors.json and a copy of its schema, so that editors find the schema offline. Ids follow `usedId`. Throws
 * InputError if mirrors.json would not be valid.
 */
export function initFiles(answers: Answers, usedId = 0): SiteFile[] {
  const { kind, suite, mirrors, title, url, interval, host, control, allowPrivate } = answers;
  const network = mirrors.map((mirror, index) => ({ id: usedId + index + 1, url: mirror }));
  const primary = network.find((node) => node.url === answers.primary)?.id;
  const probe = {
    ...(allowPrivate ? { allowPrivate } : {}),
    ...(control.length === 0 ? {} : { controls: control }),
  };
  const text = renderConfig(
    answers,
    network,
    { primary, probe: kind === defaultKind ? undefined : { kind, [kind]: suite && { suite } } },
    {
      $schema: "./mirrors.schema.json",
      probe: Object.keys(probe).length === 0 ? undefined : probe,
      site: { title, url, interval, host: host.name },
    },
  );
  validateConfig(text, "The new mirrors.json");
  return [
    { path: "mirrors.json", content: text },
    { path: "mirrors.schema.json", content: `${JSON.stringify(configJsonSchema(), null, 2)}\n` },
  ];
}

export async function refuseExisting(folder: string, paths: readonly string[]): Promise<void> {
  const exists = await Promise.all(paths.map((path) => pathExists(join(folder, path))));
  const existing = paths.filter((_, index) => exists[index]);
  if (existing.length > 0) throw existingError(folder, existing);
}

/** Counts a dangling symbolic link as existing. Throws InputError if the path cannot be read. */
export async function pathExists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw fileError(error, `${path} cannot be read`, elsewhere) ?? error;
  }
}

/**
 * Writes new files, all or none, and creates missing folders. Throws InputError if a file already exists or cannot be
 * written.
 */
export async function writeNewFiles(folder: string, files: readonly SiteFile[]): Promise<void> {
  const undo: (() => Promise<void>)[] = [];
  try {
    for (const one of files) {
      const file = resolve(folder, one.path);
      const firstCreated = makeFolder(dirname(file));
      if (firstCreated !== undefined) undo.push(() => removeFolders(dirname(file), firstCreated));
      await writeFile(file, contentOf(one), { flag: "wx", flush: true }).catch((error: unknown) => {
        if (errorCode(error) === "EEXIST") throw existingError(folder, [one.path]);
        // The file may have been created before the write failed.
        undo.push(() => rm(file, { force: true }));
        throw error;
      });
      undo.push(() => rm(file, { force: true }));
    }
  } catch (error) {
    for (const step of undo.reverse()) await step();
    throw fileError(error, `${folder} cannot be written`, elsewhere) ?? error;
  }
}

const elsewhere = "name another folder";

function existingError(folder: string, paths: readonly string[]): InputError {
  const names = formatList(
    paths.map((path) => join(folder, path)),
    "and",
  );
  const verb = paths.length === 1 ? "exists" : "exist";
  return new InputError(
    `${names} already ${verb}, and init overwrites nothing; add mirrors with mirrorfeed add, or name another folder.`,
  );
}

/** Removes the folders from `deepest` up to `first`, but stops at a folder that is not empty. */
async function removeFolders(deepest: string, first: string): Promise<void> {
  for (let folder = deepest; folder.length >= first.length; folder = dirname(folder)) {
    try {
      await rmdir(folder);
    } catch (error) {
      if (!["ENOTEMPTY", "EEXIST", "ENOENT"].includes(errorCode(error) ?? "")) throw error;
      return;
    }
  }
}
