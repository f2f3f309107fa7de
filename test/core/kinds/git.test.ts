import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import type { HttpResponse } from "../../../src/core/base/http/response.ts";
import { parseAdvertisement } from "../../../src/core/kinds/git-advertisement.ts";
import { defaultRefs, isBranchName, type RefPatterns, selectRefs } from "../../../src/core/kinds/git-refs.ts";
import { observationSchema } from "../../../src/core/probe/observation.ts";
import { formatRefSet, parseRefSet } from "../../../src/core/probe/ref-set.ts";
import {
  advertise,
  advertisement,
  headId,
  mediaType,
  numberedRefs,
  objectId,
  pktLine,
} from "../../support/advertisement.ts";
import { anyCharacter } from "../../support/any-url.ts";
import { classifyGit } from "../../support/classify-git.ts";
import { good, packet, service } from "../../support/raw-answer.ts";
import { printingGit } from "../../support/git.ts";
import { probeUrl, type ProbingOptions } from "../../support/probing.ts";
import { type Testbed, startTestbed } from "../../support/start-testbed.ts";

const git = printingGit({ ...env, GIT_COMMITTER_NAME: "t", GIT_COMMITTER_EMAIL: "t@example.org" }, never());
const testbed = await startTestbed();
let server: Awaited<ReturnType<Testbed["startServer"]>>;
let requests: string[] = [];

beforeAll(async () => {
  const backend = testbed.gitServer(testbed.folder);
  server = await testbed.startServer((exchange) => {
    requests.push(`${exchange.request.method} ${exchange.path}`);
    return backend(exchange);
  });
});

function never(): AbortSignal {
  return new AbortController().signal;
}

/** Copies the good repository, and runs Git commands in the copy. */
async function copyOf(name: string, ...commands: readonly (readonly string[])[]): Promise<void> {
  const folder = join(testbed.folder, `${name}.git`);
  await git(["clone", "--quiet", "--bare", "--template=", testbed.repositories.good.folder, folder]);
  for (const command of commands) await git(["-C", folder, ...command]);
}

/** Returns the refs that `git ls-remote` lists, without peeled tags. */
async function listed(name: string): Promise<ReadonlyMap<string, string>> {
  const lines = (await git(["ls-remote", `${server.url}/${name}.git`])).split("\n");
  const pairs = lines.filter((line) => line !== "" && !line.endsWith("^{}")).map((line) => line.split("\t"));
  return new Map(pairs.map(([id = "", ref = ""]) => [ref, id]));
}

async function probe(name: string, options: ProbingOptions = {}) {
  requests = [];
  const result = await probeUrl(`${server.url}/${name}.git`, { timeoutMs: 20_000, ...options });
  return { ...result, requests: [...requests] };
}

const query = "info/refs?service=git-upload-pack";
const tag = ["tag", "-a", "-m", "A tag", "v1", "main"];

