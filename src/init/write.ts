import { lstat, mkdir, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { errorCode, InputError } from "../errors.ts";
import { fileError } from "../files/system-errors.ts";
import type { SiteFile } from "../files/site-file.ts";
import { sentenceList } from "./answers.ts";

/** Throws InputError, a sentence that names them, where there is anything already at one of these paths of a folder. */
export async function refuseExisting(folder: string, paths: readonly string[]): Promise<void> {
  const known = await Promise.all(paths.map((path) => isThere(join(folder, path))));
  const existing = paths.filter((_, index) => known[index]);
  if (existing.length > 0) throw existingSentence(folder, existing);
}

/** Whether there is anything at a path, be it a link to nothing. Throws InputError where that cannot be known. */
export async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw fileError(error, `${path} cannot be read`, elsewhere) ?? error;
  }
}

/**
 * Writes files into a folder, which is made where it is missing: all of them, or none. Throws InputError where one is
 * there already, which is left as it is, or cannot be written.
 */
export async function writeNew(folder: string, files: readonly SiteFile[]): Promise<void> {
  const undo: (() => Promise<void>)[] = [];
  try {
    for (const { path, content } of files) {
      const place = resolve(folder, path);
      const made = await mkdir(dirname(place), { recursive: true });
      if (made !== undefined) undo.push(() => removeFolders(dirname(place), resolve(made)));
      await writeFile(place, content, { flag: "wx", flush: true }).catch((error: unknown) => {
        if (errorCode(error) === "EEXIST") throw existingSentence(folder, [path]);
        // Begun, and not finished: what is there is ours.
        undo.push(() => rm(place, { force: true }));
        throw error;
      });
      undo.push(() => rm(place, { force: true }));
    }
  } catch (error) {
    for (const step of undo.reverse()) await step();
    throw fileError(error, `${folder} cannot be written`, elsewhere) ?? error;
  }
}

const elsewhere = "name another folder";

function existingSentence(folder: string, paths: readonly string[]): InputError {
  const names = sentenceList(paths.map((path) => join(folder, path)));
  const verb = paths.length === 1 ? "is" : "are";
  return new InputError(
    `${names} ${verb} there already, and init overwrites nothing; add mirrors with mirrorfeed add, or name another folder.`,
  );
}

/** From the deepest up to the first that was made, as long as nobody has put anything there. */
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
