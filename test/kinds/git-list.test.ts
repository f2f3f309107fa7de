import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { kinds } from "../../src/kinds/kinds.ts";
import { blocksOf, loadDocument } from "../support/document.ts";
import { gitEnvironment } from "../support/git.ts";
import { describeWith, findProgram } from "../support/requirement.ts";
import { hasFolderServer } from "../support/served-folder.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { listOf, runTool, startMirror } from "../support/tool-feed.ts";

const hasTools = hasFolderServer && findProgram("curl") !== undefined;
const sample = blocksOf(loadDocument(".github/docs/lists.md"), "sh").find(({ text }) =>
  text.includes("git "),
);

describeWith("nginx and curl", hasTools, "Git with the settings of a feed", () => {
  test("clones through the best mirror, also if a URL names one that is gone or stale", async () => {
    const { folder, git, shell } = workshop();
    const roots = ["source", "fresh", "stale"].map((name) => join(folder, name));
    await git("init", "-q", "-b", "main", "work");
    await git("-C", "work", "commit", "-q", "--allow-empty", "-m", "one");
    await publish("stale");
    await git("-C", "work", "commit", "-q", "--allow-empty", "-m", "two");
    await publish("source");
    await publish("fresh");
    const servers = await Promise.all(roots.map(startMirror));
    // Quotes and ampersands are legal in a path.
    const urls = servers.map(({ url }) => `${url}/a&b'c/r.git`);
    await listOf(urls, { kind: "git" }, "ini", folder);
    await servers[0]?.close();
    const list = await listOf(urls, { kind: "git" }, "ini", folder);
    await shell((sample?.text ?? "").replace(/https:\S+/, list));
    for (const [place, url] of [...urls, urls[0]?.replace(/\.git$/, "") ?? ""].entries()) {
      await git("clone", "-q", url, `clone-${place}`);
      expect((await git("-C", `clone-${place}`, "log", "-1", "--format=%s")).trim()).toBe("two");
      expect((await git("-C", `clone-${place}`, "remote", "get-url", "origin")).trim()).toBe(urls[1]);
      expect((await git("-C", `clone-${place}`, "remote", "get-url", "--push", "origin")).trim()).toBe(url);
    }
    expect((await git("ls-remote", "--get-url", "https://other.example.org/r.git")).trim()).toBe(
      "https://other.example.org/r.git",
    );

    /** Publishes the repository as a server without Git does. */
    async function publish(mirror: string): Promise<void> {
      const bare = join(mirror, "a&b'c/r.git");
      await git("clone", "-q", "--bare", "work", bare);
      await git("-C", bare, "update-server-info");
    }
  });

  test("reads any URL as it was written", async () => {
    const { folder, git } = workshop();
    const mirror = (url: string) => ({ url, status: 1 as const, options: {} });
    const hostile = String.raw`https://b.example.org/"]#;\x/%22/'$(id)/r`;
    const best = mirror("https://a.example.org/'#;$(id)`\"\\/r");
    writeFileSync(
      join(folder, "mirrors"),
      kinds.git.lists?.[0]?.render({ place: "s/p/t", mirrors: [best, mirror(hostile)], primary: best }) ?? "",
    );
    await git("config", "--global", "include.path", join(folder, "mirrors"));
    expect((await git("ls-remote", "--get-url", hostile)).trim()).toBe(best.url);
    expect((await git("config", "--global", "--includes", "--list")).split("\n")).toHaveLength(6);
    expect(readFileSync(join(folder, "mirrors"), "utf8")).toContain("[url");
  });
});

function workshop() {
  const folder = temporaryFolder("mirrorfeed-git-list-");
  const env = {
    ...gitEnvironment,
    HOME: folder,
    GIT_CONFIG_GLOBAL: join(folder, "gitconfig"),
    GIT_AUTHOR_NAME: "a",
    GIT_AUTHOR_EMAIL: "a@example.org",
    GIT_COMMITTER_NAME: "a",
    GIT_COMMITTER_EMAIL: "a@example.org",
  };
  const run = async (tool: string, parameters: readonly string[]): Promise<string> => {
    const { code, output } = await runTool(tool, parameters, { cwd: folder, env });
    if (code !== 0) throw new Error(output);
    return output;
  };
  const git = (...parameters: string[]): Promise<string> => run("git", parameters);
  const shell = (commands: string): Promise<string> => run("sh", ["-ec", commands]);
  return { folder, git, shell };
}
