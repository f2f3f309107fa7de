import { once } from "node:events";
import * as fs from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { errorCode, InputError } from "../../../src/core/base/errors.ts";
import { kindNames, kinds } from "../../../src/core/kinds/kinds.ts";
import { type Preview, type ServeOptions, serveSite } from "../../../src/features/serve/serve.ts";
import { ask, exchange, expectAnswer, open } from "../../support/contract/answers.ts";
import { closeAfterTest } from "../../support/close-after-test.ts";
import { contractCases, feedDocuments, feedFiles, writeFiles } from "../../support/contract/feed.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = temporaryFolder("mirrorfeed-serve-");
const out = join(folder, "site");
let site: Preview;

// Whether this machine refuses to listen at these addresses decides which tests are skipped.
const withoutIpv6 = await refusal("::1", 0);
const privileged = await refusal("127.0.0.1", 1);

const notFoundPage = "<!doctype html><title>Page not found</title>";
const large = Buffer.alloc(8_000_000, "x");

beforeAll(async () => {
  writeFiles(out, feedFiles);
  writeFiles(out, [
    { path: "index.html", content: "<!doctype html><title>Status</title>" },
    { path: "errors/not-found.html", content: notFoundPage },
    { path: "docs/index.html", content: "<!doctype html><title>Docs</title>" },
    { path: "feed.atom", content: "<feed/>" },
    { path: "badge/a b'.svg", content: "<svg/>" },
    { path: "client.d.ts", content: "export {};" },
    { path: "large.bin", content: large },
    { path: ".nojekyll", content: "" },
    { path: ".mirrorfeed/manifest.json", content: "{}" },
  ]);
  writeFiles(folder, [{ path: "outside/index.json", content: '"root:"' }]);
  fs.symlinkSync(join(folder, "outside"), join(out, "folder-link"));
  fs.symlinkSync(join(folder, "outside"), join(out, "v1/network/folder-link"));
  fs.symlinkSync(join(folder, "outside", "index.json"), join(out, "file-link.json"));
  fs.symlinkSync(join(folder, "nowhere"), join(out, "dangling.json"));
  site = await serveSite(out, { port: 0 });
});

afterAll(async () => {
  await site.close();
});

describe("every case of the contract", () => {
  test.each(contractCases)("$id", async (contractCase) => {
    const { method, path } = contractCase;
    expectAnswer(contractCase, await ask(site.url, path, { method }), feedDocuments);
  });
});

describe("an answer", () => {
  const document = "/v1/network/alpha/main-tools/t1";
  const whole = feedDocuments.get(`${document.slice(1)}/index.json`) ?? Buffer.alloc(0);
  const get = (headers: Record<string, string>, path = document) => ask(site.url, path, { headers });

  test.each([document, `${document}/2`, "/nothing"])(
    "%s is JSON that is revalidated each time",
    async (path) => {
      const { headers, body } = await ask(site.url, path);
      expect(headers["content-type"]).toBe("application/json");
      expect(headers["cache-control"]).toBe("max-age=0");
      expect(headers["x-powered-by"]).toBeUndefined();
      const head = await ask(site.url, path, { method: "HEAD" });
      expect(head.headers["content-length"]).toBe(String(body.length));
    },
  );

  test("is a 304 if the client has the document", async () => {
    const { etag = "" } = (await get({})).headers;
    const { status, body, headers } = await get({ "If-None-Match": etag });
    expect([status, body.length, headers["access-control-allow-origin"]]).toEqual([304, 0, "*"]);
  });

  test.each<[Record<string, string>, number, Buffer]>([
    [{ Range: "bytes=2-7" }, 206, whole.subarray(2, 8)],
    [{ Range: "bytes=x-y" }, 200, whole],
    [{ Range: "bytes=99999-" }, 416, Buffer.alloc(0)],
    [{ "If-Match": '"another"' }, 412, Buffer.alloc(0)],
  ])("to %j is %i", async (asked, status, body) => {
    const answer = await get(asked);
    expect([answer.status, answer.body]).toEqual([status, body]);
    if (status === 206) expect(answer.headers["content-type"]).toBe("application/json");
    if (status === 416) expect(answer.headers["content-range"]).toBe(`bytes */${whole.length}`);
  });

  test("to an error never depends on what the client has", async () => {
    for (const headers of [{ "If-None-Match": "*" }, { "If-Match": '"another"' }])
      expect((await get(headers, `${document}/2`)).status).toBe(400);
  });

  /** Replaces a file's text until the test ends. */
  function replace(path: string, text: string): string {
    const file = join(out, path);
    const before = fs.readFileSync(file);
    onTestFinished(() => {
      fs.writeFileSync(file, before);
    });
    fs.writeFileSync(file, text);
    return file;
  }

  test("is the document of the next run at once", async () => {
    const { etag = "" } = (await get({})).headers;
    const next = '{"target":"t1","network":[]}\n';
    replace(join(document, "index.json"), next);
    const { status, body } = await get({ "If-None-Match": etag });
    expect([status, body.toString()]).toEqual([200, next]);
  });

  test("to an error is the site's own document, or the default if that was removed", async () => {
    const before = fs.readFileSync(join(out, "errors/system.json"));
    const file = replace("errors/system.json", '"its own"\n');
    expect((await ask(site.url, "/v1/network/x")).body.toString()).toBe('"its own"\n');
    fs.rmSync(file);
    const { status, body } = await ask(site.url, "/v1/network/x");
    expect([status, body]).toEqual([403, before]);
  });
});

