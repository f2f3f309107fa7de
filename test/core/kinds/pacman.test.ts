import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { pacman } from "../../../src/core/kinds/pacman.ts";
import type { Handler } from "../../support/mirror-server.ts";
import { closeAfterTest } from "../../support/close-after-test.ts";
import { now, probeFiles, type ServedFile, type ServedFiles, serveFiles } from "../../support/file-server.ts";
import { misbehaviours } from "../../support/misbehaviours.ts";

const updated = now / 1000 - 3600;
const content_at = "2026-03-10T11:00:00.000Z";
const core = "/core/os/x86_64/core.db";
const parked = "<!doctype html><title>This domain is for sale</title>";

/** Returns a database that compresses badly, so that it is longer than the part that is read. */
function database(seed: number): Buffer {
  return gzipSync(Array.from({ length: 100 }, (_, index) => `${Math.sin(seed + index)}`).join("\n"));
}

const whole = { "/lastupdate": `${updated}\n`, [core]: database(1) };
const otherDatabase = { ...whole, [core]: database(2) };
/** The revision of a database alone. */
const digest: unknown = expect.stringMatching(/^[0-9a-f]{32}$/);
const complete = { content_code: undefined };
const inSync = { code: "ok", http_status: 200, content_at, ...complete };

/** Answers with a part of a file. */
function partOf(content: string, range: string): Handler {
  return ({ response }) => void response.writeHead(206, { "content-range": range }).end(content);
}

interface Probing {
  readonly isPrimary?: boolean;
  readonly reference?: string | undefined;
  /** When each file was last modified, in epoch seconds, by path. */
  readonly changedAt?: Readonly<Record<string, number>>;
  readonly timeoutMs?: number;
}

function probe(files: ServedFiles, { isPrimary = false, reference, ...more }: Probing = {}) {
  const known = reference === undefined ? undefined : { revision: reference };
  return probeFiles("pacman", files, { ...more, context: { isPrimary, reference: known } });
}

async function revisionOf(files: ServedFiles, isPrimary = false): Promise<string | undefined> {
  return (await probe(files, { isPrimary })).revision;
}

describe("a mirror with lastupdate", () => {
  test("has its time, and a revision of both files, in two requests", async () => {
    const found = await probe(whole);
    expect(found).toMatchObject({ ...inSync, requests: ["GET /lastupdate", `GET ${core}`] });
    expect(found.revision).toMatch(new RegExp(`^${updated}-[0-9a-f]{32}$`));
    const ignoringRanges: Handler = ({ response }) => void response.end(database(1));
    expect(await revisionOf({ ...whole, [core]: ignoringRanges })).toBe(found.revision);
    const others = [otherDatabase, { ...whole, "/lastupdate": `${updated + 1}\n` }].map((files) =>
      revisionOf(files),
    );
    expect(new Set([found.revision, ...(await Promise.all(others))]).size).toBe(3);
  });

  test.each([`\ufeff${updated}\n`, `${updated}`])("may write it as %j", async (text) => {
    expect(await probe({ ...whole, "/lastupdate": text })).toEqual(await probe(whole));
  });

  test("has no age by a time of the future", async () => {
    const found = await probe({ ...whole, "/lastupdate": `${updated + 10 * 86_400}` });
    const revision = expect.stringMatching(/[0-9a-f]{32}$/);
    expect(found).toMatchObject({ code: "ok", content_at: undefined, revision });
  });

  test.each<[string, ServedFile]>([
    ["missing", 404],
    ["gone", 410],
    ["a range of nothing", 416],
    ["a page", parked],
    ["empty", ""],
  ])("is half-synced if its database is %s", async (_, file) => {
    const found = await probe({ ...whole, [core]: file });
    expect(found).toMatchObject({ code: "ok", content_code: "half_synced", content_at: undefined });
  });

  test.each<[string, ServedFile, number?]>([
    ["403", 403],
    ["a reset", misbehaviours.reset()],
    ["silence", misbehaviours.silent(), 400],
    ["what is cut off", partOf("\x1f\x8b\x08", "bytes 10-12/500")],
    ["all of a long one", ({ response }) => void response.end(Buffer.alloc(600 * 1024, 1))],
  ])(
    "has no revision, and is not half-synced, if its database is answered with %s",
    async (_, file, timeoutMs) => {
      const found = await probe({ ...whole, [core]: file }, timeoutMs === undefined ? {} : { timeoutMs });
      expect(found).toMatchObject({ ...inSync, revision: undefined });
    },
  );

  test("may have its database elsewhere", async () => {
    const files = { "/a/lastupdate": `${updated}`, "/a/world/x.db": database(1) };
    const found = await probeFiles("pacman", files, { path: "/a/", options: { database: "world/x.db" } });
    expect(found).toMatchObject({ ...inSync, requests: ["GET /a/lastupdate", "GET /a/world/x.db"] });
  });
});

