import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { advertisement } from "../../support/advertisement.ts";
import { testbed } from "../../support/start-testbed.ts";
import { misbehaviours as lab } from "../../support/misbehaviours.ts";
import { startNameServer } from "../../support/name-server.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import {
  type ProcessExit,
  program,
  runProgram,
  sentenceOf,
  startChild,
  startProgram,
} from "../../support/child.ts";
import { runInProcess } from "../../support/in-process.ts";
import { writeOneTarget } from "../../support/one-target.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder("mirrorfeed-cli-");
});

function mirrorfeed(command: string, more: NodeJS.ProcessEnv = {}): Promise<ProcessExit> {
  return runInProcess(command.split(" "), { folder, environment: more });
}

/** Runs the built program, to test src/cli.ts and the bundle. */
function built(command: string, more: NodeJS.ProcessEnv = {}): Promise<ProcessExit> {
  return runProgram(command.split(" "), { folder, environment: more });
}

async function goodAndBad(): Promise<void> {
  const good = await testbed.startServer(advertisement());
  const bad = await testbed.startServer(lab.notFound());
  writeOneTarget(folder, [`${good.url}/a`, `${bad.url}/a`]);
}

function document(path: string, above = folder): unknown {
  return JSON.parse(readFileSync(join(above, "_site/v1/network", path, "index.json"), "utf8"));
}

describe("mirrorfeed run", () => {
  const own = temporaryFolder("mirrorfeed-cli-");
  let plain: ProcessExit;
  let debugged: ProcessExit;
  beforeAll(async () => {
    folder = own;
    await goodAndBad();
    debugged = await built("run --json --run-id r7 --out other", { NODE_DEBUG: "mirrorfeed" });
    plain = await mirrorfeed("run");
  });

  test("probes, writes the site, shows a table, and exits 0 whatever the statuses are", () => {
    const { code, stdout, stderr } = plain;
    expect(code).toBe(0);
    expect(stdout).toContain("community/jcb/packages");
    expect(stdout).toMatch(/● online +127\.0\.0\.1:\d+\/a\n/);
    expect(stdout).toMatch(/○ offline .* http_status .*It answered with an HTTP error \(HTTP 404\)\./);
    expect(stdout).toContain("2 mirrors: 1 online, 1 offline.");
    expect(stderr).toMatch(/_site: \d+ files written, 0 unchanged, 0 removed\./);
    expect(document("community/jcb/packages", own)).toMatchObject({
      target: "packages",
      network: [{ status: 1 }, { status: 0 }],
    });
    expect(document("community/jcb/packages/1", own)).toMatchObject({ network: [{ id: 1 }] });
  });

  test("logs its stages if NODE_DEBUG names it, and only then", () => {
    const pattern = /^MIRRORFEED \d+: (\d+) ms (\w+): (?:\d+ [\w ]+(?:, |$))+/gm;
    const stages = [...debugged.stderr.matchAll(pattern)];
    expect(stages.map(([, , stage]) => stage)).toEqual("load probe decide render write".split(" "));
    const times = stages.map(([, ms]) => Number(ms));
    expect(times).toEqual(times.toSorted((left, right) => left - right));
    expect(plain.stderr).not.toContain("MIRRORFEED");
  });

  test("--json gives JSON on stdout and nothing else", () => {
    expect(JSON.parse(debugged.stdout)).toMatchObject({
      run: "r7",
      prober: "online",
      totals: { nodes: 2, online: 1, offline: 1 },
      nodes: [
        { system: "community", project: "jcb", target: "packages", id: 1, status: 1, code: "ok" },
        { id: 2, status: 0, code: "http_status", http_status: 404 },
      ],
    });
  });

  test("refuses private addresses unless an option allows them", async () => {
    const good = await testbed.startServer(advertisement());
    writeOneTarget(folder, [`${good.url}/a`], { probe: { attempts: 1 } });
    expect((await mirrorfeed("run")).stdout).toContain("blocked_address");
    expect(good.requests).toBe(0);
    expect((await mirrorfeed("run --allow-private")).stdout).toContain("1 mirror: 1 online.");
  });

  test("a command keeps its exit code if no process reads its output", async () => {
    const child = startProgram(["check", "http://127.0.0.1:1/", "a/b/c"], { folder });
    child.process.stdout?.destroy();
    child.process.stderr?.destroy();
    expect(await child.ending).toMatchObject({ code: 4 });
  });

  test.skipIf(!existsSync("/dev/full"))(
    "an output that cannot be written is reported in a sentence (needs /dev/full)",
    async () => {
      await goodAndBad();
      const command = 'exec "$0" "$1" validate > /dev/full';
      const ended = await startChild("sh", ["-c", command, process.execPath, program], { folder }).ending;
      expect(sentenceOf(ended)).toBe("Cannot write to stdout (ENOSPC).");
    },
  );

  test("offline on a first run still writes the site, says so, and exits 3", async () => {
    writeOneTarget(folder, ["http://a.invalid/x", "http://b.invalid/x"]);
    const { code, stderr } = await mirrorfeed("run");
    expect(code).toBe(3);
    expect(stderr).toContain(
      "This machine is offline: it probed 2 mirrors at 2 hosts, and no response proves that it is online. To be sure, set probe.controls to an HTTPS URL that always answers. _site is new",
    );
    expect(document("community/jcb/packages/0")).toMatchObject({ network: [{ id: 1 }, { id: 2 }] });
  });

  test("a signal ends it at once, also with a name server that never answers, and leaves no site", async () => {
    const silent = await testbed.startServer(lab.silent());
    const names = await startNameServer(() => "silence");
    writeOneTarget(folder, ["http://a.example/x", "http://b.example/x", `${silent.url}/a`], {
      probe: { allowPrivate: true, timeout: "30s" },
    });
    const child = startProgram(["run", "--dns", names.address], { folder });
    try {
      await expect.poll(() => silent.requests).toBe(1);
      const started = performance.now();
      child.process.kill("SIGINT");
      expect(await child.ending).toMatchObject({ code: null, signal: "SIGINT" });
      // The program does not wait until the probe times out, but ends much sooner.
      expect(performance.now() - started).toBeLessThan(15_000);
      expect(readdirSync(folder)).toEqual(["mirrors.json"]);
    } finally {
      child.process.kill("SIGKILL");
      await names.close();
    }
  });
});

