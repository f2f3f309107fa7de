import type { OutgoingHttpHeaders } from "node:http";
import { hash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Content } from "../../../src/core/kinds/http.ts";
import type { ProbeContext } from "../../../src/core/kinds/kind.ts";
import { closeAfterTest } from "../../support/close-after-test.ts";
import { now, probeFiles, type ServedFile, type ServedFiles, serveFiles } from "../../support/file-server.ts";
import { hasMirmon, mirmonTimes } from "../../support/mirmon.ts";
import { describeWith } from "../../support/requirement.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const body = "The files of an example project\n";
const sha256 = hash("sha256", body);
const revision = sha256.slice(0, 32);
const parked = "<!doctype html><title>This domain is for sale</title>";

function withHeaders(status: number, headers: Readonly<Record<string, string>>, text: string): ServedFile {
  return ({ response }) => void response.writeHead(status, headers).end(text);
}

function probe(
  content: Content,
  files: ServedFiles = {},
  { options, ...more }: Omit<Parameters<typeof probeFiles>[2] & object, "kind"> = {},
) {
  const served = { "/pub/": body, ...files };
  return probeFiles("http", served, { path: "/pub/", ...more, options: { ...options, content } });
}

const untold = { revision: undefined, content_at: undefined, content_code: undefined };
const nothing = { ...untold, index: undefined, partial: undefined };
const index = { size: body.length, sha256 };

describe("what the answer must be", () => {
  const long = "x".repeat(9000);

  test.each<[string, Content, ServedFile, object, object?]>([
    ["has the text", { text: "example project" }, body, { code: "ok", requests: ["GET /pub/"] }],
    ["has a text of several bytes a letter", { text: "Größe" }, "Die Größe", { code: "ok" }],
    ["lacks the text", { text: "example project" }, parked, { code: "wrong_content" }],
    ["has it before the end of what is read", { text: "example" }, body + long, { code: "ok" }],
    ["may have it after that", { text: "example" }, long + body, { code: "too_large" }],
    ["is an error", { text: "example" }, 500, { code: "http_status" }],
    ["is an expected error", { text: "sale" }, withHeaders(404, {}, parked), { code: "ok" }, [404]],
    ["is one without the text", { text: "a" }, withHeaders(404, {}, ""), { code: "wrong_content" }, [404]],
    ["has the digest", { sha256 }, body, { code: "ok", revision, index }],
    ["has another digest", { sha256: "0".repeat(64) }, body, { code: "wrong_content" }],
    ["may have it in the rest", { sha256 }, long, { code: "too_large" }],
    ["is compared", { sha256: "reference" }, body, { code: "ok", revision, index }],
    ["is too long to compare", { sha256: "reference" }, long, { code: "ok", partial: true }],
  ])("%s", async (_, content, file, expected, expectStatus) => {
    const options = expectStatus === undefined ? {} : { expectStatus };
    const found = await probe(content, { "/pub/": file }, { maxBytes: 4096, options });
    expect(found).toMatchObject({ ...nothing, ...expected });
  });
});

