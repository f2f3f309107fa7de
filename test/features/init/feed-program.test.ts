import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { packagePin } from "../../../src/features/init/feed-program.ts";
import { put } from "../../support/folder.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
/** The pin of a tarball next to mirrors.json. */
const ownVersion = `./mirrorfeed-${version}.tgz`;
const commit = "0123456789abcdef0123456789abcdef01234567";

/** Returns the pin of a package installed with this hidden lockfile. */
function pinOf(lock: string): Promise<string> {
  const folder = temporaryFolder();
  put(folder, { "node_modules/.package-lock.json": lock });
  return packagePin(join(folder, "node_modules", "mirrorfeed"));
}

function resolvedFrom(resolved: string): Promise<string> {
  const installed = { version: "0.0.1", resolved };
  return pinOf(JSON.stringify({ lockfileVersion: 3, packages: { "node_modules/mirrorfeed": installed } }));
}

describe("what is pinned", () => {
  test("is the version of a package with the mark of its release, and of no other", async () => {
    const folder = temporaryFolder();
    put(folder, { "mirrorfeed/dist/released": `${version}\n`, "other/dist/released": "0.0.0\n" });
    expect(await packagePin(join(folder, "mirrorfeed"))).toBe(`mirrorfeed@${version}`);
    expect(await packagePin(join(folder, "other"))).toBe(ownVersion);
  });

  test("is the version of a checkout", async () => {
    expect(await packagePin()).toBe(ownVersion);
  });

  test.each([
    "https://registry.example.org/mirrorfeed/-/mirrorfeed-0.1.0.tgz",
    "file:../mirrorfeed-0.1.0.tgz",
    `git+file:///home/me/mirrorfeed#${commit}`,
    "git+https://github.com/owner/mirrorfeed.git#main",
    "git+https://github.com/owner/mirrorfeed.git",
    `git+https://github.com/owner/$(x)#${commit}`,
    `git+https://github.com/owner/"x#${commit}`,
    "x",
    "",
  ])("is the version where it came from %j", async (resolved) => {
    expect(await resolvedFrom(resolved)).toBe(ownVersion);
  });

  test.each(["{", "{}", "[]", '{"packages":{}}', '{"packages":{"node_modules/mirrorfeed":{}}}'])(
    "is the version where npm has noted %j",
    async (lock) => {
      expect(await pinOf(lock)).toBe(ownVersion);
    },
  );

  test.each([
    [`git+ssh://git@github.com/owner/mirrorfeed.git#${commit}`, "github.com/owner/mirrorfeed.git"],
    [
      `git+ssh://git@git.example.org:2222/owner/mirrorfeed.git#${commit}`,
      "git.example.org/owner/mirrorfeed.git",
    ],
    [`git+https://me:secret@git.example.org:8443/a/b.git#${commit}`, "git.example.org:8443/a/b.git"],
  ])("is the commit that npm noted as %s, without anybody's name", async (resolved, place) => {
    expect(await resolvedFrom(resolved)).toBe(`git+https://${place}#${commit}`);
  });

  test("is noted by npm as it is read here", () => {
    const folder = temporaryFolder();
    const git = (...parameters: string[]): string =>
      execFileSync("git", ["-C", join(folder, "package"), ...parameters], { encoding: "utf8" }).trim();
    put(folder, {
      "package/package.json": '{"name":"mirrorfeed","version":"0.0.1"}',
      "app/package.json": "{}",
    });
    git("init", "--quiet", "--template=");
    git("add", "--all");
    git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "--message=One");
    const head = git("rev-parse", "HEAD");
    const source = `git+file://${join(folder, "package")}#${head}`;
    execFileSync(
      "npm",
      ["install", "--offline", "--no-audit", "--no-fund", "--cache", join(folder, "cache"), source],
      {
        cwd: join(folder, "app"),
        stdio: "pipe",
        shell: process.platform === "win32",
      },
    );
    const lock = JSON.parse(readFileSync(join(folder, "app/node_modules/.package-lock.json"), "utf8")) as {
      packages: unknown;
    };
    expect(lock.packages).toEqual({ "node_modules/mirrorfeed": { version: "0.0.1", resolved: source } });
  });
});
