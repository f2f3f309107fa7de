import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { ProbeContext } from "../../src/kinds/kind.ts";
import { pacman } from "../../src/kinds/pacman.ts";
import type { Handler } from "../../src/testbed/server.ts";
import { closeAfterTest } from "../support/close-after-test.ts";
import { type FileServer, type ServedFile, serveFiles } from "../support/file-server.ts";
import { misbehaviours } from "../support/misbehaviours.ts";
import { probeUrl } from "../support/probing.ts";

const now = Date.parse("2026-03-10T12:00:00.000Z");
const updated = now / 1000 - 3600;
const content_at = "2026-03-10T11:00:00.000Z";
const core = "/core/os/x86_64/core.db";
const parked = "<!doctype html><title>This domain is for sale</title>";

/** Returns a database that compresses badly, so that it is longer than its end. */
function database(seed: number, packages = 100): Buffer {
  const names = Array.from({ length: packages }, (_, index) => `${Math.sin(seed + index)}`);
  return gzipSync(names.join("\n"));
}

async function serve(
  files: Readonly<Record<string, ServedFile>>,
  changedAt?: ReadonlyMap<string, Date>,
): Promise<FileServer> {
  return closeAfterTest(await serveFiles(files, changedAt));
}

interface Probing {
  readonly isPrimary?: boolean;
  readonly reference?: string | undefined;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly timeoutMs?: number;
}

async function probe({ url }: { readonly url: string }, probing: Probing = {}) {
  const { isPrimary = false, reference, options = {}, timeoutMs } = probing;
  const context = {
    isPrimary,
    reference: reference === undefined ? undefined : { revision: reference },
    now,
    turn: 0,
  };
  const found = await probeUrl(url, { kind: "pacman", options, context, ...(timeoutMs && { timeoutMs }) });
  const { code, http_status, revision, content_at, content_code } = found;
  return { code, http_status, revision, content_at, content_code };
}

function changing(seconds: Readonly<Record<string, number>>): ReadonlyMap<string, Date> {
  return new Map(Object.entries(seconds).map(([path, at]) => [path, new Date(at * 1000)]));
}

const whole = { "/lastupdate": `${updated}\n`, [core]: database(1) };

describe("a mirror with lastupdate", () => {
  test("has its time, and a revision of both files, in two requests", async () => {
    const server = await serve(whole);
    const found = await probe(server);
    expect(found).toMatchObject({ code: "ok", http_status: 200, content_at, content_code: undefined });
    expect(found.revision).toMatch(new RegExp(`^${updated}-[0-9a-f]{32}$`));
    expect(server.requests).toEqual(["GET /lastupdate", `GET ${core}`]);
  });

  test("has the same revision from a server that ignores ranges", async () => {
    const content = database(1);
    const ignoring: Handler = ({ response }) => void response.end(content);
    const found = await probe(await serve(whole));
    expect(await probe(await serve({ ...whole, [core]: ignoring }))).toEqual(found);
  });

  test("has another revision if one package, or the time, is another", async () => {
    const revisions = await Promise.all(
      [whole, { ...whole, [core]: database(2) }, { ...whole, "/lastupdate": `${updated + 1}\n` }].map(
        async (files) => (await probe(await serve(files))).revision,
      ),
    );
    expect(new Set(revisions).size).toBe(3);
  });

  test.each([
    ["a byte-order mark", `\ufeff${updated}\n`],
    ["CRLF", `${updated}\r\n`],
    ["no line end", `${updated}`],
    ["zeros in front", `00${updated}\n`],
  ])("may write it with %s", async (_, text) => {
    const found = await probe(await serve({ ...whole, "/lastupdate": text }));
    expect(found).toEqual(await probe(await serve(whole)));
  });

  test.each([
    ["of the future", `${updated + 10 * 86_400}`],
    ["of milliseconds", `${now}`],
    ["of the year 33658", "999999999999"],
  ])("has no age by a time %s", async (_, text) => {
    const found = await probe(await serve({ ...whole, "/lastupdate": text }));
    expect(found).toMatchObject({ code: "ok", content_at: undefined });
    expect(found.revision).toMatch(/[0-9a-f]{32}$/);
  });

  test.each<[string, ServedFile | undefined]>([
    ["missing", undefined],
    ["a page", parked],
    ["empty", ""],
    ["gone", misbehaviours.gone()],
    ["a range of nothing", ({ response }) => void response.writeHead(416).end()],
  ])("is half-synced if its database is %s", async (_, file) => {
    const server = await serve({ "/lastupdate": whole["/lastupdate"] });
    if (file !== undefined) server.files.set(core, file);
    expect(await probe(server)).toMatchObject({
      code: "ok",
      content_code: "half_synced",
      content_at: undefined,
    });
  });

  test.each<[string, Handler]>([
    ["429", misbehaviours.tooManyRequests()],
    ["503 with Retry-After", misbehaviours.overloaded()],
    ["503", misbehaviours.unavailable()],
    ["500", misbehaviours.serverError()],
    ["403", misbehaviours.forbidden()],
    ["401", misbehaviours.unauthorized()],
    ["a reset", misbehaviours.reset()],
    ["a reset midway", misbehaviours.resetMidway()],
    ["malformed chunks", misbehaviours.malformedChunks()],
  ])("stays reachable, and not half-synced, if its database answers with %s", async (_, handler) => {
    const found = await probe(await serve({ ...whole, [core]: handler }));
    expect(found).toEqual({ code: "ok", http_status: 200, revision: undefined, content_at });
  });

  test("stays reachable if its database is silent", async () => {
    const server = await serve({ ...whole, [core]: misbehaviours.silent() });
    expect(await probe(server, { timeoutMs: 400 })).toMatchObject({ code: "ok", content_at });
  });

  test("has no revision if its database is cut off, or long and without ranges", async () => {
    const cut: Handler = ({ response }) => {
      response.writeHead(206, { "content-range": "bytes 10-11/500" }).end("\x1f\x8b");
    };
    const long: Handler = ({ response }) => void response.end(Buffer.alloc(600 * 1024, 1));
    for (const file of [cut, long])
      expect(await probe(await serve({ ...whole, [core]: file }))).toMatchObject({
        code: "ok",
        revision: undefined,
      });
  });

  test("may have its database elsewhere", async () => {
    const server = await serve({ "/a/lastupdate": "1773136800", "/a/world/x.db": database(1) });
    const options = { database: "world/x.db" };
    const found = await probe({ url: `${server.url}/a/` }, { options });
    expect(found).toMatchObject({ code: "ok", content_code: undefined });
    expect(server.requests).toEqual(["GET /a/lastupdate", "GET /a/world/x.db"]);
  });
});

