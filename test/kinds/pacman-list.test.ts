import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hasPacmanTools, PacmanWorkshop } from "../support/pacman-mirror.ts";
import { describeWith } from "../support/requirement.ts";
import { isRoot } from "../support/server-process.ts";
import { hasFolderServer } from "../support/served-folder.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { listOf, runTool, startMirror, textAt } from "../support/tool-feed.ts";

describeWith(
  "pacman, repo-add and nginx",
  hasPacmanTools && hasFolderServer,
  "pacman with the list of a feed",
  () => {
    test("installs with the best mirror dead and another one stale", async () => {
      const folder = temporaryFolder("mirrorfeed-pacman-");
      const workshop = new PacmanWorkshop(folder);
      workshop.add("stale/a&b", new Date("2026-03-01"), "one");
      workshop.add("source/a&b", new Date("2026-03-08"), "one", "two");
      workshop.copy("source", "fresh");
      const mirrors = await Promise.all(
        ["source", "fresh", "stale"].map((name, place) => startMirror(join(folder, name), place)),
      );
      const urls = mirrors.map(({ url }) => `${url}/a&b/`);
      const list = await textAt(await listOf(urls, { kind: "pacman" }, "conf"));
      expect(list).toBe(urls.map((url) => `Server = ${url}$repo/os/$arch\n`).join(""));
      writeFileSync(join(folder, "mirrorlist"), list);
      await mirrors[0]?.close();
      const { code, output } = await pacman(folder, "-Sy", "--noconfirm", "--noprogressbar", "two");
      expect(output).toContain("core.db' from 127.0.0.2");
      expect(code).toBe(0);
      expect((await pacman(folder, "-Q")).output).toBe("two 1:2.0+a-1\n");
    });
  },
);

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
[core]
Include = ${own("mirrorlist")}
`,
  );
  const all = ["--config", own("pacman.conf"), ...parameters];
  return isRoot
    ? runTool("pacman", all, { cwd: folder })
    : runTool("fakeroot", ["pacman", ...all], { cwd: folder });
}
