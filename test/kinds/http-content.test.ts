import { createHash } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ContentIndex } from "../../src/kinds/mirror-content.ts";
import type { Content } from "../../src/kinds/http.ts";
import { type Handler, startServer } from "../../src/testbed/server.ts";
import { probeUrl, type ProbingOptions } from "../support/probing.ts";

const now = Date.parse("2026-03-10T12:00:00Z");
const body = "The files of an example project\n";
const sha256 = createHash("sha256").update(body).digest("hex");
const revision = sha256.slice(0, 32);
const pageOfARegistrar = "<!doctype html><title>This domain is for sale</title>";

/** Answers as a folder: by path an answer's text, or its status and headers. */
type Files = Readonly<
  Record<string, string | number | readonly [number, Readonly<Record<string, string>>, string]>
>;

interface Served {
  readonly files: Files;
  /** The statuses that HEAD is refused with. */
  readonly headStatus?: number;
}

function folder({ files, headStatus }: Served, requests: string[]): Handler {
  return ({ request, response, path }) => {
    requests.push(`${request.method} ${path}`);
    const found = files[path] ?? 404;
    const [status, headers, text] =
      typeof found === "string" ? [200, {}, found] : typeof found === "number" ? [found, {}, ""] : found;
    const isRefused = request.method === "HEAD" && headStatus !== undefined;
    response.writeHead(isRefused ? headStatus : status, headers).end(text);
  };
}

interface Context {
  readonly isPrimary?: boolean;
  readonly turn?: number;
  readonly reference?: { readonly revision: string; readonly index?: ContentIndex };
}

async function probeContent(
  content: Content,
  served: Served,
  { isPrimary = false, turn = 0, reference }: Context = {},
  options: ProbingOptions = {},
) {
  const requests: string[] = [];
  const server = await startServer(folder(served, requests));
  onTestFinished(() => server.close());
  const result = await probeUrl(`${server.url}/pub/`, {
    kind: "http",
    context: { isPrimary, turn, reference, now },
    ...options,
    options: { ...options.options, content },
  });
  const { code, revision, content_at, content_code, index, partial } = result;
  return { seen: { code, revision, content_at, content_code, index, partial }, result, requests };
}

const nothing = {
  revision: undefined,
  content_at: undefined,
  content_code: undefined,
  index: undefined,
  partial: undefined,
};

describe("a text", () => {
  test("that is found is right, and costs no further request", async () => {
    const { seen, requests } = await probeContent({ text: "example project" }, { files: { "/pub/": body } });
    expect(seen).toEqual({ ...nothing, code: "ok" });
    expect(requests).toEqual(["GET /pub/"]);
  });

  test("of several bytes a letter is found", async () => {
    const { seen } = await probeContent({ text: "Größe" }, { files: { "/pub/": "Die Größe" } });
    expect(seen.code).toBe("ok");
  });

  test("that a parked page lacks is wrong content, a vote for offline", async () => {
    const { seen } = await probeContent(
      { text: "example project" },
      { files: { "/pub/": pageOfARegistrar } },
    );
    expect(seen).toEqual({ ...nothing, code: "wrong_content" });
  });

  test("that may follow what is read is not known to be missing", async () => {
    const files = { "/pub/": `${"x".repeat(9000)}${body}` };
    const near = { "/pub/": `${body}${"x".repeat(9000)}` };
    const options = { maxBytes: 4096 };
    expect((await probeContent({ text: "example" }, { files }, {}, options)).seen.code).toBe("too_large");
    expect((await probeContent({ text: "example" }, { files: near }, {}, options)).seen.code).toBe("ok");
  });

  test("is not asked of an answer with another status", async () => {
    const { seen } = await probeContent({ text: "example" }, { files: { "/pub/": 500 } });
    expect(seen).toEqual({ ...nothing, code: "http_status" });
  });

  test("is asked of an answer that is expected", async () => {
    const files: Files = { "/pub/": [404, {}, pageOfARegistrar] };
    const options = { options: { expectStatus: [404] } };
    expect((await probeContent({ text: "sale" }, { files }, {}, options)).seen.code).toBe("ok");
    expect((await probeContent({ text: "example" }, { files }, {}, options)).seen.code).toBe("wrong_content");
  });
});

