import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { advertisement } from "../../support/advertisement.ts";
import { closeAfterTest } from "../../support/close-after-test.ts";
import type { RunningServer } from "../../support/mirror-server.ts";
import { startSwitchedMirror } from "../../support/switched-mirror.ts";
import { testbed } from "../../support/start-testbed.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { type ProcessExit, startProgram } from "../../support/child.ts";
import { published, put } from "../../support/folder.ts";
import { statusesIn } from "../../support/github.ts";
import { runInProcess } from "../../support/in-process.ts";
import { target, writeOneTarget } from "../../support/one-target.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder("mirrorfeed-state-");
});

function mirrorfeed(command: string): Promise<ProcessExit> {
  return runInProcess(command.split(" "), { folder });
}

/** Starts a mirror and writes a configuration with no other mirror. */
async function startOne(): Promise<RunningServer> {
  const server = await testbed.startServer(advertisement());
  writeOneTarget(folder, [`${server.url}/a`]);
  return server;
}

function read(path: string): string {
  return readFileSync(join(folder, path), "utf8");
}

function statuses(): number[] {
  return Object.values(statusesIn(join(folder, "_site"), target));
}

describe("runs that remember", () => {
  test("a mirror goes down and comes back: the state, the changes and the report tell of it", async () => {
    const steady = await testbed.startServer(advertisement());
    const flaky = closeAfterTest(await startSwitchedMirror());
    writeOneTarget(folder, [`${steady.url}/a`, `${flaky.url}/a`]);

    expect((await mirrorfeed("run --run-id one")).code).toBe(0);
    expect(statuses()).toEqual([1, 1]);
    flaky.isDown = true;
    const second = await mirrorfeed("run --run-id two --json");
    expect(JSON.parse(second.stdout)).toMatchObject({
      changes: [{ id: 2, state: "offline", state_before: "online", status: 0, code: "reset" }],
    });
    expect(statuses()).toEqual([1, 0]);
    flaky.isDown = false;
    await mirrorfeed("run --run-id three");
    expect(statuses()).toEqual([1, 1]);

    expect(read(".mirrorfeed/state.json")).toContain('"runs":[["one"');
    expect(JSON.parse(read(`_site/v1/report/${target}/index.json`))).toMatchObject({
      network: [{ id: 1 }, { id: 2, transitions: [expect.anything(), expect.anything()] }],
    });
    expect(JSON.parse(read("_site/v1/report/index.json"))).toMatchObject({
      run: "three",
      totals: { nodes: 2, online: 2, offline: 0 },
    });
  });

  test("with --brief each line has the time, for a log, also that of an error", async () => {
    await startOne();
    const time = "20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ";
    const { stdout, stderr } = await mirrorfeed("run --brief");
    expect(stdout).toMatch(new RegExp(`^${time} 1 mirror: 1 online\\.\\n$`));
    expect(stderr).toBe("");
    // A quiet run prints nothing.
    expect(await mirrorfeed("run --brief")).toMatchObject({ code: 0, stdout: "", stderr: "" });
    await mirrorfeed("probe --results results.json");
    const built = await mirrorfeed("build --results results.json --brief");
    expect(built).toMatchObject({ code: 0, stdout: "", stderr: "" });
    rmSync(join(folder, "mirrors.json"));
    const failed = await mirrorfeed("run --brief");
    expect(failed.code).toBe(2);
    expect(failed.stderr).toMatch(new RegExp(`^${time} mirrorfeed: mirrors\\.json does not exist; .*\\n$`));
    expect((await mirrorfeed("run --brief --json")).stderr).toBe(
      "mirrorfeed: --brief cannot be used with --json; leave one out.\n",
    );
  });

  test("a quiet run changes the overview, the metrics and the heartbeat", async () => {
    await startOne();
    await mirrorfeed("run");
    const before = published(join(folder, "_site"));
    expect((await mirrorfeed("run")).stderr).toMatch(/_site: 3 files written, /);
    const after = published(join(folder, "_site"));
    expect(Object.keys(after).filter((path) => after[path] !== before[path])).toEqual([
      "index.html",
      "metrics.txt",
      "v1/report/index.json",
    ]);
  });

  test("a void run leaves state and site byte for byte, exits 3 and says how long it has been so", async () => {
    const server = await testbed.startServer(advertisement());
    writeOneTarget(folder, [`${server.url}/a`, `${testbed.refusedUrl}/a`]);
    await mirrorfeed("run");
    const [state, site] = [read(".mirrorfeed/state.json"), published(join(folder, "_site"))];
    await server.close();
    const { code, stderr } = await mirrorfeed("run");
    expect(code).toBe(3);
    expect(stderr).toContain("The last online run was less than a minute ago.");
    expect(read(".mirrorfeed/state.json")).toBe(state);
    expect(published(join(folder, "_site"))).toEqual(site);
    expect(readdirSync(join(folder, "_site/.mirrorfeed"))).toContain("void");
  });

  test("a state that cannot be read changes nothing", async () => {
    const text = String.raw`{"schema":1,"runs":"\u001b[2J"}`;
    await startOne();
    await mirrorfeed("run");
    const site = published(join(folder, "_site"));
    writeFileSync(join(folder, ".mirrorfeed/state.json"), text);
    const { code, stderr } = await mirrorfeed("run");
    expect(code).toBe(2);
    expect(stderr).toMatch(/is broken at "runs"/);
    expect(stderr).not.toContain("\u001b");
    expect(read(".mirrorfeed/state.json")).toBe(text);
    expect(published(join(folder, "_site"))).toEqual(site);
  });

  test("files in public/ replace pages, which each run names, and never data", async () => {
    await startOne();
    const own = { "public/index.html": "mine", "public/404.html": "mine", "public/feed.json": "{}" };
    put(folder, { ...own, "public/CNAME": "status.example.org" });
    for (const command of ["run --state state.json", "validate"]) {
      const { code, stderr } = await mirrorfeed(command);
      expect(code).toBe(2);
      expect(stderr).toBe(
        'mirrorfeed: public contains files that only a run may write: "feed.json"; remove or rename them.\n',
      );
    }
    expect(readdirSync(folder).sort()).toEqual(["mirrors.json", "public"]);

    rmSync(join(folder, "public/feed.json"));
    for (let run = 0; run < 2; run += 1)
      expect((await mirrorfeed("run")).stderr).toContain(
        '\nFiles in your public/ replace generated ones: "404.html".\nThe status page is at /status/, because your public/ has an index.html.\n',
      );
    expect(read("_site/index.html")).toBe("mine");
    expect(read("_site/status/index.html")).toContain('href="../status/" aria-current="page"');
    expect(read("_site/CNAME")).toBe("status.example.org");
    expect(JSON.parse(read("_site/feed.json"))).toHaveProperty("items");
  });
});