describe("the refs of a real repository are those of git ls-remote", () => {
  test.each<[string, string, readonly (readonly string[])[]]>([
    ["with branches and tags", "plain", [["branch", "stable", "main~1"], ["tag", "light"], tag]],
    ["packed", "packed", [tag, ["pack-refs", "--all"]]],
    ["after a tag was deleted", "deleted", [tag, ["tag", "-d", "v1"]]],
    ["with a HEAD that names no branch", "detached", [["update-ref", "--no-deref", "HEAD", "main~1"]]],
    ["with a HEAD that names a missing branch", "headless", [["symbolic-ref", "HEAD", "refs/heads/gone"]]],
  ])("%s", async (_, name, commands) => {
    await copyOf(name, ...commands);
    const { code, refs, requests: made } = await probe(name);
    expect({ code, refs }).toEqual({ code: "ok", refs: await listed(name) });
    expect(made).toHaveLength(1);
  });

  test("of an empty one, and one with SHA-256", async () => {
    await git(["init", "--quiet", "--bare", "--template=", join(testbed.folder, "empty.git")]);
    expect(await probe("empty")).toMatchObject({ code: "ok", refs: new Map() });
    const folder = join(testbed.folder, "sha256.git");
    await git(["init", "--quiet", "--bare", "--object-format=sha256", folder]);
    const tree = await git(["-C", folder, "hash-object", "-t", "tree", "-w", "--stdin"], "");
    const commit = `tree ${tree}\nauthor t <t@example.org> 0 +0000\ncommitter t <t@example.org> 0 +0000\n\n1\n`;
    const id = await git(["-C", folder, "hash-object", "-t", "commit", "-w", "--stdin"], commit);
    for (const ref of ["refs/heads/main", "refs/tags/v1"]) await git(["-C", folder, "update-ref", ref, id]);
    await git(["-C", folder, "symbolic-ref", "HEAD", "refs/heads/main"]);
    expect(id).toHaveLength(64);
    const { refs, revision } = await probe("sha256");
    expect({ refs, revision }).toEqual({ refs: await listed("sha256"), revision: id });
    // The result is the same if the refs are listed by a second request.
    const bounded = await probe("sha256", { maxBytes: 480 });
    expect({ refs: bounded.refs, requests: bounded.requests.length }).toEqual({ refs, requests: 2 });
  });

  test("of 100,000 refs: one more request lists those that are compared", async () => {
    const id = testbed.repositories.good.head;
    const name = (number: number) => String(number).padStart(6, "0");
    const pulls = Array.from({ length: 100_000 }, (_, number) => `${id} refs/pull/${name(number)}/head\n`);
    const packedRefs = `# pack-refs with: peeled fully-peeled sorted \n${id} refs/heads/main\n${pulls.join("")}${id} refs/tags/v1\n`;
    await copyOf("many");
    writeFileSync(join(testbed.folder, "many.git/packed-refs"), packedRefs);
    const found = await probe("many");
    const names = ["HEAD", "refs/heads/main", "refs/tags/v1"];
    const refs = new Map(names.map((ref) => [ref, id]));
    expect(found).toMatchObject({ code: "ok", partial: true, branch: "main", refs });
    expect(found.requests).toEqual([`GET /many.git/${query}`, "POST /many.git/git-upload-pack"]);
    const all = await probe("many", { options: { refs: ["refs/*"] } });
    expect(all).toMatchObject({ code: "ok", refs_unread: "too_many", revision: id });
    expect(all.refs).toBeUndefined();
    expect((await probe("many", { options: { refs: "HEAD" } })).requests).toHaveLength(1);
  });
});

describe("the branch that the reference's HEAD names", () => {
  /** Probes a mirror whose HEAD names `trunk`. */
  const probeTrunk = (branch: string, refs: unknown = "HEAD", maxBytes?: number) => {
    const context = { reference: { revision: headId, branch } };
    return probe("trunk", { options: { refs }, context, ...(maxBytes !== undefined && { maxBytes }) });
  };

  test("is read of a mirror whose HEAD names another one", async () => {
    await copyOf("trunk", ["branch", "trunk", "main~1"], ["symbolic-ref", "HEAD", "refs/heads/trunk"]);
    const all = await listed("trunk");
    const expected = ["HEAD", "refs/heads/main"].map((name) => [name, all.get(name)]);
    const found = await probeTrunk("refs/heads/main");
    expect([...(found.refs ?? [])]).toEqual(expected);
    expect(found).toMatchObject({ revision: all.get("refs/heads/trunk"), branch: "trunk" });
    expect(found.requests).toHaveLength(1);
    // The list is cut off before the branch, so a second request is needed.
    const cut = await probeTrunk("refs/heads/main", "HEAD", 400);
    expect([...(cut.refs ?? [])]).toEqual(expected);
    expect(cut.requests).toHaveLength(2);
    const tags = await probeTrunk("refs/heads/main", ["refs/tags/*"]);
    expect([...(tags.refs ?? [])]).toEqual(expected);
  });

  test("needs no further refs if the mirror's HEAD names it", async () => {
    const cheap = await probeTrunk("refs/heads/trunk", "HEAD", 450);
    expect(cheap).toMatchObject({ code: "ok", branch: "trunk" });
    expect(cheap.refs).toBeUndefined();
    expect(cheap.requests).toHaveLength(1);
  });
});

