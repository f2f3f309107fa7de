import { accessSync, constants, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * Returns whether the site has this file, and this user may read it. Follows no symbolic links, as on the hosts. The case of
 * the path must match, even on a file system that ignores case.
 */
export function isFile(root: string, path: string): boolean {
  const file = join(root, path);
  return realPath(file) === file && attempt(() => statSync(file).isFile()) === true;
}

/** Returns the content of a small file of the site, or undefined if it cannot be read. */
export function readSmall(root: string, path: string): Buffer | undefined {
  return isFile(root, path) ? attempt(() => readFileSync(join(root, path))) : undefined;
}

/** Returns the real path of a readable file or folder, otherwise undefined. */
export function realPath(path: string): string | undefined {
  return attempt(() => {
    accessSync(path, constants.R_OK);
    return realpathSync.native(path);
  });
}

/** Returns the result of an action, or undefined if the file system fails: for any reason, there is no file to serve. */
function attempt<Result>(action: () => Result): Result | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