describe("shards and vantages", () => {
  test("are probed apart and built together", async () => {
    const servers = await Promise.all(Array.from({ length: 6 }, () => testbed.startServer(advertisement())));
    writeOneTarget(
      folder,
      servers.map(({ url }) => `${url}/a`),
    );
    const shards = ["east 1/2", "east 2/2", "west 1/2", "west 2/2"].map((shard) => shard.split(" "));
    const files: string[] = [];
    for (const [vantage = "", shard = ""] of shards) {
      const file = `${vantage}-${shard.replace("/", "-")}.json`;
      files.push(file);
      const command = `probe --run-id r --vantage ${vantage} --shard ${shard} --results ${file}`;
      expect((await mirrorfeed(command)).code).toBe(0);
    }
    expect(servers.map(({ requests }) => requests)).toEqual([2, 2, 2, 2, 2, 2]);
    const build = (some: readonly string[], more = "") =>
      mirrorfeed(["build", ...some.map((file) => `--results ${file}`)].join(" ") + more);
    const whole = await build(files);
    expect(whole.stdout).toContain("6 mirrors: 6 online.");
    put(folder, { "cut-off.json": read("west-2-2.json").replaceAll('"code":"ok"', '"code":"dns"') });
    const cutOff = await build(["west-1-2.json", "cut-off.json"], " --state third.json");
    expect(cutOff.stderr).toContain(
      "Warning: shard 2 of the location west was offline, so its mirrors were not observed.",
    );
  });
});

describe("mirrorfeed watch", () => {
  test("runs at its interval, reads a new mirrors.json, keeps the old one if the new one is invalid, and stops at once", async () => {
    const server = await startOne();
    const { process, stdout, stderr, ending } = startProgram(["watch", "--interval", "1s"], { folder });
    await expect.poll(stdout).toMatch(/^\d{4}-.*Z 1 mirror: 1 online\.$/m);
    writeFileSync(join(folder, "mirrors.json"), "{");
    await expect.poll(stderr).toContain("The previous mirrors.json stays in use.");
    writeOneTarget(folder, [`${server.url}/a`, `${server.url}/b`]);
    await expect.poll(stdout).toContain("2 mirrors: 2 online.");
    process.kill("SIGTERM");
    expect(await ending).toMatchObject({ code: null, signal: "SIGTERM" });
    expect(stderr().match(/stays in use/g)).toHaveLength(1);
  });
});