describe("a redirect", () => {
  const longest = "x".repeat(470);

  test.each([
    ["to another name", "/old.git", "/new.git", "/new.git"],
    ["to a name that ends with a slash", "/old", "/new/", "/new"],
    ["to the same name with .git", "/same", "/same.git/", undefined],
    ["to a URL with a query", "/old", "/new?at=", undefined],
    ["to a name that just fits a page", "/old", `/${longest}`, `/${longest}`],
    ["to a name that is too long for a page", "/old", `/${longest}${longest}`, undefined],
  ])("%s", async (_, from, to, expected) => {
    const answer = advertisement();
    const other = await testbed.startServer((exchange) => {
      if (exchange.path !== `${from}/${query}`) return answer(exchange);
      exchange.response.writeHead(302, { location: `${to}/${query}` }).end();
      return undefined;
    });
    const { code, moved_to } = await probeUrl(`${other.url}${from}`);
    expect({ code, moved_to }).toEqual({ code: "ok", moved_to: expected && other.url + expected });
  });
});

describe("the refs of other servers", () => {
  const version2 = `${service}${pktLine("version 2\n")}${pktLine("ls-refs\n")}0000`;
  const main = `${headId} refs/heads/main\n`;
  const otherMain = `${"b".repeat(40)} refs/heads/main\n`;
  const headLine = `${headId} HEAD symref-target:refs/heads/main\n`;

  function pktList(refs: number, prefix: string): string {
    const names = Array.from({ length: refs }, (_, index) => `${prefix}${index}`);
    return `${pktLine(headLine)}${names.map((name) => pktLine(`${headId} ${name}\n`)).join("")}0000`;
  }

  async function probeAnswers(
    advertisement: string,
    list?: { body: string; type?: string; status?: number; location?: string },
    advertisedAs = mediaType,
  ) {
    const other = await testbed.startServer(({ request, response }) => {
      if (request.method === "GET") {
        response.setHeader("content-type", advertisedAs);
        response.end(advertisement);
      } else if (list === undefined) {
        request.socket.destroy();
      } else {
        const type = list.type ?? "application/x-git-upload-pack-result";
        if (list.location !== undefined) response.setHeader("location", list.location);
        response.writeHead(list.status ?? 200, { "content-type": type }).end(list.body);
      }
    });
    const found = await probeUrl(`${other.url}/x`, { maxBytes: 4096 });
    const { code, revision, branch, refs, refs_unread } = found;
    return { code, revision, branch, refs: refs && [...refs.keys()], refs_unread };
  }

  test("of version 2 are requested separately, with HEAD and its branch", async () => {
    const list = { body: `${pktLine(headLine)}${pktLine(main)}0000` };
    const refs = ["HEAD", "refs/heads/main"];
    const expected = { code: "ok", revision: headId, branch: "main", refs, refs_unread: undefined };
    expect(await probeAnswers(version2, list)).toEqual(expected);
  });

  test("that are dumb are unread, because HEAD would count as missing", async () => {
    const expected = { code: "ok", revision: undefined, branch: undefined, refs: undefined };
    const found = await probeAnswers(`${headId}\trefs/heads/main\n`, undefined, "text/plain");
    expect(found).toEqual({ ...expected, refs_unread: "unread" });
  });

  test.each([302, 307, 308])("are not requested elsewhere after a redirect with %i", async (status) => {
    const elsewhere = await testbed.startServer(({ response }) => void response.end());
    const list = { body: "", status, location: `${elsewhere.url}/git-upload-pack` };
    expect(await probeAnswers(version2, list)).toMatchObject({ code: "ok", refs_unread: "unread" });
    expect(elsewhere.requests).toBe(0);
  });

  test.each<[string, Parameters<typeof probeAnswers>[1], "unread" | "too_many"]>([
    ["closes the connection", undefined, "unread"],
    ["answers with a page", { body: "<title>Log in</title>", type: "text/html" }, "unread"],
    ["answers with an error", { body: `${pktLine("ERR not here\n")}0000` }, "unread"],
    ["lists more refs than are compared", { body: pktList(2001, "refs/heads/") }, "too_many"],
    ["lists more than is read", { body: pktList(20_000, "refs/heads/") }, "too_many"],
    ["lists more than is read of others", { body: pktList(20_000, "refs/pull/") }, "unread"],
    ["lists one name with two objects", { body: `${pktLine(main)}${pktLine(otherMain)}0000` }, "unread"],
  ])("are unread if the server %s, and it is reachable nevertheless", async (_, list, reason) => {
    const many = advertise(numberedRefs(200));
    const expected = { code: "ok", revision: headId, branch: "main", refs: undefined, refs_unread: reason };
    expect(await probeAnswers(many, list)).toEqual(expected);
  });
});

