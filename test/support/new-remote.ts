import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { git } from "./git.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const made = new Map<string, string>();

/** Creates an empty bare repository, by a copy of one that Git has made with the same parameters. */
export async function newRemote(...parameters: readonly string[]): Promise<string> {
  const remote = join(temporaryFolder(), "remote.git");
  const key = parameters.join(" ");
  const pattern = made.get(key);
  if (pattern !== undefined && existsSync(pattern)) {
    cpSync(pattern, remote, { recursive: true });
    return remote;
  }
  const fresh = join(temporaryFolder(), "pattern.git");
  await git(["init", "--quiet", "--bare", "--template=", ...parameters, fresh]);
  made.set(key, fresh);
  cpSync(fresh, remote, { recursive: true });
  return remote;
}
