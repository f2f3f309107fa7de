import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { json } from "node:stream/consumers";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import * as z from "zod";
import { closeAfterTest } from "../support/close-after-test.ts";
import { loadDocument, textsBelow } from "../support/document.ts";
import { put } from "../support/folder.ts";
import { git, gitEnvironment } from "../support/git.ts";
import { startServer } from "../support/mirror-server.ts";
import { describeWith, findProgram } from "../support/requirement.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const guide = loadDocument(".github/docs/feed-on-github.md");
const execute = promisify(execFile);

function shell(script: string, folder: string, environment: NodeJS.ProcessEnv = {}): Promise<unknown> {
  return execute("sh", ["-ec", script], { cwd: folder, env: { ...gitEnvironment, ...environment } });
}

describeWith("curl", findProgram("curl") !== undefined, "another machine's cron", () => {
  test("starts the workflow by the documented request", async () => {
    // https://docs.github.com/rest/actions/workflows#create-a-workflow-dispatch-event
    const body = z.strictObject({ ref: z.string(), inputs: z.record(z.string(), z.string()).optional() });
    const seen: unknown[] = [];
    const server = await startServer(async ({ request, response, path }) => {
      seen.push([request.method, path, request.headers.authorization, body.parse(await json(request))]);
      response.writeHead(seen.length === 1 ? 204 : 403).end();
    });
    closeAfterTest(server);
    const [command = ""] = textsBelow(guide, "The schedule", "sh");
    const here = command.replace("https://api.github.com", server.url);
    await shell(here, temporaryFolder(), { TOKEN: "github_pat_1" });
    const path = "/repos/OWNER/REPOSITORY/actions/workflows/refresh.yml/dispatches";
    expect(seen).toEqual([["POST", path, "Bearer github_pat_1", { ref: "main" }]]);
    expect(existsSync(".github/workflows/refresh.yml")).toBe(true);
    await expect(shell(here, temporaryFolder())).rejects.toThrow("403");
  });
});

test("a copy of the template becomes a feed alone, and is updated without losing what is its own", async () => {
  const [trim = "", update = ""] = textsBelow(guide, "A copy of the template", "sh");
  const author = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
  const commit = async (folder: string, files: Readonly<Record<string, string>>): Promise<void> => {
    put(folder, files);
    await git(["-C", folder, "add", "--all"]);
    await git(["-C", folder, ...author, "commit", "--quiet", "--message=a"]);
  };
  const workflow = (name: string): string => `.github/workflows/${name}.yml`;
  const names = ["ci", "weekly", "release", "refresh"].map(workflow);
  const release = Object.fromEntries(names.map((name) => [name, readFileSync(name, "utf8")]));
  const program = { "src/cli.ts": "1", "src/old.ts": "1", "test/a.ts": "1", "public/robots.txt": "1" };
  const [upstream, copy] = [temporaryFolder(), temporaryFolder()];
  for (const folder of [upstream, copy]) {
    await git(["init", "--quiet", folder]);
    await commit(folder, { ...release, ...program, "mirrors.json": "theirs" });
  }
  await git(["-C", upstream, "rm", "--quiet", "src/old.ts"]);
  await commit(upstream, { "src/cli.ts": "2", "src/new.ts": "2", "mirrors.json": "theirs, changed" });
  await git(["-C", upstream, "tag", "v2.0.0"]);

  await shell(trim, copy);
  await commit(copy, { "mirrors.json": "mine", "public/logo.svg": "mine" });
  const script = update.replace("https://github.com/OWNER/mirrorfeed.git", `file://${upstream}`);
  await shell(script.replaceAll("vX.Y.Z", "v2.0.0"), copy, {
    ...{ GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@example.org" },
    ...{ GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@example.org" },
  });
  expect(await git(["-C", copy, "status", "--porcelain"])).toBe("");
  const paths = (await git(["-C", copy, "ls-files"])).split("\n");
  const own = ["mirrors.json", "public/logo.svg"];
  const theirs = ["public/robots.txt", "src/cli.ts", "src/new.ts", "test/a.ts", workflow("refresh")];
  expect(paths.sort()).toEqual([...own, ...theirs].sort());
  expect(readFileSync(`${copy}/src/cli.ts`, "utf8")).toBe("2");
  expect(readFileSync(`${copy}/mirrors.json`, "utf8")).toBe("mine");
});
