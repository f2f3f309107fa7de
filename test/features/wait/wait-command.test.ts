import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { wait, type WaitOptions } from "../../../src/features/wait/wait-command.ts";
import { Interrupted } from "../../../src/core/base/errors.ts";
import type { CommandContext } from "../../../src/core/base/terminal/context.ts";
import { gitServer } from "../../support/git-server.ts";
import { startServer } from "../../support/mirror-server.ts";
import { closeAfterTest } from "../../support/close-after-test.ts";
import { recorded, sentence } from "../../support/command-context.ts";
import { type FileServer, serveFiles, type ServedFiles } from "../../support/file-server.ts";
import { git, gitEnvironment } from "../../support/git.ts";
import { nowhere } from "../../support/loopback.ts";
import { mirrorsOf, target } from "../../support/one-target.ts";
import { soon } from "../../support/serving.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const [second, minute, hour] = [1000, 60_000, 3_600_000];

const defaults = { min: { percent: 100 }, timeout: hour, config: "mirrors.json" };

/** Actions to run during the pauses, one for each. The last one is repeated for all later pauses. */
type Pauses = readonly (() => unknown)[];

type Changes = Partial<CommandContext>;

/** Runs `wait` with a clock that advances only during pauses. */
async function waitFor(options: Partial<WaitOptions>, pauses: Pauses = [], more: Changes = {}) {
  let now = soon;
  const slept: number[] = [];
  const environment = { XDG_CACHE_HOME: temporaryFolder() };
  const own = { now: () => now, random: () => 0, environment, ...more };
  const { context, printed, logged, progressed } = recorded(own);
  const code = await wait(target, { ...defaults, ...options }, context, async (ms, interrupt) => {
    interrupt.throwIfAborted();
    await (pauses[slept.length] ?? pauses.at(-1))?.();
    slept.push(ms);
    now += ms;
  });
  const countOf = (title: RegExp) => progressed.filter((one) => title.test(String(one))).length;
  expect(countOf(/^Waiting$/)).toBe(slept.length);
  expect(countOf(/^stop$/)).toBe(countOf(/^[A-Z]/));
  return { code, printed: printed.join("\n"), logged, slept };
}

/** Writes a mirrors.json with mirrors at these URLs. The first is the primary. */
function mirrorsAt(urls: readonly string[], probe = {}, more = {}, ofTarget: object = { primary: 1 }) {
  const config = join(temporaryFolder(), "mirrors.json");
  const nodes = urls.map((url) => ({ url }));
  const settings = { allowPrivate: true, timeout: "5s", attempts: 1, ...probe };
  writeFileSync(config, mirrorsOf(nodes, { probe: settings, ...more }, ofTarget));
  return config;
}

const asAuthor = ["-c", "user.name=A", "-c", "user.email=a@example.org"];

/** Serves clones of a repository, each on its own host, with the real `git http-backend`. */
async function startGitMirrors(count = 5) {
  const root = temporaryFolder();
  const origin = join(root, "origin.git");
  await git(["init", "--quiet", "--bare", "--template=", "--initial-branch=main", origin]);
  const inOrigin = (...parameters: readonly string[]) => git(["-C", origin, ...asAuthor, ...parameters]);
  const commit = async (subject: string): Promise<string> => {
    const tree = await inOrigin("mktree", "--missing");
    const id = await inOrigin("commit-tree", tree, "-m", subject);
    await inOrigin("update-ref", "refs/heads/main", id);
    return id;
  };
  await commit("First");
  const folders = Array.from("abcde".slice(0, count), (name) => join(root, `${name}.git`));
  for (const folder of folders) await git(["clone", "--quiet", "--mirror", origin, folder]);
  const servers = await Promise.all(folders.map(() => startServer(gitServer(root, gitEnvironment))));
  for (const server of servers) closeAfterTest(server);
  return {
    commit,
    inOrigin,
    servers,
    urls: servers.map(({ url }, index) => `${url}/${"abcde"[index] ?? ""}.git`),
    push: async (mirrors: string, ...refs: readonly string[]): Promise<void> => {
      for (const name of mirrors)
        await inOrigin("push", "--quiet", "--force", join(root, `${name}.git`), ...refs);
    },
  };
}