describe("a sha256", () => {
  const index = { size: body.length, sha256 };

  test("that is given must be that of the answer", async () => {
    const files = { "/pub/": body };
    expect((await probeContent({ sha256 }, { files })).seen).toEqual({
      ...nothing,
      code: "ok",
      revision,
      index,
    });
    const { seen } = await probeContent({ sha256: "0".repeat(64) }, { files });
    expect(seen).toEqual({ ...nothing, code: "wrong_content" });
  });

  test("of the reference gives the revision, and the digest and size for lists", async () => {
    const { seen } = await probeContent({ sha256: "reference" }, { files: { "/pub/": body } });
    expect(seen).toEqual({ ...nothing, code: "ok", revision, index });
  });

  test("needs the whole answer", async () => {
    const files = { "/pub/": "x".repeat(9000) };
    const options = { maxBytes: 4096 };
    const given = await probeContent({ sha256 }, { files }, {}, options);
    expect(given.seen).toEqual({ ...nothing, code: "too_large" });
    const compared = await probeContent({ sha256: "reference" }, { files }, {}, options);
    expect(compared.seen).toEqual({ ...nothing, code: "ok", partial: true });
  });
});

describe("a timestamp", () => {
  const at = "2026-03-08T12:00:00.000Z";
  const httpDate = "Sun, 08 Mar 2026 12:00:00 GMT";
  const json = JSON.stringify({ mirror: { updated: at, epoch: 1_772_971_200, nested: {} } });

  test.each<[string, NonNullable<Content["timestamp"]>, Files, string[]]>([
    [
      "a file",
      { path: "lastupdate", format: "epoch" },
      { "/pub/lastupdate": "1772971200\n" },
      ["GET /pub/lastupdate"],
    ],
    ["a file in ISO", { path: "a/b" }, { "/pub/a/b": "2026-03-08T12:00:00Z" }, ["GET /pub/a/b"]],
    ["a header", { header: "Last-Modified" }, { "/pub/": [200, { "last-modified": httpDate }, body] }, []],
    [
      "a header of another format",
      { header: "x-at", format: "epoch" },
      { "/pub/": [200, { "x-at": "1772971200" }, ""] },
      [],
    ],
    [
      "a header of a file",
      { path: "big.iso", header: "last-modified" },
      { "/pub/big.iso": [200, { "last-modified": httpDate }, body] },
      ["HEAD /pub/big.iso"],
    ],
    ["the answer", { format: "epoch" }, { "/pub/": "1772971200" }, []],
    ["JSON of the answer", { pointer: "/mirror/updated" }, { "/pub/": json }, []],
    [
      "JSON of a file",
      { path: "s.json", pointer: "/mirror/epoch", format: "epoch" },
      { "/pub/s.json": json },
      ["GET /pub/s.json"],
    ],
  ])("of %s is the time of the content, and its revision", async (_, timestamp, files, more) => {
    const { seen, requests } = await probeContent({ timestamp }, { files: { "/pub/": body, ...files } });
    expect(seen).toEqual({ ...nothing, code: "ok", revision: at, content_at: at });
    expect(requests).toEqual(["GET /pub/", ...more]);
  });

  test("leaves the revision to a digest", async () => {
    const content: Content = { sha256: "reference", timestamp: { path: "at", format: "epoch" } };
    const { seen } = await probeContent(content, { files: { "/pub/": body, "/pub/at": "1772971200" } });
    expect(seen).toMatchObject({ code: "ok", revision, content_at: at });
  });

  test.each<[string, NonNullable<Content["timestamp"]>, Files]>([
    ["a missing file", { path: "at", format: "epoch" }, {}],
    ["a file that fails", { path: "at", format: "epoch" }, { "/pub/at": 500 }],
    ["too many requests", { path: "at", format: "epoch" }, { "/pub/at": [429, {}, "1772971200"] }],
    ["a page instead of a file", { path: "at", format: "epoch" }, { "/pub/at": pageOfARegistrar }],
    ["a year that is absurd", { path: "at" }, { "/pub/at": "9999-12-31T00:00:00Z" }],
    ["a time before 1970", { path: "at" }, { "/pub/at": "0001-01-01T00:00:00Z" }],
    ["milliseconds as seconds", { path: "at", format: "epoch" }, { "/pub/at": "1772971200000" }],
    ["a time after tomorrow", { path: "at" }, { "/pub/at": "2026-03-12T00:00:00Z" }],
    ["a header that is missing", { header: "last-modified" }, {}],
    ["a header of no format", { header: "etag" }, { "/pub/": [200, { etag: '"a"' }, body] }],
    ["JSON that is none", { pointer: "/mirror" }, { "/pub/": "{" }],
    ["a pointer to nothing", { pointer: "/mirror/at" }, { "/pub/": json }],
    ["a pointer to an object", { pointer: "/mirror/nested" }, { "/pub/": json }],
  ])("of %s is unknown, and changes no status", async (_, timestamp, files) => {
    const { seen } = await probeContent({ timestamp }, { files: { "/pub/": body, ...files } });
    expect(seen).toEqual({ ...nothing, code: "ok" });
  });

  test("of a file that breaks the connection off is unknown", async () => {
    const server = await startServer(({ response, path, reset }) => {
      if (path === "/pub/") response.end(body);
      else reset();
    });
    onTestFinished(() => server.close());
    const content: Content = { timestamp: { path: "at" }, files: ["a"] };
    const result = await probeUrl(`${server.url}/pub/`, { kind: "http", options: { content } });
    expect(result).toMatchObject({ code: "ok", http_status: 200, attempts: 1 });
    expect(result.content_at).toBeUndefined();
    expect(result.content_code).toBeUndefined();
  });
});

