import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "./support/temporary-folder.ts";

const execute = promisify(execFile);

/** What the package is built from. */
const sources = [
  ...["package.json", "esbuild.config.js", "tsconfig.json", "src", "public", "LICENSE", "README.md"],
  ".github/workflows",
];

/** Builds and packs the package in a folder of its own, and returns the digest of the tarball. */
async function pack(folder: string, modified: Date): Promise<string> {
  for (const path of sources) cpSync(path, join(folder, path), { recursive: true });
  for (const path of sources) utimesSync(join(folder, path), modified, modified);
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  const to = join(folder, "packed");
  mkdirSync(to);
  await execute("npm", ["pack", "--silent", "--pack-destination", "packed", "--cache", "cache"], {
    cwd: folder,
  });
  const [tarball = ""] = readdirSync(to);
  return createHash("sha256")
    .update(readFileSync(join(to, tarball)))
    .digest("hex");
}

describe("the package", () => {
  test("two builds at different times give the same tarball", { timeout: 180_000 }, async () => {
    const folder = temporaryFolder();
    const first = await pack(join(folder, "one"), new Date("2026-01-01T00:00:00Z"));
    const second = await pack(join(folder, "two"), new Date("2026-06-01T00:00:00Z"));
    expect(second).toBe(first);
  });
});