function hosts(text: string): string {
  return text.replaceAll(/127\.0\.0\.1:\d+\//g, "");
}

describe("for a Git ref", () => {
  test("a release reaches 80 % of five mirrors over three pushes", async () => {
    const { commit, inOrigin, push, urls, servers } = await startGitMirrors();
    await commit("Release");
    await inOrigin("tag", "--annotate", "--message", "Version 2", "v2.0");
    const requests = (): number[] => servers.map((server) => server.requests);
    let before: number[] = [];
    const { code, printed, logged, slept } = await waitFor(
      { config: mirrorsAt(urls), ref: "v2.0", min: { percent: 80 }, timeout: 24 * hour },
      [
        () => push("a", "main", "v2.0"),
        () => push("bc", "main", "v2.0"),
        () => {
          before = requests();
          return push("d", "main", "v2.0");
        },
      ],
    );
    expect(code).toBe(0);
    const late = "  http://e.git  It does not have the release yet.";
    expect(hosts(printed)).toBe(`${target}: 4 of 5 mirrors have v2.0.\n${late}`);
    expect(logged.map(hosts)).toEqual([
      "2026-03-10T12:01:00Z 0 of 5 mirrors have v2.0; waiting for a.git, b.git, c.git, d.git, e.git.",
      "2026-03-10T12:01:30Z 1 of 5 mirrors have v2.0; waiting for b.git, c.git, d.git, e.git.",
      "2026-03-10T12:02:30Z 3 of 5 mirrors have v2.0; waiting for d.git, e.git.",
      "2026-03-10T12:04:30Z 4 of 5 mirrors have v2.0; waiting for e.git.",
    ]);
    expect(slept).toEqual([30 * second, minute, 2 * minute]);
    // The last round asked only the primary and the mirrors without the tag.
    const wereAsked = requests().map((count, index) => count > (before[index] ?? 0));
    expect(wereAsked).toEqual([true, false, false, true, true]);
  });

  test("a mirror whose ref is another object than that of the primary lacks it, and says so", async () => {
    const { commit, inOrigin, push, urls } = await startGitMirrors();
    await inOrigin("tag", "v2.0");
    await push("bcde", "v2.0");
    const id = await commit("Release");
    await inOrigin("tag", "--force", "v2.0");
    await push("abd", "v2.0");
    const options = { config: mirrorsAt(urls), ref: "refs/tags/v2.0", timeout: second };
    const { code, printed } = await waitFor(options);
    expect(code).toBe(1);
    expect(hosts(printed)).toMatch(
      new RegExp(
        `^${target}: 3 of 5 mirrors have refs/tags/v2.0; --min requires 5.\n  http://c.git +It has [0-9a-f]{12} instead of ${id.slice(0, 12)}.\n  http://e.git`,
      ),
    );
  });

  test("a branch is compared with the primary, which is asked in each round", async () => {
    const { commit, push, urls } = await startGitMirrors(3);
    const moved = async (): Promise<void> => {
      await commit("Another");
      await push("a", "main");
    };
    await moved();
    const movedAgain = async (): Promise<void> => {
      await push("b", "main");
      await moved();
    };
    const options = { config: mirrorsAt(urls), ref: "main", json: true };
    const { code, slept, printed } = await waitFor(options, [movedAgain, () => push("bc", "main")]);
    expect([code, slept.length]).toEqual([0, 2]);
    expect(JSON.parse(printed)).toEqual({
      target,
      ref: "main",
      outcome: "reached",
      started_at: "2026-03-10T12:01:00.000Z",
      ended_at: "2026-03-10T12:02:30.000Z",
      mirrors: urls.map((url, index) => ({ id: index + 1, url, has: true })),
    });
  });

  test("without a primary, the tag that most mirrors have counts, and a branch cannot", async () => {
    const { commit, inOrigin, push, urls } = await startGitMirrors(3);
    await inOrigin("tag", "v2.0");
    await push("a", "v2.0");
    await commit("Release");
    await inOrigin("tag", "--force", "v2.0");
    await push("bc", "v2.0");
    const config = mirrorsAt(urls, {}, {}, {});
    const { code, printed } = await waitFor({ config, ref: "v2.0", min: { count: 2 } });
    expect(code).toBe(0);
    expect(hosts(printed).split("\n")[1]).toMatch(/a\.git +It has .* instead/);
    expect(await waitFor({ config, ref: "main", timeout: second })).toMatchObject({ code: 1 });
    const refusal = await sentence(waitFor({ config, ref: "refs/heads/main" }));
    expect(refusal).toMatch(/^The target has no primary to compare/);
  });

  test("a ref past the bound of the advertisement is found, or told apart from a missing one", async () => {
    const { inOrigin, push, urls } = await startGitMirrors(2);
    const head = await inOrigin("rev-parse", "main");
    const refs = Array.from({ length: 300 }, (_, index) => `create refs/tags/v1.${index} ${head}\n`);
    const origin = await inOrigin("rev-parse", "--absolute-git-dir");
    await git(["-C", origin, "update-ref", "--stdin"], refs.join(""));
    await push("ab", "--tags");
    await inOrigin("tag", "v2.0");
    await push("a", "v2.0");
    const config = mirrorsAt(urls, { maxBytes: 4096 });
    const { code, printed } = await waitFor({ config, ref: "v2.0", timeout: second });
    expect(code).toBe(1);
    expect(hosts(printed)).toContain("1 of 2 mirrors have v2.0");
    expect(hosts(printed)).toContain("b.git  It does not have the release yet.");
  });

  test("refs that cannot be read are not taken for missing ones", async () => {
    const id = "9f2c41d07b8e5a6390d4cf1e2ab7385560c91d2e";
    const files = { "/a/info/refs?service=git-upload-pack": `${id}\trefs/tags/v2.0\n` };
    const { url } = closeAfterTest(await serveFiles(files));
    const config = mirrorsAt([`${url}/a`]);
    const { code, printed } = await waitFor({ config, ref: "v2.0", timeout: second });
    expect([code, printed]).toEqual([1, expect.stringContaining("Its refs could not be read.")]);
  });
});

test("for a revision, the first characters of HEAD are enough", async () => {
  const { commit, push, urls } = await startGitMirrors(2);
  const id = await commit("Release");
  await push("a", "main");
  const revision = id.slice(0, 7);
  const options = { config: mirrorsAt(urls), revision };
  const waited = await waitFor(options, [() => push("b", "main")]);
  const printed = `${target}: 2 of 2 mirrors have revision ${revision}.`;
  expect(waited).toMatchObject({ code: 0, printed, slept: [30 * second] });
});

const path = "releases/2.0.tar.gz";

describe("for a file", () => {
  async function startFiles(...all: readonly ServedFiles[]): Promise<FileServer[]> {
    const servers = await Promise.all(all.map((files) => serveFiles(files)));
    return servers.map((server) => closeAfterTest(server));
  }

  const config = (servers: readonly { readonly url: string }[], more: object = {}): string => {
    const urls = servers.map(({ url }) => `${url}/mirror/`);
    return mirrorsAt(urls, { kind: "http" }, more);
  };

  test("only its head is asked for, by GET where HEAD is refused, and a page is no archive", async () => {
    const page: ServedFiles = {
      [`/mirror/${path}`]: ({ response }) => {
        response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html>");
      },
    };
    const refusing: ServedFiles = {
      [`/mirror/${path}`]: ({ request, response }) => {
        response.writeHead(request.method === "HEAD" ? 405 : 200).end();
      },
    };
    const servers = await startFiles({ [`/mirror/${path}`]: "v2" }, refusing, page, {});
    const { code, printed } = await waitFor({ config: config(servers), path, timeout: second });
    expect(code).toBe(1);
    expect(hosts(printed).split("\n")).toEqual([
      `${target}: 2 of 4 mirrors have ${path}; --min requires 4.`,
      "  http://mirror/  Its answer does not have the expected content.",
      "  http://mirror/  It does not have the release yet.",
    ]);
    expect(servers.map(({ requests }) => requests[0])).toEqual(servers.map(() => `HEAD /mirror/${path}`));
    expect(servers[1]?.requests[1]).toBe(`GET /mirror/${path}`);
  });

  test("its size must be right and known, if --size names one", async () => {
    const unknown: ServedFiles = {
      [`/mirror/${path}`]: ({ response }) => {
        response.writeHead(200, { "transfer-encoding": "chunked" }).end();
      },
    };
    const [whole, half] = [{ [`/mirror/${path}`]: "v2.0" }, { [`/mirror/${path}`]: "v2" }];
    const servers = await startFiles(whole, half, unknown);
    const options = { config: config(servers), path, size: 4, timeout: second };
    const { printed } = await waitFor({ ...options, json: true });
    const missing = { url: expect.any(String), has: false, code: "wrong_size" };
    expect(JSON.parse(printed)).toHaveProperty("size", 4);
    expect(JSON.parse(printed)).toHaveProperty("mirrors", [
      { id: 1, url: expect.any(String), has: true },
      { id: 2, ...missing, sentence: "The file has 2 bytes." },
      { id: 3, ...missing, sentence: "It does not say how large the file is." },
    ]);
    expect(await sentence(waitFor({ ref: "v2.0", size: 4 }))).toContain("name the file with --path");
  });

  test("once enough mirrors have it, the others are not waited for", async () => {
    const never: ServedFiles = { [`/mirror/${path}`]: () => undefined };
    const servers = await startFiles(never, { [`/mirror/${path}`]: "v2" }, never);
    const startedAt = performance.now();
    const { code, printed } = await waitFor({ config: config(servers), path, min: { count: 1 } });
    expect([code, performance.now() - startedAt < 4000]).toEqual([0, true]);
    expect(printed).toContain("It has not answered yet.");
  });

  test("over HTTP, the controls must answer first, because a captive portal has every file", async () => {
    const [mirror, portal] = await startFiles({ [`/mirror/${path}`]: "v2" }, { "/": "log in" });
    const controls = [{ url: portal?.url, text: "online" }];
    const offline = mirrorsAt([`${mirror?.url}/mirror/`], { kind: "http", controls });
    expect(await waitFor({ config: offline, path, timeout: second })).toMatchObject({ code: 3 });
  });

  test("a plus is encoded, since buckets take it for a blank", async () => {
    const [server] = await startFiles({ "/mirror/libstdc%2B%2B.tar.gz": "v2" });
    const options = { config: config(server ? [server] : []), path: "libstdc++.tar.gz" };
    expect(await waitFor(options)).toMatchObject({ code: 0 });
  });

  test("a machine that stood still during a round tries again", async () => {
    let now = soon;
    let jumps = 2;
    const sleepy: ServedFiles = {
      [`/mirror/${path}`]: ({ response }) => {
        if (jumps > 0) now += 10 * second;
        jumps -= 1;
        response.destroy();
      },
    };
    const [server] = await startFiles(sleepy);
    const pause = (): void => {
      now += 30 * second;
      server?.files.set(`/mirror/${path}`, "v2");
    };
    const options = { config: config(server ? [server] : []), path };
    const { code, logged } = await waitFor(options, [pause], { now: () => now });
    expect(code).toBe(0);
    expect(logged).toEqual(
      ["stalled twice", "1 of 1 mirror has"].map((text): unknown => expect.stringContaining(text)),
    );
  });

  test("a warning is not repeated in each round", async () => {
    const private_ = mirrorsAt([nowhere], { kind: "http", allowPrivate: false });
    const { code, logged, slept } = await waitFor({ config: private_, path });
    expect([code, slept.length > 3]).toEqual([1, true]);
    expect(logged.filter((line) => line.includes("1 mirror not probed"))).toHaveLength(1);
  });

  test("a mirror in maintenance is left alone", async () => {
    const servers = await startFiles({ [`/mirror/${path}`]: "v2" }, {});
    const times = { from: new Date(soon - hour).toISOString(), to: new Date(soon + 2 * hour).toISOString() };
    const maintenance = [{ scope: 2, ...times, reason: "New disks" }];
    const { code, printed } = await waitFor({ config: config(servers, { maintenance }), path });
    expect(code).toBe(1);
    expect(hosts(printed)).toContain("http://mirror/  It is in maintenance (New disks).");
    expect(servers.map(({ requests }) => requests.length)).toEqual([1, 0]);
  });

  test("mirrors that are offline are told from a prober that is offline", async () => {
    const [good = { url: "", requests: [] }] = await startFiles({ [`/mirror/${path}`]: "v2" });
    const dead = ["http://127.0.0.1:2", "http://127.0.0.1:3"].map((url) => ({ url }));
    const offline = await waitFor({ config: config(dead), path, timeout: minute });
    expect(offline).toMatchObject({ code: 3, slept: [30 * second, 30 * second] });
    expect(offline.logged).toEqual([expect.stringContaining("This machine is offline")]);
    const online = await waitFor({ config: config([good, ...dead]), path, timeout: minute });
    expect([online.code, good.requests.length]).toEqual([1, 3]);
    expect(online.printed).toContain("http://127.0.0.1:3/mirror/  It refused the connection.");
  });
});

describe("usage", () => {
  test.each<Partial<WaitOptions>>([{}, { ref: "v2.0", path }])("%j is refused", async (options) => {
    const refusal = await sentence(waitFor(options));
    expect(refusal).toContain("wait needs exactly one of --ref, --path and --revision");
  });

  const misspelt = "community/jcb/package";
  test.each<[string, Partial<WaitOptions>, string, string?]>([
    ["an unknown target", {}, `no mirrors for "${misspelt}"; did you mean ${target}?`, misspelt],
    ["more mirrors than there are", { min: { count: 6 } }, "has only 1 mirror, fewer than --min requires"],
    ["a ref of files", { path: undefined, ref: "v2.0" }, "is probed as http; use --path or --revision."],
  ])("%s is refused for mirrors.json", async (_, options, text, place = target) => {
    const config = mirrorsAt([nowhere], { kind: "http" });
    const { context } = recorded();
    const refused = wait(place, { ...defaults, config, path, ...options }, context);
    expect(await sentence(refused)).toContain(text);
  });

  test("an interrupt ends the wait at once", async () => {
    const controller = new AbortController();
    const { context } = recorded({ now: Date.now, interrupt: controller.signal });
    const config = mirrorsAt([nowhere], { kind: "http" });
    const waiting = wait(target, { ...defaults, config, path }, context);
    setTimeout(() => {
      controller.abort(new Interrupted());
    }, 300);
    await expect(waiting).rejects.toThrow(Interrupted);
  });
});