describe("files", () => {
  const content: Content = { files: ["a", "b/c+d.deb"] };

  test("are asked for by HEAD, one in each run", async () => {
    const files = { "/pub/": body, "/pub/a": "1", "/pub/b/c%2Bd.deb": "1" };
    for (const [turn, path] of [
      [6, "a"],
      [7, "b/c%2Bd.deb"],
      [8, "a"],
    ] as const) {
      const { seen, requests } = await probeContent(content, { files }, { turn });
      expect(seen).toEqual({ ...nothing, code: "ok" });
      expect(requests).toEqual(["GET /pub/", `HEAD /pub/${path}`]);
    }
  });

  test.each([404, 410])("that are gone with %i are missing, and change no status", async (status) => {
    const { seen } = await probeContent(content, { files: { "/pub/": body, "/pub/a": status } });
    expect(seen).toEqual({ ...nothing, code: "ok", content_code: "missing_file" });
  });

  test.each([401, 403, 429, 500, 503])("whose answer is %i are unknown", async (status) => {
    const { seen } = await probeContent(content, { files: { "/pub/": body, "/pub/a": status } });
    expect(seen).toEqual({ ...nothing, code: "ok" });
  });

  test.each([405, 501])("are asked for by GET if HEAD is refused with %i", async (headStatus) => {
    const there = await probeContent(content, { headStatus, files: { "/pub/": body, "/pub/a": "1" } });
    expect(there.seen.content_code).toBeUndefined();
    expect(there.requests).toEqual(["GET /pub/", "HEAD /pub/a", "GET /pub/a"]);
    const gone = await probeContent(content, { headStatus, files: { "/pub/": body } });
    expect(gone.seen.content_code).toBe("missing_file");
  });

  test("are asked of mirrors without a revision, whatever is known of the reference", async () => {
    const reference = { revision };
    const { seen } = await probeContent(content, { files: { "/pub/": body } }, { reference });
    expect(seen.content_code).toBe("missing_file");
  });

  test("are asked only of mirrors that have the revision of the reference", async () => {
    const both: Content = { ...content, sha256: "reference" };
    const files = { "/pub/": body };
    const code = async (context: Context) => (await probeContent(both, { files }, context)).seen.content_code;
    expect(await code({ reference: { revision } })).toBe("missing_file");
    expect(await code({ reference: { revision: "0".repeat(32) } })).toBeUndefined();
    expect(await code({ reference: { revision: "0".repeat(32) }, isPrimary: true })).toBe("missing_file");
  });
});

test.each(["/pub", "/pub/", "/pub?a=b"])("the URL of a mirror, %s, is a folder", async (end) => {
  const requests: string[] = [];
  const server = await startServer(folder({ files: { [end]: body } }, requests));
  onTestFinished(() => server.close());
  await probeUrl(`${server.url}${end}`, { kind: "http", options: { content: { files: ["a/b"] } } });
  expect(requests[1]).toBe("HEAD /pub/a/b");
});
