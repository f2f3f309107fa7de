import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { type ProcessExit, startChild, startPreview } from "../support/child.ts";
import { startTestbed } from "../support/start-testbed.ts";
import { type RunningServer } from "../support/mirror-server.ts";
import { runInProcess } from "../support/in-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const target = "community/jcb/packages";

let folder: string;
const testbed = await startTestbed();
beforeEach(() => {
  folder = temporaryFolder("mirrorfeed-journey-");
});

/** Replaces this machine's user settings. */
function ownEnvironment(): Record<string, string> {
  const own = { HOME: folder, XDG_CACHE_HOME: join(folder, "cache"), GIT_TERMINAL_PROMPT: "0" };
  return { ...own, GIT_CONFIG_GLOBAL: join(folder, ".gitconfig") };
}

/** Runs a program in the folder of the journey. */
function call(program: string, parameters: readonly string[]): Promise<ProcessExit> {
  return startChild(program, parameters, { folder, environment: ownEnvironment() }).ending;
}

function mirrorfeed(...parameters: readonly string[]): Promise<ProcessExit> {
  return runInProcess(parameters, { folder, environment: ownEnvironment() });
}

test("from an empty folder to a clone that fails over", async () => {
  const start = (): Promise<RunningServer> => testbed.startServer(testbed.gitServer(testbed.folder));
  const mirrors = [await start(), await start(), await start()];
  const [first = "", second = "", third = ""] = mirrors.map(({ url }) => `${url}/good.git`);
  const begun = await mirrorfeed(
    ...["init", "--yes", "--host", "nginx", "--system", "community", "--project", "jcb"],
    ...["--target", "packages", "--mirror", first],
  );
  expect(begun).toMatchObject({ code: 0 });
  expect(await mirrorfeed("add", second, third, "--to", target)).toMatchObject({ code: 0 });
  expect((await mirrorfeed("validate")).stdout).toContain("3 mirrors");
  expect(await mirrorfeed("run", "--allow-private")).toMatchObject({ code: 0 });

  const { url, process: preview, ending } = await startPreview(folder);
  try {
    const get = async (path: string): Promise<string> => (await fetch(`${url}/${path}`)).text();
    expect(await get("")).toContain("all 3 mirrors are up and up to date.");
    expect(await get(`badge/${target}.svg`)).toContain("3 of 3 online");
    expect(await get(`mirrorlist/${target}.txt`)).toBe(`${first}\n${second}\n${third}\n`);
    expect(await get("feed.atom")).not.toContain("<entry>");
    expect(await mirrorfeed("check", url, target, "--min", "3")).toMatchObject({ code: 0 });
    expect(await call("git", ["clone", "--quiet", first, "clone"])).toMatchObject({ code: 0 });

    await mirrors[0]?.close();
    await mirrors[1]?.close();
    expect(await mirrorfeed("run", "--allow-private")).toMatchObject({ code: 0 });

    expect(await get("")).toContain("2 of 3 mirrors are offline.");
    expect(await get(`status/${target}/`)).toContain("It refused the connection");
    expect(await get(`badge/${target}.svg`)).toContain("1 of 3 online");
    expect((await get(`mirrorlist/${target}.txt`)).split("\n")[0]).toBe(third);
    expect((await get("feed.atom")).match(/<entry>/g)).toHaveLength(2);
    expect(await get("metrics.txt")).toMatch(/^mirrorfeed_nodes\{state="offline"\} 2$/m);
    expect(await mirrorfeed("check", url, target, "--min", "3")).toMatchObject({ code: 1 });
    expect(await mirrorfeed("check", url, target)).toMatchObject({ code: 0 });
    expect(await mirrorfeed("check", url, "community/jcb/nothing")).toMatchObject({ code: 2 });
    expect((await mirrorfeed("pick", url, target)).stdout).toBe(`${third}\n`);

    const inClone = (command: string) => call("git", ["-C", "clone", ...command.split(" ")]);
    expect(await inClone("fetch")).toMatchObject({ code: 128 });
    expect(await inClone(`remote set-url origin ${third}`)).toMatchObject({ code: 0 });
    expect(await inClone("fetch")).toMatchObject({ code: 0 });
    const head = await inClone("rev-parse origin/HEAD");
    expect(head.stdout.trim()).toBe(testbed.repositories.good.head);
  } finally {
    preview.kill("SIGTERM");
    await ending;
  }
  expect(await mirrorfeed("check", url, target)).toMatchObject({ code: 0 });
  rmSync(join(folder, "cache"), { recursive: true });
  expect(await mirrorfeed("check", url, target, "--timeout", "2s")).toMatchObject({ code: 4 });
  expect(await mirrorfeed("check", url, target, "--timeout", "2s", "--fail-open")).toMatchObject({ code: 0 });
  expect(readFileSync(join(folder, "mirrors.json"), "utf8")).toContain('"id": 3');
});