describe("beside its reference, a mirror", () => {
  const olderTime = { ...whole, "/lastupdate": `${updated - 7200}\n` };
  const olderDatabase = { ...whole, [core]: database(2) };

  async function referenceOf(
    files: Readonly<Record<string, ServedFile>> = whole,
  ): Promise<string | undefined> {
    return (await probe(await serve(files), { isPrimary: true })).revision;
  }

  test("is the same with the same files", async () => {
    const reference = await referenceOf();
    expect(await probe(await serve(whole), { reference })).toMatchObject({
      revision: reference,
      content_code: undefined,
    });
  });

  test("is half-synced with the same lastupdate and another database", async () => {
    const found = await probe(await serve(olderDatabase), { reference: await referenceOf() });
    expect(found).toMatchObject({ code: "ok", content_code: "half_synced", content_at: undefined });
    const times = changing({ "/lastupdate": updated, [core]: updated - 86_400 });
    const aged = await probe(await serve(olderDatabase, times), { reference: await referenceOf() });
    expect(aged).toMatchObject({ content_code: "half_synced", content_at: "2026-03-09T11:00:00.000Z" });
  });

  test("is only older with an older lastupdate, whatever its database is", async () => {
    const reference = await referenceOf();
    for (const files of [olderTime, { ...olderTime, [core]: database(2) }])
      expect(await probe(await serve(files), { reference })).toMatchObject({
        content_at: "2026-03-10T09:00:00.000Z",
        content_code: undefined,
      });
  });

  test("is half-synced if its database was changed after its lastupdate, and the server keeps times", async () => {
    const kept = changing({ "/lastupdate": updated - 7200, [core]: updated });
    expect(await probe(await serve(olderTime, kept))).toMatchObject({
      content_at: "2026-03-10T09:00:00.000Z",
      content_code: "half_synced",
    });
    const uploaded = changing({ "/lastupdate": updated, [core]: updated });
    const soon = changing({ "/lastupdate": updated - 7200, [core]: updated - 7100 });
    for (const times of [uploaded, soon, undefined])
      expect(await probe(await serve(olderTime, times))).toMatchObject({ content_code: undefined });
  });

  test("has a revision with its time if it is the reference itself and had no lastupdate before", async () => {
    const reference = await referenceOf({ [core]: whole[core] });
    const found = await probe(await serve(whole), { isPrimary: true, reference });
    expect(found.revision).toBe(`${updated}-${reference}`);
  });

  test("is not half-synced if it is the reference itself", async () => {
    const reference = await referenceOf(olderDatabase);
    const times = changing({ "/lastupdate": updated, [core]: updated + 7200 });
    const found = await probe(await serve(whole, times), { isPrimary: true, reference });
    expect(found).toMatchObject({ code: "ok", content_at, content_code: undefined });
    expect(found.revision).not.toBe(reference);
  });

  test("lacks lastupdate if its database is that of the reference", async () => {
    const reference = await referenceOf();
    const times = changing({ [core]: updated - 86_400 });
    const found = await probe(await serve({ [core]: whole[core] }, times), { reference });
    expect(found).toMatchObject({ revision: reference, content_code: "missing_file" });
    const older = await probe(await serve({ [core]: database(2) }, times), { reference });
    expect(older).toMatchObject({ content_at: "2026-03-09T11:00:00.000Z", content_code: undefined });
    expect(older.revision).toMatch(/^[0-9a-f]{32}$/);
  });

  test("is the same as a reference without lastupdate if their databases are the same", async () => {
    const reference = await referenceOf({ [core]: whole[core] });
    expect(reference).toMatch(/^[0-9a-f]{32}$/);
    for (const files of [whole, { [core]: whole[core] }])
      expect(await probe(await serve(files), { reference })).toMatchObject({
        revision: reference,
        content_code: undefined,
      });
  });
});

