import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { freePort } from "./support/loopback.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const execute = promisify(execFile);

const sources = [
  ...["package.json", "esbuild.config.js", "tsconfig.json", "src", "public", "LICENSE", "README.md"],
  ".github/workflows",
];

/** Returns the tarball's path. */
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
  return join(to, tarball);
}

function digestOf(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

describe("the package", () => {
  const folder = temporaryFolder();
  let tarball: string;
  beforeAll(async () => {
    tarball = await pack(join(folder, "source"), new Date("2026-01-01T00:00:00Z"));
  }, 180_000);

  test("a build at another time gives the same tarball", { timeout: 180_000 }, async () => {
    const second = await pack(join(folder, "again"), new Date("2026-06-01T00:00:00Z"));
    expect(digestOf(second)).toBe(digestOf(tarball));
  });

  test("installs without a network, and needs undici only to connect", { timeout: 180_000 }, async () => {
    const install = ["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund"];
    await execute("npm", [...install, "--prefix", "installed", "--cache", "empty", tarball], { cwd: folder });
    // npm warns that it won't run a package's `prepare` script, so packing removes the script temporarily.
    const scriptsIn = (at: string) =>
      (JSON.parse(readFileSync(join(folder, at, "package.json"), "utf8")) as { scripts: object }).scripts;
    expect(scriptsIn("installed/node_modules/mirrorfeed")).not.toHaveProperty("prepare");
    expect(readFileSync(join(folder, "source/package.json"))).toEqual(readFileSync("package.json"));
    expect(scriptsIn("source")).toHaveProperty("prepare");
    const installed = join(folder, "installed/node_modules");
    expect(readdirSync(installed).filter((name) => !name.startsWith("."))).toEqual(["mirrorfeed"]);
    const url = `http://127.0.0.1:${await freePort()}/a`;
    const program = join(installed, ".bin/mirrorfeed");
    const { stdout } = await execute(program, ["probe", url, "--allow-private", "--json"], { cwd: folder });
    expect(JSON.parse(stdout)).toMatchObject({ code: "refused" });

    // undici takes longer to load than everything else, so commands without connections must not load it.
    rmSync(join(installed, "mirrorfeed/node_modules"), { recursive: true });
    for (const parameters of [["--version"], ["validate", "--config", resolve("mirrors.json")]])
      await execute(program, parameters, { cwd: folder });
    await expect(execute(program, ["probe", url, "--allow-private"], { cwd: folder })).rejects.toThrow(
      "undici",
    );
  });
});
