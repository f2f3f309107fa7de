import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { env } from "node:process";
import { describe, type SuiteFactory, test } from "vitest";

/** The path of a program of this machine, or undefined where it has none of that name. */
export function findProgram(name: string): string | undefined {
  const folders = [...(env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin", "/sbin"];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/**
 * A suite that needs something the machine may lack: its title says so, and it is skipped where that is missing, or
 * fails under MIRRORFEED_REQUIRE_ALL=1.
 */
export function describeWith(need: string, isThere: boolean, title: string, suite: SuiteFactory): void {
  const named = `${title} (needs ${need})`;
  if (isThere) {
    describe(named, suite);
  } else if (env["MIRRORFEED_REQUIRE_ALL"] === "1") {
    test(named, () => {
      throw new Error(`${need} is missing, and MIRRORFEED_REQUIRE_ALL=1 wants it.`);
    });
  } else {
    describe.skip(named, suite);
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