describe("compared with its reference, a mirror", () => {
  const older = { ...whole, "/lastupdate": `${updated - 7200}\n` };
  const olderAt = "2026-03-10T09:00:00.000Z";
  const newer = { "/lastupdate": updated - 7200, [core]: updated };
  const uploaded = { "/lastupdate": updated, [core]: updated };
  const ofYesterday = { content_at: "2026-03-09T11:00:00.000Z", revision: digest, ...complete };
  const bare = { [core]: whole[core] };
  const undated = { content_code: "half_synced", content_at: undefined };
  const dayBefore = { "/lastupdate": updated, [core]: updated - 86_400 };

  test.each<[string, ServedFiles, Probing["changedAt"], object]>([
    ["is the same with the same files", whole, undefined, inSync],
    ["is half-synced with the same lastupdate and another database", otherDatabase, undefined, undated],
    ["is older with an older lastupdate", older, undefined, { content_at: olderAt, content_code: undefined }],
    ["is half-synced if its database is newer", older, newer, { ...undated, content_at: olderAt }],
    ["is not if all was uploaded then", older, uploaded, { content_code: undefined }],
    ["lacks lastupdate if it has the same database", bare, dayBefore, { content_code: "missing_file" }],
    ["is only older with another database alone", { [core]: database(2) }, dayBefore, ofYesterday],
  ])("%s", async (_, files, changedAt, expected) => {
    const reference = await revisionOf(whole, true);
    const found = await probe(files, { reference, ...(changedAt && { changedAt }) });
    expect(found).toMatchObject({ code: "ok", ...expected });
    const isSame = files === whole || files === bare;
    if (isSame) expect(found.revision).toBe(reference);
  });

  test("is the same as a reference without lastupdate if their databases are the same", async () => {
    const reference = await revisionOf(bare, true);
    expect(reference).toMatch(/^[0-9a-f]{32}$/);
    for (const files of [whole, bare])
      expect(await probe(files, { reference })).toMatchObject({ revision: reference, ...complete });
    expect((await probe(whole, { isPrimary: true, reference })).revision).toBe(`${updated}-${reference}`);
  });
});

describe("of the packages of a mirror", () => {
  const names = Array.from({ length: 40 }, (_, index) => `p${index}-1:2.0+a-1-any.pkg.tar.zst`);
  const entries = names.map(
    (name) => `p/desc${"\0".repeat(200)}%FILENAME%\n${name}\n\n%NAME%\np\n\n%CSIZE%\n12\n\n%ISIZE%\n99\n`,
  );
  const fileName = (name: string): string => `\0%FILENAME%\n${name}\n`;
  const listed = gzipSync(entries.join("\0"));
  const mirror = { ...whole, [core]: listed };
  const changing: Handler = (exchange) => {
    if (exchange.request.headers.range === undefined) exchange.response.end(listed);
    else return partOf("\x1f\x8b\x08....", "bytes 0-7/8")(exchange);
  };

  test("one is requested from each mirror with the same revision, and may be missing", async () => {
    const server = closeAfterTest(await serveFiles(mirror));
    const { revision = "", index } = await probeFiles("pacman", server, { context: { isPrimary: true } });
    const reference = { revision, index };
    const samples = index?.files ?? [];
    expect(new Set(samples.map(({ path }) => path)).size).toBe(16);
    const possible = names.map((name) => ({ path: `core/os/x86_64/${name}`, size: 12 }));
    expect(possible).toEqual(expect.arrayContaining([...samples]));
    const found = await probeFiles("pacman", server, { context: { reference } });
    expect(found).toMatchObject({ ...inSync, content_code: "missing_file", index: undefined });
    const other = { ...mirror, "/lastupdate": `${updated - 60}` };
    const requests = ["GET /lastupdate", `GET ${core}`];
    expect(await probeFiles("pacman", other, { context: { reference } })).toMatchObject({ requests });
  });

  test.each<[string, ServedFile, object]>([
    ["of names above", gzipSync(["../../a", "..", "100%"].map(fileName).join("")), { files: [] }],
    ["changed meanwhile", changing, {}],
  ])("none are kept of a database that is %s", async (_, file, index) => {
    const found = await probe({ ...whole, [core]: file }, { isPrimary: true });
    expect(found).toMatchObject({ content_code: undefined });
    expect(found.index).toEqual({ ...index, turn: 0 });
  });
});

describe("without a lastupdate that holds a time", () => {
  test.each<[string, ServedFile]>([
    ["404", 404],
    ["403, as of a bucket", 403],
    ["a page", parked],
    ["13 digits", "1773136800000"],
    ["nothing", ""],
  ])("(%s) a mirror is judged by its database", async (_, file) => {
    const found = await probe({ ...whole, "/lastupdate": file }, { changedAt: { [core]: updated } });
    expect(found).toMatchObject({ ...inSync, http_status: 206, revision: digest });
  });

  test.each<[string, ServedFile, string]>([
    ["a page", parked, "not_pacman"],
    ["missing", 404, "http_status"],
  ])("a mirror whose database is %s is not reachable", async (_, file, code) => {
    expect(await probe({ [core]: file })).toMatchObject({ code, revision: undefined, ...complete });
  });

  test.each<[string, ServedFile, string]>([
    ["429", 429, "rate_limited"],
    ["500", 500, "http_status"],
    ["a reset", misbehaviours.reset(), "reset"],
  ])("but with %s for it, the database is not requested", async (_, file, code) => {
    const found = await probe({ ...whole, "/lastupdate": file });
    expect(found).toMatchObject({ code, requests: ["GET /lastupdate"] });
  });
});

test.each([
  ...["core.db", "core/os/x86_64/core.db"].map((path) => [path, true] as const),
  ...["a b.db", "x/../y.db", "/x.db", "x.db.tar.gz", ".db", "a//b.db", "x.db?y"].map(
    (path) => [path, false] as const,
  ),
])("the database %s: %s", (path, isValid) => {
  expect(pacman.options?.safeParse({ database: path }).success).toBe(isValid);
});