describe("of the packages of a mirror", () => {
  const names = Array.from({ length: 40 }, (_, index) => `p${index}-1:2.0+a-1-any.pkg.tar.zst`);
  const entries = names.map((name) => `p/desc${"\0".repeat(200)}%FILENAME%\n${name}\n\n%NAME%\np\n`);
  const listed = gzipSync(entries.join("\0"));
  const mirror = { ...whole, [core]: listed };
  const packages = Object.fromEntries(
    names.map((name) => [`/core/os/x86_64/${name.replace("+", "%2B")}`, "a package"]),
  );

  async function probePrimary(server: FileServer, reference?: ProbeContext["reference"], turn = 1) {
    const context = { isPrimary: true, reference, now, turn };
    const { revision = "", content_code, index } = await probeUrl(server.url, { kind: "pacman", context });
    return { revision, content_code, index };
  }

  test("the primary keeps 16, and reads its database once for each revision", async () => {
    const server = await serve({ ...mirror, ...packages });
    const { content_code, ...reference } = await probePrimary(server);
    expect(content_code).toBeUndefined();
    expect(reference.index?.files).toHaveLength(16);
    expect(new Set(reference.index?.files).size).toBe(16);
    for (const file of reference.index?.files ?? [])
      expect(file).toMatch(/^core\/os\/x86_64\/p\d+-1:2\.0\+a/);
    const { length } = server.requests;
    expect(await probePrimary(server, reference)).toEqual({ ...reference, content_code });
    expect(server.requests.slice(length)).toEqual([
      "GET /lastupdate",
      `GET ${core}`,
      expect.stringMatching(/^HEAD \/core\/os\/x86_64\/p\d+-1:2\.0%2Ba/),
    ]);
  });

  test("one is requested of each mirror of the same revision, in turn, and may be missing", async () => {
    const reference = await probePrimary(await serve(mirror));
    const server = await serve(mirror);
    for (const turn of [0, 1, 15, 16]) {
      const context = { isPrimary: false, reference, now, turn };
      const found = await probeUrl(server.url, { kind: "pacman", context });
      expect(found).toMatchObject({ code: "ok", content_at, content_code: "missing_file" });
      expect(found.index).toBeUndefined();
    }
    const samples = server.requests.filter((request) => request.startsWith("HEAD"));
    expect(new Set(samples).size).toBe(3);
    expect(samples[0]).toBe(samples[3]);
    const other = await serve({ ...mirror, "/lastupdate": `${updated - 60}` });
    await probeUrl(other.url, { kind: "pacman", context: { isPrimary: false, reference, now, turn: 0 } });
    expect(other.requests).toEqual(["GET /lastupdate", `GET ${core}`]);
  });

  test.each<[string, Buffer]>([
    ["compressed otherwise", Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 1, 2, 3])],
    ["malformed", Buffer.concat([listed.subarray(0, 100), Buffer.alloc(100, 1)])],
    ["without names", gzipSync(Buffer.alloc(10_240))],
    ["with names that are not", gzipSync("\0%FILENAME%\n../../a\n\0%FILENAME%\n..\n\0%FILENAME%\n100%\n")],
    ["with a name that is too long with its folder", gzipSync(`\0%FILENAME%\n${"x".repeat(290)}\n`)],
  ])("none are kept of a database that is %s", async (_, content) => {
    const found = await probePrimary(await serve({ ...whole, [core]: content }));
    expect(found).toMatchObject({ content_code: undefined, index: { files: [] } });
  });

  test("a database that is not read is requested again 16 runs later", async () => {
    const refusing: Handler = ({ request, response }) => {
      if (request.headers.range === undefined) response.writeHead(503).end();
      else
        response
          .writeHead(206, { "content-range": `bytes 0-${listed.length - 1}/${listed.length}` })
          .end(listed);
    };
    const server = await serve({ ...whole, [core]: refusing });
    const reference = await probePrimary(server);
    expect(reference.index).toEqual({});
    server.files.set(core, listed);
    expect((await probePrimary(server, reference, 17)).index).toEqual({});
    expect((await probePrimary(server, reference, 32)).index?.files).toHaveLength(16);
  });

  test("none are kept of a database that has changed meanwhile", async () => {
    const changing: Handler = ({ request, response }) => {
      if (request.headers.range === undefined) response.end(listed);
      else response.writeHead(206, { "content-range": "bytes 0-7/8" }).end(Buffer.from("\x1f\x8b\x08...."));
    };
    expect((await probePrimary(await serve({ ...whole, [core]: changing }))).index).toEqual({});
  });

  test("a bomb is read up to its bound", async () => {
    const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024));
    const found = await probePrimary(await serve({ ...whole, [core]: bomb }));
    expect(found.index).toEqual({ files: [] });
  });
});