describe("a timestamp", () => {
  const at = "2026-03-08T12:00:00.000Z";
  const httpDate = "Sun, 08 Mar 2026 12:00:00 GMT";
  const json = JSON.stringify({ mirror: { updated: at, epoch: 1_772_971_200, nested: {} } });
  const longFile = `[tree]\ntimestamp = 1772971200\n${"x".repeat(1 << 20)}`;
  type Timestamp = NonNullable<Content["timestamp"]>;

  const inHeader = withHeaders(200, { "last-modified": httpDate, "x-at": "1772971200" }, body);
  test.each<[string, Timestamp, string, ServedFile, string?]>([
    ["a file", { path: "at", format: "epoch" }, "at", "1772971200\n", "GET"],
    ["a file in ISO", { path: "a/b" }, "a/b", "2026-03-08T12:00:00Z", "GET"],
    ["a header", { header: "Last-Modified" }, "", inHeader],
    ["a header of another format", { header: "x-at", format: "epoch" }, "", inHeader],
    ["a header of a file", { path: "big.iso", header: "last-modified" }, "big.iso", inHeader, "HEAD"],
    ["the answer", { format: "epoch" }, "", "1772971200"],
    ["JSON of the answer", { pointer: "/mirror/updated" }, "", json],
    ["a line of a file", { path: "s", after: "date=" }, "s", `# state\nstate=0f\ndate=${at}\n`, "GET"],
    ["a line of the answer", { after: "Date:", format: "http-date" }, "", `x\r\nDate: ${httpDate}\r\nx: y`],
    ["a line of a long file", { path: "s", after: "\ntimestamp =", format: "epoch" }, "s", longFile, "GET"],
    ["JSON of a file", { path: "s", pointer: "/mirror/epoch", format: "epoch" }, "s", json, "GET"],
  ])("of %s is the time of the content, and its revision", async (_, timestamp, name, file, method) => {
    expect(await probe({ timestamp }, { [`/pub/${name}`]: file })).toMatchObject({
      ...{ ...nothing, code: "ok", revision: at, content_at: at },
      requests: ["GET /pub/", ...(method === undefined ? [] : [`${method} /pub/${name}`])],
    });
  });

  test("is not the revision if there is a digest", async () => {
    const content: Content = { sha256: "reference", timestamp: { path: "at", format: "epoch" } };
    const found = await probe(content, { "/pub/at": "1772971200" });
    expect(found).toMatchObject({ code: "ok", revision, content_at: at });
  });

  const inFile: Timestamp = { path: "at" };
  const epoch: Timestamp = { path: "at", format: "epoch" };
  test.each<[string, Timestamp, ServedFiles]>([
    ["a missing file", epoch, {}],
    ["a file that fails", epoch, { "/pub/at": 500 }],
    ["a page instead of a file", epoch, { "/pub/at": parked }],
    ["a year that is absurd", inFile, { "/pub/at": "9999-12-31T00:00:00Z" }],
    ["a time after tomorrow", inFile, { "/pub/at": "2026-03-12T00:00:00Z" }],
    ["a line that is missing", { path: "at", after: "date=" }, { "/pub/at": `at=${at}` }],
    ["a line without a time", { path: "at", after: "date=" }, { "/pub/at": `date=\n${at}` }],
    ["a line after 64 KiB", { after: "date=" }, { "/pub/": `${" ".repeat(1 << 16)}date=${at}` }],
    ["a header that is missing", { header: "last-modified" }, {}],
    ["a pointer to an object", { pointer: "/mirror/nested" }, { "/pub/": json }],
  ])("of %s is unknown, and changes no status", async (_, timestamp, files) => {
    expect(await probe({ timestamp }, files)).toMatchObject({ ...nothing, code: "ok", http_status: 200 });
  });
});

describe("files", () => {
  const content: Content = { files: ["a", "b/c+d.deb"] };

  test.each([404, 410, 403, 500])("whose answer is %i", async (status) => {
    const content_code = status === 404 || status === 410 ? "missing_file" : undefined;
    const found = await probe(content, { "/pub/a": status });
    expect(found).toMatchObject({ ...nothing, code: "ok", content_code });
  });

  test.each(
    [403, 404, 405, 501].flatMap((refusal) => [200, 206, 404].map((status) => [refusal, status] as const)),
  )("are asked for by GET if HEAD is answered with %i, here with %i", async (refusal, status) => {
    const file: ServedFile = ({ request, response }) =>
      void response.writeHead(request.method === "HEAD" ? refusal : status).end();
    const content_code = status === 404 ? "missing_file" : undefined;
    const requests = ["GET /pub/", "HEAD /pub/a", "GET /pub/a"];
    expect(await probe(content, { "/pub/a": file })).toMatchObject({ content_code, requests });
  });

  test("are requested only from mirrors with the reference's revision, if they have a revision", async () => {
    const compared: Content = { ...content, sha256: "reference" };
    const [same, other] = [{ revision }, { revision: "0".repeat(32) }];
    const codeOf = async (wanted: Content, context: Partial<ProbeContext>) =>
      (await probe(wanted, {}, { context })).content_code;
    expect(await codeOf(content, { reference: same })).toBe("missing_file");
    expect(await codeOf(compared, { reference: same })).toBe("missing_file");
    expect(await codeOf(compared, { reference: other })).toBeUndefined();
    expect(await codeOf(compared, { reference: other, isPrimary: true })).toBe("missing_file");
  });

  test.each(["/pub", "/pub/", "/pub?a=b"])("are relative to the mirror's URL, %s", async (path) => {
    const options = { content: { files: ["a/b"] } };
    const { requests } = await probeFiles("http", { [path]: body }, { path, options });
    expect(requests[1]).toBe("HEAD /pub/a/b");
  });
});