describe("the rest of the site", () => {
  test.each([
    ["/", "text/html; charset=utf-8", "<!doctype html><title>Status</title>"],
    ["/docs/", "text/html; charset=utf-8", "<!doctype html><title>Docs</title>"],
    ["/feed.atom", "application/atom+xml", "<feed/>"],
    ["/badge/a%20b'.svg", "image/svg+xml", "<svg/>"],
    ["/client.d.ts", "text/plain; charset=utf-8", "export {};"],
    ["/errors/system.json", "application/json", '{"error":"System not found","code":403}\n'],
  ])("%s is served as %s", async (path, type, text) => {
    const { status, headers, body } = await ask(site.url, path);
    expect([status, headers["content-type"], body.toString()]).toEqual([200, type, text]);
    expect(headers["access-control-allow-origin"]).toBe("*");
  });

  const lists = kindNames.flatMap((kind) => kinds[kind].lists ?? []);
  test.each(lists)("a list with the extension $extension is $type", async ({ extension, type }) => {
    const path = `mirrorlist/t.${extension}`;
    writeFiles(out, [{ path, content: "a list" }]);
    const { headers } = await ask(site.url, `/${path}`);
    expect(headers["content-type"]?.split(";")[0]).toBe(type);
  });

  test.each(["GET", "HEAD"])("%s of a page is redirected to its path with a slash", async (method) => {
    for (const query of ["", "?x=/1"]) {
      const { status, headers, body } = await ask(site.url, `/docs${query}`, { method });
      expect([status, headers.location, body.length]).toEqual([301, `./docs/${query}`, 0]);
      expect(headers["access-control-allow-origin"]).toBe("*");
    }
  });

  const hidden = `/.nojekyll /.mirrorfeed/manifest.json /feed.atom/ /docs/../feed.atom /badge /badge/ /folder-link /folder-link/ /folder-link/index.json
    /file-link.json /dangling.json /../outside/index.json /..%2foutside/index.json /%2e%2e/outside/ /..%5coutside
    /${"a".repeat(5000)}`;
  test.each(hidden.split(/\s+/))("%s is not found", async (path) => {
    const { status, headers, body } = await ask(site.url, path);
    expect([status, body.toString()]).toEqual([404, '{"error":"Not found","code":404}\n']);
    expect(headers["content-type"]).toBe("application/json");
  });

  test.each([
    ["/nothing?x", "text/html,*/*;q=0.8", "text/html; charset=utf-8", notFoundPage],
    ["/nothing", "*/*", "application/json", '{"error":"Not found","code":404}\n'],
    ["/v1/nothing", "text/html", "application/json", '{"error":"Not found","code":404}\n'],
  ])("%s is not found with Accept: %s, and is %s", async (path, accept, type, content) => {
    const { status, headers, body } = await ask(site.url, path, { headers: { Accept: accept } });
    expect([status, body.toString()]).toEqual([404, content]);
    expect(headers).toMatchObject({ "content-type": type, vary: "Accept" });
  });

  test("a link is not a system", async () => {
    expect((await ask(site.url, "/v1/network/folder-link")).status).toBe(403);
  });
});

