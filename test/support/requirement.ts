import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { env } from "node:process";
import { describe, type SuiteFactory, test } from "vitest";

/** Returns a program's path, or undefined if it is not installed. */
export function findProgram(name: string): string | undefined {
  const folders = [...(env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin", "/sbin"];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/**
 * Declares a suite that has a requirement, and names the requirement in its title. If the requirement is missing, the suite
 * is skipped, or fails under MIRRORFEED_REQUIRE_ALL=1.
 */
export function describeWith(need: string, isMet: boolean, title: string, suite: SuiteFactory): void {
  const named = `${title} (needs ${need})`;
  if (isMet) {
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
