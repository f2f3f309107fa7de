import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, readdirSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { closeAfterTest } from "../../support/close-after-test.ts";
import { listenOnLoopback } from "../../support/loopback.ts";
import { git, gitEnvironment, newRemote } from "../../support/git.ts";
import { Interrupted } from "../../../src/core/base/errors.ts";
import { maxBytes } from "../../../src/core/state/store.ts";
import type { StoreOptions } from "../../../src/core/state/store.ts";
import { gitDescendants } from "../../support/processes.ts";
import { everything, put } from "../../support/folder.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { startGitRemote } from "../../support/git-remote.ts";
import { sentence } from "../../support/command-context.ts";
import { adding, never, openStore, storeOptions, type TextStore } from "../../support/storing.ts";

const place = "branch:mirrorfeed-state";
const branch = "refs/heads/mirrorfeed-state";

let temporary: string;
let remote: string;

beforeEach(async () => {
  remote = await newRemote();
  temporary = temporaryFolder();
  vi.stubEnv("TMPDIR", temporary);
});

afterEach(() => {
  vi.unstubAllEnvs();
  const leftovers = readdirSync(temporary).filter((name) => name.startsWith("mirrorfeed-state-"));
  expect(leftovers, "no repository is left in the folder for temporary files").toEqual([]);
});

function open(changes: Partial<StoreOptions> = {}): TextStore {
  return openStore(place, storeOptions({ remote, ...changes }));
}

async function inRemote(...parameters: readonly string[]): Promise<string> {
  return git(["--git-dir", remote, ...parameters]);
}

/** Replaces the branch's files, as another program might. Returns the commit. */
async function commitFiles(files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const commands = [
    `commit ${branch}\nmark :1\ncommitter Another <another@localhost> now\ndata <<.\nby hand\n.\n`,
    ...Object.entries(files).flatMap(([path, content]) => {
      return [`M 100644 inline ${path}\ndata ${Buffer.byteLength(content)}\n`, content, "\n"];
    }),
    "get-mark :1\n",
  ];
  // By default, Git would write all objects twice.
  const settings = ["-c", "fastimport.unpackLimit=0", "-c", "core.compression=1"];
  const parameters = ["--git-dir", remote, "fast-import", "--quiet", "--force", "--date-format=now"];
  return git([...settings, ...parameters], commands);
}

function hook(name: string, ...lines: readonly string[]): void {
  put(remote, { [`hooks/${name}`]: ["#!/bin/sh", ...lines, ""].join("\n") });
  chmodSync(join(remote, "hooks", name), 0o755);
}

describe("a state on a branch", () => {
  test("is undefined on a first run, and comes back as it was stored: one file in one commit", async () => {
    expect(await open().load()).toBeUndefined();
    await open().save(adding("one ä\u{1f600}"));
    await open().save(adding("two"));
    expect(await open().load()).toBe("one ä\u{1f600}\ntwo\n");
    const message = await inRemote("log", "--format=%an%n%s%n%b", branch);
    expect(message).toBe("mirrorfeed\nmirrorfeed state\n[skip ci]");
    expect(await inRemote("ls-tree", "-r", "--name-only", branch)).toBe("state.json");
    expect(await inRemote("for-each-ref", "--format=%(refname)")).toBe(branch);
  });

  test("keeps the last state of each of ten days, and each can be restored", async () => {
    let now = Date.parse("2026-03-01T06:00:00Z");
    const save = (text: string) => open({ now: () => now }).save(() => text);
    const states = ["log", "--format=%cI %H", branch];
    for (let run = 0; run < 13; run += 1) {
      await save(`run ${run}`);
      // Only the last two days have two runs.
      now += (run < 9 ? 24 : 12) * 3_600_000;
    }
    const commits = (await inRemote(...states)).split("\n").map((line) => line.split(" "));
    expect(commits.map(([time = ""]) => time.slice(0, 10))).toEqual(
      Array.from({ length: 10 }, (_, day) => `2026-03-${String(11 - day).padStart(2, "0")}`),
    );
    const texts = commits.map(([, commit]) => inRemote("show", `${commit}:state.json`));
    expect(await Promise.all(texts)).toEqual([12, 10, 8, 7, 6, 5, 4, 3, 2, 1].map((run) => `run ${run}`));
    await inRemote("gc", "--quiet", "--prune=now");
    expect(await inRemote("count-objects", "-v")).toContain("in-pack: 30\n");
    expect(await inRemote("fsck", "--strict", "--no-dangling")).toBe("");

    const [, [, earlier = ""] = []] = commits;
    const store = open({ now: () => now });
    await store.load();
    expect(store.isRestored()).toBe(false);
    const remedy = `restore the commit ${earlier.slice(0, 12)} of the branch "mirrorfeed-state"`;
    expect(store.earlier()).toBe(remedy);
    await inRemote("update-ref", branch, earlier);
    expect(await store.load()).toBe("run 10");
    expect([store.isRestored(), store.earlier()]).toEqual([true, undefined]);
    await store.save(() => "next");
    expect((await inRemote(...states)).split("\n")).toHaveLength(2);
    await store.load();
    expect(store.isRestored()).toBe(false);
  });
});

