import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeWith, findProgram } from "../support/requirement.ts";
import { isRoot } from "../support/server-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { hasMirrors, listOf, runTool, startMirror, textAt } from "../support/tool-feed.ts";

const tools = ["pacman", "repo-add", "bsdtar", "fakeroot"];
const hasPacman = hasMirrors && tools.every((name) => findProgram(name) !== undefined);

describeWith("pacman, repo-add and nginx", hasPacman, "pacman with the list of a feed", () => {
  test("installs with the best mirror dead and another one stale", async () => {
    const folder = temporaryFolder("mirrorfeed-pacman-");
    await addPackage(folder, "stale", "1-1", 1_000_000);
    await addPackage(folder, "source", "2-1", 2_000_000);
    cpSync(join(folder, "source"), join(folder, "fresh"), { recursive: true, preserveTimestamps: true });
    const mirrors = await Promise.all(
      ["source", "fresh", "stale"].map((name, place) => startMirror(join(folder, name), place)),
    );
    const urls = mirrors.map(({ url }) => `${url}/a&b/`);
    const probe = { kind: "pacman", pacmanDatabase: "tools/os/x86_64/tools.db" };
    const list = await textAt(await listOf(urls, probe, "conf"));
    expect(list).toBe(urls.map((url) => `Server = ${url}$repo/os/$arch\n`).join(""));
    writeFileSync(join(folder, "mirrorlist"), list);
    await mirrors[0]?.close();
    const { code, output } = await pacman(folder, "-Sy", "--noconfirm", "--noprogressbar", "example");
    expect(output).toContain("tools.db' from 127.0.0.2");
    expect(code).toBe(0);
    expect((await pacman(folder, "-Q", "example")).output.trim()).toBe("example 2-1");
    expect(existsSync(join(folder, "root/example"))).toBe(true);
  });
});

/** Makes a mirror with one package of one version, in the repository tools. */
async function addPackage(folder: string, mirror: string, version: string, updatedAt: number): Promise<void> {
  const root = join(folder, mirror, "a&b");
  const repository = join(root, "tools/os/x86_64");
  const built = join(folder, `package-${mirror}`);
  mkdirSync(repository, { recursive: true });
  mkdirSync(built);
  writeFileSync(join(built, ".PKGINFO"), `pkgname = example\npkgver = ${version}\narch = any\nsize = 1\n`);
  writeFileSync(join(built, "example"), version);
  const file = join(repository, `example-${version}-any.pkg.tar.gz`);
  await must("bsdtar", ["-czf", file, ".PKGINFO", "example"], built);
  await must("repo-add", ["-q", "tools.db.tar.gz", file], repository);
  writeFileSync(join(root, "lastupdate"), `${updatedAt}\n`);
}

async function must(tool: string, parameters: readonly string[], cwd: string): Promise<void> {
  const { code, output } = await runTool(tool, parameters, { cwd });
  if (code !== 0) throw new Error(output);
}

/** Runs pacman with a root and a configuration of its own. */
async function pacman(folder: string, ...parameters: string[]) {
  const own = (name: string): string => join(folder, name);
  for (const name of ["root", "db", "cache", "hooks", "gpg"]) mkdirSync(own(name), { recursive: true });
  writeFileSync(
    own("pacman.conf"),
    `[options]
RootDir = ${own("root")}
DBPath = ${own("db")}
CacheDir = ${own("cache")}
HookDir = ${own("hooks")}
GPGDir = ${own("gpg")}
LogFile = ${own("log")}
Architecture = x86_64
SigLevel = Never
[tools]
Include = ${own("mirrorlist")}
`,
  );
  const all = ["--config", own("pacman.conf"), ...parameters];
  return isRoot
    ? runTool("pacman", all, { cwd: folder })
    : runTool("fakeroot", ["pacman", ...all], { cwd: folder });
}