describe("the size of files", () => {
  const content: Content = { sha256: "reference", files: ["a.iso", "b.iso", "c.html"] };
  const seconds = now / 1000;
  const made = { "/pub/a.iso": seconds - 900, "/pub/b.iso": seconds - 900, "/pub/c.html": seconds - 900 };
  const changed = { "last-modified": new Date(now).toUTCString() };
  const whole: ServedFiles = {
    "/pub/a.iso": "1234567",
    "/pub/b.iso": 500,
    "/pub/c.html": withHeaders(200, { "content-type": "text/html", "content-length": "5", ...changed }, ""),
  };

  /** Probes the primary in several runs, each of which checks one file. Returns the reference after the last run. */
  async function learn(files: ServedFiles, turns: readonly number[]): Promise<ProbeContext["reference"]> {
    let reference: ProbeContext["reference"];
    for (const turn of turns) {
      const context = { isPrimary: true, turn, reference };
      const found = await probe(content, files, { context, changedAt: made });
      expect(found).toMatchObject({ code: "ok", content_code: undefined, revision });
      reference = { revision, index: found.index };
    }
    return reference;
  }

  test("comes from HEAD requests to the primary, for files that have one, and is kept from run to run", async () => {
    const a = { path: "a.iso", size: 7, seen: { changed: seconds - 900, last: seconds } };
    expect((await learn(whole, [0, 1, 2]))?.index).toEqual({ ...index, files: [a] });
    const b = { path: "b.iso", size: 3, seen: a.seen };
    expect((await learn({ ...whole, "/pub/b.iso": "123" }, [1, 0]))?.index?.files).toEqual([a, b]);
    // Many programs answer HEAD with a length of 0 for any file.
    expect((await learn({ ...whole, "/pub/b.iso": "" }, [1, 0]))?.index?.files).toEqual([a]);
  });

  test("is kept for 16 files, but for none from before 1970", async () => {
    const files = Array.from({ length: 20 }, (_, place) => String(place));
    const all = <Value>(valueOf: (place: number) => Value) =>
      Object.fromEntries(files.map((path, place) => [`/pub/${path}`, valueOf(place)]));
    const options = { context: { isPrimary: true, wasIncomplete: true }, changedAt: all((at) => at - 1) };
    const served = all(() => "1");
    const found = await probe({ sha256: "reference", files }, served, options);
    expect(found.index?.files?.map(({ path }) => path)).toEqual(files.slice(1, 17));
  });

  test.each<[string, ServedFile, number, string | undefined]>([
    ["whole", "7654321", seconds - 60, undefined],
    ["cut off", "1234", seconds - 60, "wrong_size"],
    ["of a former version", "1234", seconds - 1000, undefined],
    ["missing", 404, 0, "missing_file"],
  ])("of a mirror that has it %s", async (_, file, time, content_code) => {
    const reference = await learn(whole, [0]);
    const options = { context: { reference }, changedAt: { "/pub/a.iso": time } };
    const found = await probe(content, { ...whole, "/pub/a.iso": file }, options);
    const again = file === 404 ? ["GET /pub/a.iso"] : [];
    const requests = ["GET /pub/", "HEAD /pub/a.iso", ...again];
    expect(found).toMatchObject({ code: "ok", revision, content_code, requests });
  });

  test("of the primary itself may change", async () => {
    const reference = await learn(whole, [0]);
    const options = { context: { reference, isPrimary: true }, changedAt: made };
    const found = await probe(content, { ...whole, "/pub/a.iso": "12" }, options);
    expect(found.content_code).toBeUndefined();
    expect(found.index?.files?.[0]?.size).toBe(2);
  });
});