describe("what no well-behaved client sends", () => {
  const end = " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n";
  const notFound =
    /^HTTP\/1.1 404 .*access-control-allow-origin: \*.*\{"error":"Not found","code":404\}\n$/is;

  const systems = /^HTTP\/1.1 200 .*\{"systems":\["alpha","beta-2"\]\}\n$/s;

  test.each([
    ["an absolute target", `GET http://example.org/v1/network/?x${end}\r\n`, systems],
    ["an absolute target of something else", `GET ftp://u:p@x/nothing${end}\r\n`, /^HTTP\/1.1 404 /],
    ["an absolute target that is not a URL", `GET http://[?x${end}\r\n`, notFound],
    ["a path that is not a URL", `GET //u@[?x${end}\r\n`, notFound],
    ["a backslash before a name that is not a host", `GET /\\u@[?x${end}\r\n`, notFound],
    ["a foreign scheme without a host", `HEAD a://[?x${end}\r\n`, /^HTTP\/1.1 404 /],
    ["an invalid query", `GET /v1/network?a[=%zz&__proto__[x]=1${end}\r\n`, /^HTTP\/1.1 200 /],
    ["OPTIONS *", `OPTIONS *${end}\r\n`, /^HTTP\/1.1 405 .*\r\nAllow: GET, HEAD\r\n/s],
    ["GET *", `GET *${end}\r\n`, /^HTTP\/1.1 404 /],
    ["an unknown method", `BREW /${end}\r\n`, /^HTTP\/1.1 400 /],
    ["CONNECT", `CONNECT example.org:443${end}\r\n`, /^$/],
    ["a target of 100 kB", `GET /v1/network/${"a".repeat(100_000)}${end}\r\n`, /^(?:HTTP\/1.1 431 |$)/],
    ["a target of 12 kB", `GET /v1/network/${"a".repeat(12_000)}${end}\r\n`, /^HTTP\/1.1 403 /],
    ["2,000 segments", `GET /v1/network${"/a".repeat(2000)}${end}\r\n`, /^HTTP\/1.1 403 /],
    ["a flood of headers", `GET /${end}${"a: b\r\n".repeat(50_000)}\r\n`, /^(?:HTTP\/1.1 431 |$)/],
    // Node.js 20 accepts these headers. Later versions also limit the number of headers.
    ["2,400 headers", `GET /${end}${"a: b\r\n".repeat(2400)}\r\n`, /^HTTP\/1.1 (?:200|431) /],
    ["no HTTP", "\u0000\u0001\r\n\r\n", /^HTTP\/1.1 400 /],
    ["HTTP/1.0", "GET /v1/network HTTP/1.0\r\n\r\n", /^HTTP\/1.1 200 /],
    ["a GET with a body", `GET /v1/network${end}Content-Length: 5\r\n\r\nabcde`, /^HTTP\/1.1 200 /],
    ["a POST with a body", `POST /v1/network${end}Content-Length: 5\r\n\r\nabcde`, /^HTTP\/1.1 405 /],
  ])("%s does no harm", async (_what, bytes, expected) => {
    expect(await exchange(site.url, bytes)).toMatch(expected);
    expect((await ask(site.url, "/v1/network")).status).toBe(200);
  });

  test("a client that disconnects in the middle does no harm", async () => {
    await Promise.all(
      Array.from({ length: 50 }, async () => {
        const socket = open(site.url);
        socket.write(`GET /large.bin${end}\r\n`);
        await once(socket, "data");
        socket.resetAndDestroy();
      }),
    );
    expect((await ask(site.url, "/large.bin")).body.equals(large)).toBe(true);
    await expect.poll(() => openFiles().filter((file) => file.endsWith("large.bin"))).toEqual([]);
  });
});

