import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode } from "../errors.ts";

/**
 * Makes a folder and its parents, unless they exist. Throws the system's error. Not the `recursive` option of Node.js:
 * it loops without end if the system reports ENOENT below a folder that exists, as in /proc and in a removed working
 * directory (measured with 20.20). Its promise reports a full disk as a missing folder.
 */
export function makeFolder(path: string): void {
  const parent = dirname(path);
  if (parent !== path && !existsSync(parent)) makeFolder(parent);
  try {
    mkdirSync(path);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}