describe("a file that is too large to be read", () => {
  const content: Content = { sha256, size: body.length };
  const requests = ["HEAD /pub/"];
  const nobody: ServedFile = ({ request, response }) => {
    if (request.method === "GET") response.destroy();
    else response.writeHead(200, { "content-length": body.length }).end();
  };

  test.each<[string, ServedFile, object]>([
    ["of the right length, and its digest does not count as verified", body, { code: "ok", requests }],
    ["without an answer to GET", nobody, { code: "ok", requests }],
    ["shorter", body.slice(1), { code: "ok", content_code: "wrong_size" }],
    ["of unknown length", withHeaders(200, {}, body), { code: "ok", content_code: undefined }],
    ["missing", 404, { code: "http_status", http_status: 404 }],
  ])("may be %s", async (_, file, expected) => {
    expect(await probe(content, { "/pub/": file })).toMatchObject({ ...nothing, ...expected });
  });

  test.each<[number, number, OutgoingHttpHeaders, string | undefined]>([
    [403, 206, { "content-range": `bytes 0-0/${body.length}` }, undefined],
    [404, 206, { "content-range": "bytes 0-0/1" }, "wrong_size"],
    [405, 206, {}, undefined],
    [501, 200, { "content-length": 2 ** 40 }, "wrong_size"],
  ])("is requested by GET if HEAD gets %i, and not read", async (refusal, status, headers, content_code) => {
    let range: string | undefined;
    const endless: ServedFile = ({ request, response }) => {
      range = request.headers.range;
      if (request.method === "HEAD") response.writeHead(refusal).end();
      else response.writeHead(status, headers).write("x");
    };
    const found = await probe(content, { "/pub/": endless });
    expect(found).toMatchObject({ code: "ok", content_code, requests: [...requests, "GET /pub/"] });
    expect(range).toBe("bytes=0-0");
  });

  test("has the time from its head, if the mirrors keep file times", async () => {
    const at = "2026-03-08T12:00:00.000Z";
    const timed: Content = { ...content, timestamp: { header: "Last-Modified" } };
    const found = await probe(timed, {}, { changedAt: { "/pub/": Date.parse(at) / 1000 } });
    expect(found).toMatchObject({ code: "ok", revision: at, content_at: at, requests });
  });
});

describe("settings that the answer does not allow", () => {
  const [seconds, long] = [now / 1000 - 60, "x".repeat(9000)];
  const timed = { timestamp: { path: "at" } };
  const files = { files: ["a", "b"] };
  const changedAt = { "/pub/a": seconds };
  const unsized = withHeaders(200, { "last-modified": new Date(now).toUTCString() }, "");

  test.each<[string, Content, ServedFiles, Partial<ProbeContext>, string[] | undefined]>([
    ["a time", timed, { "/pub/at": "yesterday" }, {}, ["no_time"]],
    ["a time in a file that is missing", timed, {}, {}, ["no_time"]],
    ["a time, but perhaps only now", timed, { "/pub/at": 500 }, {}, undefined],
    ["a digest", { sha256: "reference" }, { "/pub/": long }, {}, ["too_long"]],
    ["a size", { size: 5 }, { "/pub/": withHeaders(200, {}, "") }, {}, ["no_size"]],
    ["sizes of files without a length", files, { "/pub/a": unsized }, {}, ["no_file_sizes"]],
    ["sizes of files without a time", files, { "/pub/b": "1" }, { turn: 1 }, ["no_file_sizes"]],
    ["sizes of files, without a primary", files, { "/pub/a": "1" }, { hasPrimary: false }, ["no_file_sizes"]],
    ["nothing else", { ...files, ...timed }, { "/pub/a": "1", "/pub/at": "2026-01-01" }, {}, undefined],
  ])("are told: %s", async (_, content, served, context, unchecked) => {
    const found = await probe(content, served, { maxBytes: 4096, context, changedAt });
    expect(found).toMatchObject({ code: "ok", unchecked });
  });
});

describeWith("mirmon and curl", hasMirmon, "mirmon", () => {
  test("sees the same ages as the timestamp of content", async () => {
    const seconds = Math.floor(Date.now() / 1000);
    const old = seconds - 30 * 3600;
    const files = {
      "/fresh/TIME.txt": `${seconds - 60}\n`,
      "/old/TIME.txt": `${old} ${new Date(1000 * old).toUTCString()}\n`,
      "/ancient/TIME.txt": String(seconds - 4000 * 24 * 3600),
      "/parked/TIME.txt": parked,
    };
    const names = ["fresh", "old", "ancient", "parked", "gone"];
    const folders = Object.fromEntries(names.map((name) => [`/${name}/`, body]));
    const server = closeAfterTest(await serveFiles({ ...files, ...folders }));
    const urls = names.map((name) => `${server.url}/${name}/`);
    const options = { content: { timestamp: { path: "TIME.txt", format: "epoch" } } };
    const ages = names.map(async (name) => {
      const context = { now: Date.now() };
      const { content_at } = await probeFiles("http", server, { path: `/${name}/`, options, context });
      return content_at && Date.parse(content_at) / 1000;
    });
    const seen = await mirmonTimes(temporaryFolder(), urls, "TIME.txt");
    expect(await Promise.all(ages)).toEqual(seen);
    expect(seen.filter((at) => at !== undefined)).toHaveLength(3);
  });
});