describe("close", () => {
  test("ends kept-alive and busy connections at once, and frees the port", { timeout: 3000 }, async () => {
    const preview = await serveSite(out, { port: 0 });
    const port = Number(new URL(preview.url).port);
    const idle = open(preview.url);
    idle.write("GET /v1/network HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(idle, "data");
    const busy = open(preview.url);
    busy.write("GET /large.bin HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(busy, "data");
    busy.pause();
    const closed = Promise.all([preview.close(), preview.close(), once(idle, "close")]);
    busy.resume();
    await closed;
    await preview.close();
    const again = await serveSite(out, { port });
    await again.close();
  });
});

describe("an address", () => {
  test.each<[string | undefined, string | RegExp]>([
    [undefined, "http://127.0.0.1:"],
    ["", "http://127.0.0.1:"],
    ["0.0.0.0", "http://127.0.0.1:"],
    ["localhost", /^http:\/\/(?:127\.0\.0\.1|\[::1\]):/],
    [withoutIpv6 === undefined ? "::1" : undefined, /^http:\/\/(?:\[::1\]|127\.0\.0\.1):\d+$/],
  ])("%j is listened on as %s", async (host, start) => {
    const preview = closeAfterTest(await serveSite(out, { port: 0, host }));
    expect(preview.url).toMatch(start);
    expect((await ask(preview.url, "/v1/network")).status).toBe(200);
  });

  const foreign = (host: string) =>
    `"${host}" is not an address of this machine; use one with --address, such as 127.0.0.1.`;
  test.each(["192.0.2.1", "2001:db8::1", "no-such-host.invalid"])("%s is foreign", async (host) => {
    await refuses(out, { port: 0, host }, foreign(host));
  });

  test("in use is a sentence with the remedy", async () => {
    const port = Number(new URL(site.url).port);
    const remedy = "stop the program that uses it, or use another port with --port";
    await refuses(out, { port }, `Port ${port} of "127.0.0.1" is in use; ${remedy}.`);
  });

  test.skipIf(privileged !== "EACCES")(
    "a privileged port is refused (skipped if this user may open it)",
    async () => {
      await refuses(out, { port: 1 }, "This user may not open port 1; use 1024 or higher with --port.");
    },
  );
});

test("a folder without a site is a sentence with the remedy", async () => {
  const remedy = "run mirrorfeed run first, or name another folder with --out";
  const missing = join(folder, "missing");
  const sentence = `${missing} does not exist, or this user may not read it; ${remedy}.`;
  await refuses(missing, { port: 0 }, sentence);
  const empty = fs.mkdtempSync(join(folder, "empty-"));
  for (const other of [empty, join(folder, "outside"), join(out, "index.html")])
    await refuses(other, { port: 0 }, `${other} does not contain a site; ${remedy}.`);
});

async function refuses(folder: string, options: ServeOptions, sentence: string): Promise<void> {
  await expect(serveSite(folder, options)).rejects.toThrow(new InputError(sentence));
}

/** Lists the files that this process has open; empty on systems without `/proc`. */
function openFiles(): string[] {
  const descriptors = "/proc/self/fd";
  if (!fs.existsSync(descriptors)) return [];
  const links = fs.readdirSync(descriptors).map((name) => join(descriptors, name));
  return links.filter((link) => fs.existsSync(link)).map((link) => fs.readlinkSync(link));
}

/** Returns the error code if this machine refuses to listen. */
async function refusal(host: string, port: number): Promise<string | undefined> {
  const server = createServer();
  try {
    await once(server.listen(port, host), "listening");
    return undefined;
  } catch (error) {
    return errorCode(error) ?? "unknown";
  } finally {
    server.close();
  }
}