describe("without a lastupdate that holds a time", () => {
  const database_at = changing({ [core]: updated });

  test.each<[string, ServedFile]>([
    ["404", misbehaviours.notFound()],
    ["410", misbehaviours.gone()],
    ["403, as of a bucket", misbehaviours.forbidden()],
    ["a page", parked],
    ["a date", "Tue Mar 10 12:00:00 UTC 2026\n"],
    ["a number below zero", "-1773136800"],
    ["two numbers", "1773136800\n1773136800\n"],
    ["13 digits", "1773136800000"],
    ["nothing", ""],
    ["much", "1".repeat(100_000)],
  ])("(%s) a mirror is judged by its database", async (_, file) => {
    const server = await serve({ "/lastupdate": file, [core]: whole[core] }, database_at);
    const found = await probe(server);
    expect(found).toMatchObject({ code: "ok", content_at, content_code: undefined });
    expect(found.revision).toMatch(/^[0-9a-f]{32}$/);
  });

  test.each<[string, ServedFile | undefined, object]>([
    ["a page", parked, { code: "not_pacman" }],
    ["a text", "<x>".repeat(1000), { code: "not_pacman" }],
    ["empty", "", { code: "not_pacman" }],
    ["missing", undefined, { code: "http_status", http_status: 404 }],
    ["429", misbehaviours.tooManyRequests(), { code: "rate_limited" }],
    ["503 with Retry-After", misbehaviours.overloaded(), { code: "rate_limited" }],
    ["500", misbehaviours.serverError(), { code: "http_status" }],
    ["a reset", misbehaviours.reset(), { code: "reset" }],
    ["cut off", misbehaviours.truncatedBody(), { code: "reset" }],
  ])("a mirror whose database is %s is not reachable", async (_, file, expected) => {
    const server = await serve({});
    if (file !== undefined) server.files.set(core, file);
    expect(await probe(server)).toMatchObject({ ...expected, revision: undefined, content_code: undefined });
  });

  test("a parked domain, which answers everything with a page, is not a mirror", async () => {
    const server = await serve({ "/lastupdate": parked, [core]: parked });
    expect(await probe(server)).toMatchObject({ code: "not_pacman" });
  });

  test.each<[string, Handler, string]>([
    ["429", misbehaviours.tooManyRequests(), "rate_limited"],
    ["503 with Retry-After", misbehaviours.overloaded(), "rate_limited"],
    ["500", misbehaviours.serverError(), "http_status"],
    ["401", misbehaviours.unauthorized(), "auth"],
    ["a reset", misbehaviours.reset(), "reset"],
  ])("but with %s for it, the database is not requested", async (_, handler, code) => {
    const server = await serve({ ...whole, "/lastupdate": handler });
    expect(await probe(server)).toMatchObject({ code });
    expect(server.requests).not.toContain(`GET ${core}`);
  });
});

describe("the option database", () => {
  const { options } = pacman;

  test.each([
    "core.db",
    "core/os/x86_64/core.db",
    "a b.db",
    "x/../y.db",
    "/x.db",
    "x.db.tar.gz",
    ".db",
    "a//b.db",
    "x.db?y",
  ])("%s", (database) => {
    const isValid = /^(?:core\/os\/x86_64\/)?core\.db$/.test(database);
    expect(options?.safeParse({ database }).success).toBe(isValid);
  });
});
