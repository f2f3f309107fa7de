import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { check } from "../../../src/features/pick/check-command.ts";
import { pick } from "../../../src/features/pick/pick-command.ts";
import { probe as probeAlone } from "../../../src/app/commands/probe-command.ts";
import { run } from "../../../src/app/commands/run-command.ts";
import { serveSite } from "../../../src/features/serve/serve.ts";
import { printingGit } from "../../../src/features/demo/repositories.ts";
import { closeAfterTest } from "../../support/close-after-test.ts";
import { recorded } from "../../support/command-context.ts";
import { type Testbed, startTestbed } from "../../support/start-testbed.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const hour = 3_600_000;
const git = printingGit(env, new AbortController().signal);
const testbed = await startTestbed();
let mirrors: Awaited<ReturnType<Testbed["startServer"]>>;

beforeAll(async () => {
  mirrors = await testbed.startServer(testbed.gitServer(testbed.folder));
});

const start = Date.parse("2026-03-01T00:00:00Z");
let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
});

describe("the content of mirrors of a repository", () => {
  /** The primary, a mirror that moved the tag v2, and one that is no longer updated. */
  const names = ["primary", "moved", "frozen"];
  const inMirror = (name: string, ...parameters: readonly string[]): Promise<string> =>
    git(["-C", join(testbed.folder, `${name}.git`), ...parameters]);

  async function runAt(hours: number): Promise<void> {
    const { context } = recorded({ now: () => start + hours * hour, environment: env });
    const [config = "", out = "", state = ""] = ["mirrors.json", "_site", "state.json"].map((name) =>
      join(folder, name),
    );
    expect(await run({ config, out, state, json: true }, context)).toBe(0);
  }

  const read = (path: string): string => readFileSync(join(folder, "_site", path), "utf8");
  const report = () =>
    JSON.parse(read("v1/report/s/p/t/index.json")) as {
      reference: object;
      network: { readonly freshness: string }[];
    };

  test("is described alike by the report, the page, the lists, check and pick", async () => {
    for (const name of names) {
      const bare = join(testbed.folder, `${name}.git`);
      await git(["clone", "--quiet", "--bare", "--template=", testbed.repositories.good.folder, bare]);
      await inMirror(name, "tag", "v2", "main");
    }
    await inMirror("moved", "tag", "-f", "v2", "main~1");
    const network = names.map((name, index) => ({ id: index + 1, name, url: `${mirrors.url}/${name}.git` }));
    const targets = [{ target: "t", primary: 1, network }];
    const systems = [{ system: "s", projects: [{ project: "p", targets }] }];
    const probe = { attempts: 1, allowPrivate: true };
    writeFileSync(join(folder, "mirrors.json"), JSON.stringify({ systems, probe, site: { interval: "7d" } }));

    await runAt(0);
    expect(report().network.map(({ freshness }) => freshness)).toEqual(["in_sync", "unknown", "in_sync"]);
    expect(report().network[1]).toMatchObject({
      status: 1,
      difference: { missing: 0, extra: 0, different: 1, names: { different: ["refs/tags/v2"] } },
    });
    await inMirror("primary", "branch", "stable", "main~1");
    await inMirror("moved", "branch", "stable", "main~1");
    await runAt(29);
    expect(report()).toMatchObject({
      reference: { refs: 3 },
      network: [
        { freshness: "in_sync", status: 1 },
        { freshness: "differs", status: 1 },
        { freshness: "behind", status: 1, behind_since: "2026-03-02T05:00:00.000Z" },
      ],
    });
    expect(read("status/s/p/t/index.html")).toMatch(/<b class=some>Differs<\/b>.*1 different ref \(v2\)/s);
    const urls = read("mirrorlist/s/p/t.txt").trim().split("\n");
    expect(urls.map((url) => url.replace(/.*\//, ""))).toEqual(["primary.git", "frozen.git", "moved.git"]);

    const site = await serveSite(join(folder, "_site"), { port: 0 });
    closeAfterTest(site);
    const { context, printed } = recorded({ now: () => start + 30 * hour, environment: env });
    const timeout = 5000;
    await check(site.url, "s/p/t", { timeout, min: 1, json: true, fresh: true }, context);
    expect(printed.join("")).toMatch(/"freshness": ?"differs"/);
    printed.length = 0;
    await pick(site.url, "s/p/t", { timeout, kind: "git", format: "list" }, context);
    expect(printed.join("\n").trim().split("\n")).toEqual(urls);
  });
});

describe("a probe for a later build", () => {
  test("uses what the state knows of the reference, and leaves the state as it is", async () => {
    const asked: string[] = [];
    const server = await testbed.startServer(({ request, response, path }) => {
      asked.push(`${request.method} ${path}`);
      response.end(path === "/a/" ? "new content" : "old content");
    });
    const network = ["a", "b"].map((name, index) => ({ id: index + 1, url: `${server.url}/${name}/` }));
    const targets = [{ target: "t", primary: 1, network }];
    const content = { sha256: "reference", files: ["file"] };
    const probe = { kind: "http", http: { content }, attempts: 1, allowPrivate: true };
    const systems = [{ system: "s", projects: [{ project: "p", targets }] }];
    writeFileSync(join(folder, "mirrors.json"), JSON.stringify({ systems, probe }));
    const [config, out, state] = [
      join(folder, "mirrors.json"),
      join(folder, "_site"),
      join(folder, "state.json"),
    ];
    const { context } = recorded({ now: () => start, environment: env });
    await run({ config, out, state }, context);
    const before = readFileSync(state, "utf8");
    asked.length = 0;
    await probeAlone({ config }, context);
    expect(asked).toContain("HEAD /b/file");
    asked.length = 0;
    // The state says that this mirror's content differs from the reference, so the mirror is not asked for the file.
    await probeAlone({ config, state }, context);
    expect(asked).not.toContain("HEAD /b/file");
    expect(readFileSync(state, "utf8")).toBe(before);
  });
});
