import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { check } from "../../src/commands/check.ts";
import { pick } from "../../src/commands/pick.ts";
import { probe as probeAlone } from "../../src/commands/probe.ts";
import { run } from "../../src/commands/run.ts";
import { serveSite } from "../../src/site/serve.ts";
import { printingGit } from "../../src/testbed/repositories.ts";
import { closeAfterTest } from "../support/close-after-test.ts";
import { recorded } from "../support/command-context.ts";
import { type Testbed, startTestbed } from "../support/start-testbed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const hour = 3_600_000;
const git = printingGit(env, new AbortController().signal);
const testbed = await startTestbed();
let mirrors: Awaited<ReturnType<Testbed["startServer"]>>;

beforeAll(async () => {
  mirrors = await testbed.startServer(testbed.gitServer(testbed.folder));
});

/** The primary, a mirror that lost the tag v2, and one that was not updated any more. */
const names = ["primary", "lost", "frozen"];
const start = Date.parse("2026-03-01T00:00:00Z");
let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
});

/** A feed of three mirrors of a repository in a folder of its own, and the runs of it. */
class GitFeed {
  readonly #set: string;
  readonly #levels: object;

  constructor(set: string, levels: object = {}) {
    this.#set = set;
    this.#levels = levels;
  }

  /** Runs Git in a mirror. */
  async git(name: string, ...parameters: readonly string[]): Promise<void> {
    await git(["-C", join(testbed.folder, this.#set, `${name}.git`), ...parameters]);
  }

  remove(name: string): void {
    rmSync(join(testbed.folder, this.#set, `${name}.git`), { recursive: true });
  }

  async create(): Promise<void> {
    for (const name of names) {
      const bare = join(testbed.folder, this.#set, `${name}.git`);
      await git(["clone", "--quiet", "--bare", "--template=", testbed.repositories.good.folder, bare]);
      for (const [tag, commit] of [
        ["v1", "main~1"],
        ["v2", "main"],
      ] as const) {
        await this.git(name, "tag", tag, commit);
      }
    }
    await this.git("lost", "tag", "-d", "v2");
    const network = names.map((name, index) => ({
      id: index + 1,
      name,
      url: `${mirrors.url}/${this.#set}/${name}.git`,
    }));
    const targets = [{ target: "t", primary: 1, network }];
    const systems = [{ system: "s", projects: [{ project: "p", targets }] }];
    const probe = { attempts: 1, allowPrivate: true };
    const config = { systems, probe, site: { interval: "7d" }, ...this.#levels };
    writeFileSync(join(folder, "mirrors.json"), JSON.stringify(config));
  }

  async run(hours: number): Promise<void> {
    const { context, logged } = recorded({ now: () => start + hours * hour, environment: env });
    const inFolder = (name: string): string => join(folder, name);
    const [config, out, state] = [inFolder("mirrors.json"), inFolder("_site"), inFolder("state.json")];
    const code = await run({ config, out, state, json: true }, context);
    if (code !== 0) throw new Error(logged.join("\n"));
  }

  document(path: string) {
    return readFileSync(join(folder, "_site", path), "utf8");
  }

  statuses(): unknown[] {
    const { network } = JSON.parse(this.document("v1/network/s/p/t/index.json")) as {
      network: { status: number }[];
    };
    return network.map(({ status }) => status);
  }

  report() {
    return JSON.parse(this.document("v1/report/s/p/t/index.json")) as {
      reference: Record<string, unknown>;
      network: Record<string, unknown>[];
    };
  }
}

describe("the content of mirrors of a repository", () => {
  test("is described alike by the report, the page, the lists, check and pick", async () => {
    const feed = new GitFeed("described");
    await feed.create();
    await feed.run(0);
    expect(feed.report().network.map(({ freshness }) => freshness)).toEqual([
      "in_sync",
      "unknown",
      "in_sync",
    ]);
    expect(feed.report().network[1]).toMatchObject({
      status: 1,
      difference: { missing: 1, extra: 0, different: 0, names: { missing: ["refs/tags/v2"] } },
    });
    await feed.git("primary", "branch", "stable", "main~1");
    await feed.git("lost", "branch", "stable", "main~1");
    await feed.run(25);
    const { reference, network } = feed.report();
    expect(network.map(({ freshness }) => freshness)).toEqual(["in_sync", "differs", "behind"]);
    expect(network[2]).toMatchObject({ behind_since: "2026-03-02T01:00:00.000Z" });
    expect(reference).toMatchObject({ refs: 5 });
    expect(feed.statuses()).toEqual([1, 1, 1]);
    expect(feed.document("status/s/p/t/index.html")).toContain(
      "differs from the reference: 1 ref missing (v2)",
    );
    const urls = feed.document("mirrorlist/s/p/t.txt").trim().split("\n");
    expect(urls.map((url) => url.replace(/.*\//, ""))).toEqual(["primary.git", "frozen.git", "lost.git"]);

    const site = await serveSite(join(folder, "_site"), { port: 0 });
    closeAfterTest(site);
    const { context, printed } = recorded({ now: () => start + 26 * hour, environment: env });
    const timeout = 5000;
    await check(site.url, "s/p/t", { timeout, min: 1, json: true, fresh: true }, context);
    expect(printed.join("")).toMatch(/"freshness": ?"differs"/);
    printed.length = 0;
    await pick(site.url, "s/p/t", { timeout, kind: "git", format: "list" }, context);
    expect(printed.join("\n").trim().split("\n")).toEqual(urls);
  });

  test("shows a tag of the reference that was rewritten", async () => {
    const feed = new GitFeed("rewritten");
    await feed.create();
    await feed.run(0);
    await feed.git("primary", "tag", "-f", "v1", "main~2");
    await feed.run(1);
    const { reference } = feed.report();
    expect(reference).toMatchObject({ rewritten: [{ at: "2026-03-01T01:00:00.000Z", tag: "refs/tags/v1" }] });
    expect(feed.document("status/s/p/t/index.html")).toContain("The tag v1 was rewritten in the reference");
    expect(feed.document("feed.json")).toContain('"rewritten":{"tag":"refs/tags/v1"');
    expect(feed.document("feed.atom")).toContain("refs/tags/v1 of s/p/t was rewritten");
    const before = feed.document("feed.atom");
    await feed.run(2);
    expect(feed.document("feed.atom")).toBe(before);
  });

  test("makes mirrors offline if the operator says so, but not the last reachable one", async () => {
    const feed = new GitFeed("ruled", { freshness: { offlineAfter: "24h" } });
    await feed.create();
    await feed.run(0);
    await feed.git("primary", "branch", "stable", "main~1");
    await feed.run(25);
    expect(feed.statuses()).toEqual([1, 1, 1]);
    await feed.run(50);
    expect(feed.statuses()).toEqual([1, 0, 0]);
    expect(feed.report().network.slice(1)).toMatchObject([
      { code: "differs", sentence: "Its content is not that of the reference." },
      { code: "behind", sentence: "Its content is older than the operator allows." },
    ]);
    // The primary is gone: the mirror that was right once stays.
    feed.remove("primary");
    await feed.run(51);
    expect(feed.statuses()).toEqual([0, 0, 1]);
    expect(feed.report().network[2]).toMatchObject({ last_reachable: true, freshness: "behind" });
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
    // Known to have other content than the reference, it is not asked for its files.
    await probeAlone({ config, state }, context);
    expect(asked).not.toContain("HEAD /b/file");
    expect(readFileSync(state, "utf8")).toBe(before);
  });
});