describe("the repository of the user", () => {
  async function checkout(origin?: string): Promise<string> {
    const folder = join(temporaryFolder(), "checkout");
    await git(["init", "--quiet", folder]);
    if (origin !== undefined) await git(["-C", folder, "remote", "add", "origin", origin]);
    put(folder, { "staged.txt": "staged", "feed/mirrors.json": "{}" });
    await git(["-C", folder, "add", "staged.txt"]);
    return folder;
  }

  test("names the remote by its origin, and is left as it is", async () => {
    const folder = await checkout(remote);
    const before = everything(folder);
    const store = openStore(place, storeOptions({ folder: join(folder, "feed") }));
    await store.save(adding("one"));
    expect(await store.load()).toBe("one\n");
    expect(await open().load()).toBe("one\n");
    expect(everything(folder)).toEqual(before);
  });

  test.each([
    ["without an origin", () => checkout(), "No such remote"],
    ["that is none", () => Promise.resolve(temporaryFolder()), "not a git repository"],
  ])("%s fails with what is missing", async (_, make, reason) => {
    const folder = await make();
    const message = await sentence(openStore(place, storeOptions({ folder })).load());
    const [start, end] = message.split(reason);
    expect(start).toMatch(/ \("(?:error|fatal): $/);
    expect(start).toContain(`${folder} is not in a Git repository with a remote named origin (`);
    expect(end).toMatch(/"\); name the remote with --state-remote\.$/);
  });
});

describe("writers at the same time", () => {
  test("three that add a line each lose none, and few tries are needed", async () => {
    const lines = Array.from({ length: 3 }, (_, index) => `line ${index}`);
    const tries = await Promise.all(
      lines.map(async (line) => {
        let count = 0;
        await open().save((current) => {
          count += 1;
          return adding(line)(current);
        });
        return count;
      }),
    );
    expect((await open().load())?.trimEnd().split("\n").sort()).toEqual(lines.sort());
    expect(Math.max(...tries)).toBeLessThanOrEqual(5);
    expect(await inRemote("rev-list", "--count", branch)).toBe("1");
  });

  test("give up, and lose nothing, where the branch never stands still", async () => {
    const tips: string[] = [];
    for (let other = 0; other < 12; other += 1)
      tips.push(await commitFiles({ "state.json": `theirs ${other}` }));
    const seen: (string | undefined)[] = [];
    const saved = open({ random: () => 0 }).save((current) => {
      execFileSync("git", ["--git-dir", remote, "update-ref", branch, tips[seen.length] ?? ""]);
      seen.push(current);
      return "new";
    });
    expect(await sentence(saved)).toBe(
      `The branch "mirrorfeed-state" of "${remote}" was changed by other runs 10 times in a row; run again when fewer runs are active.`,
    );
    expect(seen).toEqual(["theirs 11", ...Array.from({ length: 9 }, (_, other) => `theirs ${other}`)]);
    expect(await open().load()).toBe("theirs 9");
  });
});

describe("a remote that does not play along", () => {
  const denied = `remote: error: denying non-fast-forward ${branch} (you should pull first)`;
  test.each([
    ["as its hook does", "false", "echo 'no state on Sundays' >&2; exit 1", "remote: no state on Sundays"],
    ["as it takes no forced push", "true", "exit 0", denied],
  ])("rejects the push, %s: that is reported, and nothing is changed", async (_, deny, ending, reason) => {
    await open().save(() => "one");
    await inRemote("config", "receive.denyNonFastForwards", deny);
    hook("pre-receive", "cat > /dev/null", ending);
    expect(await sentence(open({ random: () => 0 }).save(() => "two"))).toBe(
      `The branch "mirrorfeed-state" of "${remote}" cannot be replaced: "${reason}" and "error: failed to push some refs to '${remote}'"; check the address, the network and your permission to force-push to this branch there.`,
    );
    expect(await open().load()).toBe("one");
  });

  test("rejects a push once, as a busy server does: it is tried again", async () => {
    hook("pre-receive", "cat > /dev/null", 'mkdir "$GIT_DIR/rejected" 2> /dev/null && exit 1', "exit 0");
    await open().save(adding("one"));
    expect(readdirSync(remote)).toContain("rejected");
    expect(await open().load()).toBe("one\n");
  });

  test("takes the push and loses the answer: it is not pushed twice", async () => {
    hook("post-receive", "cat > /dev/null", "kill -9 $PPID");
    let calls = 0;
    await open().save((current) => {
      calls += 1;
      return adding("one")(current);
    });
    expect(calls).toBe(1);
    expect(await open().load()).toBe("one\n");
  });

  test("does not exist: that is not a first run", async () => {
    remote = join(temporaryFolder(), "gone.git");
    const expected = `The branch "mirrorfeed-state" of "${remote}" cannot be read: "fatal: '${remote}' does not appear to be a git repository"; check the address, the network and your permission to read there.`;
    expect(await sentence(open().load())).toBe(expected);
    expect(await sentence(open().save(never))).toBe(expected);
  });

  test("is not waited for longer than is allowed, nor when the person asks to stop, and no git is left", async () => {
    const server = createServer();
    const silent = closeAfterTest(await listenOnLoopback(server));
    const url = `${silent.url}/state.git`;
    expect(await sentence(open({ remote: url, timeoutMs: 500 }).load())).toBe(
      `git ls-remote with "${url}" took longer than 0.5 s; check the network and run again.`,
    );
    expect(await gitDescendants()).toEqual([]);
    const interruption = new AbortController();
    const saved = open({ remote: url, interrupt: interruption.signal }).save(never);
    await once(server, "connection");
    interruption.abort(new Interrupted());
    await expect(saved).rejects.toThrow(Interrupted);
    expect(await gitDescendants()).toEqual([]);
  });
});

describe("a branch that holds no state is never a first run", () => {
  const notTheOne = "does not contain exactly one file, state.json, so it was left unchanged";
  test.each<[string, Record<string, string | Buffer>, string]>([
    ["more than the state", { "state.json": "{}", "README.md": "hello" }, notTheOne],
    ["a file of 128 MiB and more", { "state.json": Buffer.alloc(maxBytes + 1) }, "is larger than 128 MiB"],
  ])("%s", async (_, files, problem) => {
    const before = await commitFiles(files);
    expect(await sentence(open().load())).toContain(problem);
    expect(await sentence(open().save(never))).toContain(problem);
    expect(await inRemote("rev-parse", branch)).toBe(before);
  });

  describe("of more bytes than a fetch may bring", () => {
    const mebibyte = 1024 * 1024;
    const large = { "state.json": randomBytes(3 * mebibyte) };
    const names = Array.from({ length: 800 }, (_, index) => `${index}.txt`);
    const many = Object.fromEntries(names.map((name) => [name, randomBytes(4096)]));

    test.each([
      ["in one file", large],
      ["in many small files beside the state", { "state.json": "{}", ...many }],
    ])("%s", async (_, files) => {
      await commitFiles(files);
      const before = everything(remote);
      const store = open({ maxBytes: mebibyte });
      const refusal = `The branch "mirrorfeed-state" of "${remote}" holds more than 1 MiB, so it was left unchanged; give the state its own branch with --state.`;
      expect(await sentence(store.load())).toBe(refusal);
      expect(await sentence(store.save(never))).toBe(refusal);
      expect(everything(remote)).toEqual(before);
    });
  });
});

describe("a remote over https that asks who is there", () => {
  const token = "ghs_A1b2C3d4E5f6G7h8I9";
  let folder: string;
  let server: Awaited<ReturnType<typeof startGitRemote>>;
  let environment: Record<string, string | undefined>;

  beforeEach(async () => {
    folder = dirname(remote);
    server = closeAfterTest(await startGitRemote(folder, token));
    put(folder, { "cert.pem": server.cert });
    environment = { ...gitEnvironment, GIT_SSL_CAINFO: join(folder, "cert.pem"), no_proxy: "*" };
  });

  const url = (): string => `${server.url}/remote.git`;

  test("gets the token", async () => {
    const store = open({ remote: url(), environment: { ...environment, MIRRORFEED_TOKEN: token } });
    expect(await store.load()).toBeUndefined();
    await store.save(adding("one"));
    await store.save(adding("two"));
    expect(await store.load()).toBe("one\ntwo\n");
  });

  test.each([
    [{ MIRRORFEED_TOKEN: "wrong" }, "and that the token is valid and can read."],
    [{ GITHUB_TOKEN: token }, "and set the environment variable MIRRORFEED_TOKEN to a token."],
  ])("and gets only %j says so, and is not a first run", async (tokens, remedy) => {
    const store = open({ remote: url(), environment: { ...environment, ...tokens } });
    for (const action of [() => store.load(), () => store.save(never)]) {
      const message = await sentence(action());
      expect(message).toContain(`The branch "mirrorfeed-state" of "${url()}" cannot be read: `);
      expect(message.endsWith(remedy), message).toBe(true);
    }
    expect(await inRemote("for-each-ref")).toBe("");
  });
});

const names = ["a b", "", ..."-x a..b a/ a//b a.lock a/.b a:b HEAD ä".split(" ")];
test.each(names)("no branch has the name %j", (name) => {
  const message = "is not a valid name for the state branch";
  expect(() => openStore(`branch:${name}`, storeOptions())).toThrow(message);
});

test("git that is missing is a sentence", async () => {
  const store = open({ remote: "/nowhere", environment: { PATH: "/nowhere" } });
  const message = "git is required but not on the PATH; install it from https://git-scm.com.";
  expect(await sentence(store.load())).toBe(message);
});