describe("the refs that are compared", () => {
  const refs = "HEAD refs/heads/a refs/heads/a/b refs/tags/v1 refs/tags/v1^{} refs/pull/1/head".split(" ");
  const offered = [...refs, "refs/heads/a b", "refs/tags/\u0007"].map((name) => ({ name, id: objectId(1) }));

  test.each<[RefPatterns, readonly string[] | undefined]>([
    [defaultRefs, ["HEAD", "refs/heads/a", "refs/heads/a/b", "refs/tags/v1"]],
    [["refs/heads/a"], ["HEAD", "refs/heads/a"]],
    [
      ["refs/pull/*", "refs/tags/*"],
      ["HEAD", "refs/tags/v1", "refs/pull/1/head"],
    ],
    ["HEAD", undefined],
  ])("of %j are those that match", (patterns, expected) => {
    const { refs: selected } = selectRefs({ refs: offered, isWhole: true }, patterns);
    expect(selected && [...selected.keys()]).toEqual(expected);
  });

  test("are at most 2,000", () => {
    const select = (count: number) => selectRefs({ refs: numberedRefs(count), isWhole: true }, defaultRefs);
    expect(select(2000).refs?.size).toBe(2000);
    expect(select(2001)).toEqual({ refs_unread: "too_many" });
  });
});

function answering(firstRef: string): HttpResponse {
  const body = Buffer.from(`${service}${packet(firstRef)}0000`, "latin1");
  const headers = { "content-type": mediaType };
  return { status: 200, headers, body, complete: true, bounded: false, tlsExpiresAt: undefined };
}

test.each([
  ["main", "", "main"],
  ["main", " agent=git/2.39", "main"],
  ["b".repeat(100), " agent=git/2.39", "b".repeat(100)],
  ["b".repeat(101), "", undefined],
  ["a\x01b", "", undefined],
  ["", "", undefined],
])("the branch that HEAD names, %j, is read, as far as it is one", async (name, more, branch) => {
  const line = `${headId} HEAD\0multi_ack symref=HEAD:refs/heads/${name}${more}\n`;
  const { code, revision, branch: read } = await classifyGit(answering(line));
  expect({ code, revision, branch: read }).toEqual({ code: "ok", revision: headId, branch });
});

test("the name of a branch is measured in bytes", () => {
  expect(["é".repeat(50), "é".repeat(51), "a b", ""].map(isBranchName)).toEqual([true, false, false, false]);
});

test("an advertisement whose first ref is not read is too large", async () => {
  const body = Buffer.from(service);
  const cut = { ...answering(""), body, complete: false, bounded: true };
  expect(await classifyGit(cut)).toEqual({ code: "too_large" });
});

test("whatever is advertised, the stored part can be read again", async () => {
  const lines = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 3000 }),
    fc.string({ maxLength: 3000 }).map((branch) => `${headId} HEAD\0symref=HEAD:refs/heads/${branch}`),
    fc.string({ maxLength: 80 }).map((id) => `${id} HEAD\0symref=HEAD:refs/heads/main`),
  );
  await fc.assert(
    fc.asyncProperty(lines, async (line) => {
      const answered = await classifyGit(answering(line));
      const { refs = new Map<string, string>(), uploadPack: _, ...seen } = answered;
      expect(parseRefSet(formatRefSet(refs))).toEqual(refs);
      observationSchema.parse({ id: 1, ...seen, attempts: 1, checked_at: "2026-01-01T00:00:00.000Z" });
      expect(seen.revision ?? headId).toMatch(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);
    }),
  );
});

test("every beginning of a good advertisement is cut off, never invalid, and gives the refs so far", () => {
  const whole = Buffer.from(good, "latin1");
  const refs = numberedRefs(2);
  for (let end = 0; end < whole.length; end += 1) {
    const found = parseAdvertisement(whole.subarray(0, end), "git-upload-pack");
    if (found === "cut") continue;
    if (found === "invalid") expect.fail(`after ${end} bytes`);
    expect(found).toMatchObject({ refs: refs.slice(0, found.refs.length), complete: false });
  }
  expect(parseAdvertisement(whole, "git-upload-pack")).toMatchObject({ refs, complete: true });
});