test("probe writes and shows only what was observed", async () => {
  await goodAndBad();
  const { code, stdout } = await mirrorfeed("probe --results results.json");
  expect(code).toBe(0);
  expect(stdout).toContain("2 mirrors probed: 1 online, 1 offline.");
  expect(readdirSync(folder).sort()).toEqual(["mirrors.json", "results.json"]);
  expect((await mirrorfeed("probe --json")).stdout).toMatch(/^\{"schema":1,/);
});

test.each(["--help", "run --help", "help serve", "--version"])("%s is not an error", async (command) => {
  expect(await mirrorfeed(command)).toMatchObject({ code: 0, stdout: expect.stringMatching(/./) });
});

test("the help of a command loads no HTTP library, which takes most of the start of a run", async () => {
  const count = `data:text/javascript,import { createRequire } from 'node:module';
    const { cache } = createRequire('file:///');
    process.on('exit', () => console.error(Object.keys(cache).filter((file) => /undici/.test(file)).length))`;
  const loaded = async (command: string): Promise<number> => {
    const { stderr } = await built(command, { NODE_OPTIONS: `--import "${count.replaceAll(/\s+/g, " ")}"` });
    return Number(stderr.trim().split("\n").at(-1));
  };
  expect(await loaded("run --help")).toBe(0);
  expect(await loaded("run")).toBeGreaterThan(0);
});

test("an unexpected error shows its stack, the version, the command and where to report it, and no argument", async () => {
  writeOneTarget(folder, ["https://mirror.example.org/a"]);
  const clock = "data:text/javascript,Date.now = () => { throw new TypeError('planted') }";
  const secret = join(folder, "mirrors.json");
  const { code, stderr } = await built(`run --config ${secret}`, { NODE_OPTIONS: `--import "${clock}"` });
  expect(code).toBe(70);
  expect(stderr).toMatch(/^TypeError: planted\n +at /m);
  expect(stderr).toMatch(
    /mirrorfeed: unexpected error in mirrorfeed \d+\.\d+\.\d+ \(run, Node\.js v\d+\S*\)\. Please report it, with the lines above, to \S+/,
  );
  expect(stderr).not.toContain(secret);
});
