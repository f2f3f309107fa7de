import { createHash } from "node:crypto";
import { brotliCompressSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ProbeContext } from "../../src/kinds/kind.ts";
import { parseRepomd } from "../../src/kinds/repomd.ts";
import type { Handler } from "../../src/testbed/server.ts";
import { closeAfterTest } from "../support/close-after-test.ts";
import { type FileServer, type ServedFile, serveFiles } from "../support/file-server.ts";
import { misbehaviours } from "../support/misbehaviours.ts";
import { probeUrl } from "../support/probing.ts";

const now = Date.parse("2026-03-10T12:00:00.000Z");
const made = now / 1000 - 3600;
const content_at = "2026-03-10T11:00:00.000Z";
const index = "/repodata/repomd.xml";
const primary = "/repodata/0123-primary.xml.gz";
const parked = "<!doctype html><html><title>This domain is for sale</title></html>";
const packages = "the list of packages";

interface Part {
  readonly type?: string;
  readonly href?: string;
  readonly base?: string;
  readonly size?: string;
  readonly timestamp?: string;
}

function part({
  type = "primary",
  href = primary.slice(1),
  base,
  size,
  timestamp = `${made}`,
}: Part = {}): string {
  return `<data type="${type}">
    <checksum type="sha256">${"0".repeat(64)}</checksum>
    <location ${base === undefined ? "" : `xml:base="${base}" `}href="${href}"/>
    <timestamp>${timestamp}</timestamp>
    <size>${size ?? packages.length}</size>
  </data>`;
}

function repomd(parts = part(), revision = `<revision>${made}</revision>`): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<repomd xmlns="http://linux.duke.edu/metadata/repo" xmlns:rpm="http://linux.duke.edu/metadata/rpm">
  ${revision}
  ${parts}
</repomd>
`;
}

async function serve(files: Readonly<Record<string, ServedFile>>): Promise<FileServer> {
  return closeAfterTest(await serveFiles(files));
}

async function probe({ url }: FileServer, timeoutMs = 2000) {
  const context = { isPrimary: false, reference: undefined, now, turn: 0 };
  return probeUrl(url, { kind: "rpm", context, timeoutMs });
}

const whole = { [index]: repomd(), [primary]: packages };

test("a repository has a revision, a time and the digests of its index, in two requests", async () => {
  const server = await serve(whole);
  const found = await probe(server);
  const digest = (algorithm: string) => createHash(algorithm).update(repomd()).digest("hex");
  expect(found).toMatchObject({
    code: "ok",
    http_status: 200,
    revision: `${made}-${digest("sha256").slice(0, 32)}`,
    content_at,
    index: { size: repomd().length, sha256: digest("sha256"), sha512: digest("sha512") },
  });
  expect(found.content_code).toBeUndefined();
  expect(server.requests).toEqual([`GET ${index}`, `HEAD ${primary}`]);
});

test("its URL may have a path, and a slash at its end", async () => {
  const server = await serve({ [`/a${index}`]: repomd(), [`/a${primary}`]: packages });
  for (const end of ["", "/"]) {
    const found = await probe({ ...server, url: `${server.url}/a${end}` });
    expect(found).toMatchObject({ code: "ok", content_at });
    expect(found.content_code).toBeUndefined();
  }
});

describe("the revision", () => {
  test.each([
    ["missing", "", /^[0-9a-f]{32}$/],
    ["empty", "<revision/>", /^[0-9a-f]{32}$/],
    ["a name", "<revision>42.1:beta</revision>", /^42\.1:beta-[0-9a-f]{32}$/],
    ["a name in CDATA", "<revision><![CDATA[42]]></revision>", /^42-[0-9a-f]{32}$/],
    ["a sentence", "<revision>not a number</revision>", /^[0-9a-f]{32}$/],
    ["too long", `<revision>${"1".repeat(101)}</revision>`, /^[0-9a-f]{32}$/],
    ["there twice", "<revision>1</revision><revision>2</revision>", /^1-[0-9a-f]{32}$/],
  ])("may be %s", async (_, revision, expected) => {
    const found = await probe(await serve({ ...whole, [index]: repomd(part(), revision) }));
    expect(found).toMatchObject({ code: "ok", revision: expect.stringMatching(expected) });
  });

  test("is another one after every change of the index", async () => {
    const found = await probe(await serve({ ...whole, [index]: repomd(part({ timestamp: `${made + 1}` })) }));
    expect(found.revision).not.toBe((await probe(await serve(whole))).revision);
  });
});

describe("the time of the content", () => {
  const at = (...timestamps: string[]) =>
    repomd(
      timestamps
        .map((timestamp, place) => part({ timestamp, type: place === 0 ? "primary" : "other" }))
        .join(""),
    );

  test.each<[string, string, string | undefined]>([
    ["the newest of all parts", at(`${made - 7200}`, `${made}`, `${made - 3600}`), content_at],
    ["with a fraction", at(`${made}.25`), "2026-03-10T11:00:00.250Z"],
    ["none of the future", at(`${made}`, `${made + 10 * 86_400}`), content_at],
    ["none if all are of the future", at(`${made + 10 * 86_400}`), undefined],
    ["none below zero", at(`-${made}`), undefined],
    ["none of 13 digits", at(`${now}`), undefined],
    ["none of a date", at("2026-03-10"), undefined],
    ["none if there is none", repomd(part().replace(/<timestamp>.*<\/timestamp>/, "")), undefined],
    ["the first one if a part has two", at(`${made}</timestamp><timestamp>${made + 60}`), content_at],
  ])("is %s", async (_, text, expected) => {
    const found = await probe(await serve({ ...whole, [index]: text }));
    expect(found.code).toBe("ok");
    expect(found.content_at).toBe(expected);
  });
});

describe("the index", () => {
  test.each<[string, string]>([
    ["a byte-order mark", `\ufeff${repomd()}`],
    ["CRLF", repomd().replaceAll("\n", "\r\n")],
    ["a comment", `<!-- made by hand -->${repomd().replace(/^<\?.*\?>/, "")}`],
    ["no namespace", repomd().replaceAll(/ xmlns(?::rpm)?="[^"]*"/g, "")],
    ["elements of other namespaces", repomd(part(), `<rpm:revision>7</rpm:revision><revision>1</revision>`)],
    ["a name of a part escaped", repomd(part().replace('"primary"', '"&#112;rimary"'))],
    [
      "a document type",
      repomd().replace("<repomd", '<!DOCTYPE repomd SYSTEM "file:///etc/hostname"><repomd'),
    ],
  ])("may have %s", async (_, text) => {
    const found = await probe(await serve({ ...whole, [index]: text }));
    expect(found).toMatchObject({ code: "ok", content_at });
    expect(found.content_code).toBeUndefined();
  });

  test.each<[string, string | Buffer]>([
    ["a page", parked],
    ["a page in XHTML", '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body/></html>'],
    ["empty", ""],
    ["cut off", repomd().slice(0, 300)],
    ["without a list of packages", repomd(part({ type: "filelists" }))],
    ["without parts", repomd("")],
    ["another document", repomd().replaceAll("repomd", "metadata")],
    ["with a prefix", repomd().replaceAll("<repomd", "<r:repomd").replaceAll("</repomd", "</r:repomd")],
    ["followed by another", repomd() + repomd().replace(/^<\?.*\?>/, "")],
    [
      "with an entity of its own",
      repomd().replace("<repomd", '<!DOCTYPE r [<!ENTITY a "1">]><repomd').replace(`${made}<`, "&a;<"),
    ],
    [
      "with entities that multiply",
      `<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>${repomd(part(), "<revision>&b;</revision>").replace(/^<\?.*\?>/, "")}`,
    ],
    ["with an attribute twice", repomd().replace('type="primary"', 'type="primary" type="primary"')],
    ["with a NUL", repomd().replace("<data", "\0<data")],
    ["nested very deep", "<repomd>".repeat(30_000)],
    ["UTF-16", Buffer.from(`\ufeff${repomd()}`, "utf16le")],
    ["a JSON", '{"repomd":{"data":[]}}'],
  ])("is not that of a repository if it is %s", async (_, text) => {
    const found = await probe(await serve({ ...whole, [index]: text }));
    expect(found).toMatchObject({ code: "not_rpm", http_status: 200 });
    for (const field of ["revision", "content_at", "content_code", "index"])
      expect(found).not.toHaveProperty(field);
  });

  test.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
  ])("may come as %s, though it was not asked for, within its bounds", async (coding, compress) => {
    const coded = (text: string): Handler => {
      const content = compress(text);
      return ({ response }) => void response.writeHead(200, { "content-encoding": coding }).end(content);
    };
    const found = await probe(await serve({ ...whole, [index]: coded(repomd()) }));
    expect(found).toMatchObject({ code: "ok", revision: (await probe(await serve(whole))).revision });
    const bomb = repomd(part(), `<revision>${" ".repeat(5_000_000)}</revision>`);
    expect(await probe(await serve({ ...whole, [index]: coded(bomb) }))).toMatchObject({ code: "too_large" });
  });

  test("may not be longer than 256 KiB", async () => {
    const long = (length: number) => repomd(part(), `<!--${"x".repeat(length)}-->`);
    expect((await probe(await serve({ ...whole, [index]: long(250_000) }))).code).toBe("ok");
    expect((await probe(await serve({ ...whole, [index]: long(263_000) }))).code).toBe("too_large");
  });

  test.each<[string, Handler, object]>([
    ["404", misbehaviours.notFound(), { code: "http_status", http_status: 404 }],
    ["403", misbehaviours.forbidden(), { code: "http_status" }],
    ["401", misbehaviours.unauthorized(), { code: "auth" }],
    ["429", misbehaviours.tooManyRequests(), { code: "rate_limited" }],
    ["503 with Retry-After", misbehaviours.overloaded(), { code: "rate_limited" }],
    ["503", misbehaviours.unavailable(), { code: "http_status" }],
    ["a login page", misbehaviours.loginPage(), { code: "not_rpm" }],
    ["a body shorter than said", misbehaviours.truncatedBody(), { code: "reset" }],
    ["a body without end", misbehaviours.endlessBody(), { code: "too_large" }],
  ])("that is answered with %s decides alone", async (_, handler, expected) => {
    const server = await serve({ ...whole, [index]: handler });
    expect(await probe(server)).toMatchObject(expected);
    expect(server.requests).toEqual([`GET ${index}`]);
  });
});

describe("the list of packages that the index names", () => {
  test.each<[string, ServedFile | undefined]>([
    ["missing", undefined],
    ["gone", misbehaviours.gone()],
    ["shorter", packages.slice(1)],
    ["empty", ""],
    ["a page of another size", parked],
    [
      "a page without a size",
      ({ response }) => void response.writeHead(200, { "content-type": "text/html" }).end(),
    ],
  ])("makes the mirror half-synced if it is %s", async (_, file) => {
    const server = await serve({ [index]: whole[index] });
    if (file !== undefined) server.files.set(primary, file);
    const found = await probe(server);
    expect(found).toMatchObject({ code: "ok", http_status: 200, content_at, content_code: "half_synced" });
  });

  test.each<[string, Handler]>([
    ["429", misbehaviours.tooManyRequests()],
    ["503 with Retry-After", misbehaviours.overloaded()],
    ["500", misbehaviours.serverError()],
    ["403", misbehaviours.forbidden()],
    ["401", misbehaviours.unauthorized()],
    ["a reset", misbehaviours.reset()],
    [
      "a page with 503",
      ({ response }) => {
        response.writeHead(503, { "content-type": "text/html", "content-length": "9" }).end();
      },
    ],
    ["no length", ({ response }) => void response.writeHead(200, { "transfer-encoding": "chunked" }).end()],
    [
      "the length of what it compresses",
      ({ response }) => {
        response.writeHead(200, { "content-encoding": "gzip", "content-length": "9" }).end();
      },
    ],
  ])("proves nothing by %s", async (_, handler) => {
    const found = await probe(await serve({ ...whole, [primary]: handler }));
    expect(found).toMatchObject({ code: "ok", content_at });
    expect(found.content_code).toBeUndefined();
  });

  test("proves nothing by silence", async () => {
    const found = await probe(await serve({ ...whole, [primary]: misbehaviours.silent() }), 400);
    expect(found).toMatchObject({ code: "ok", content_at });
    expect(found.content_code).toBeUndefined();
  });

  test("is requested by GET if HEAD is not allowed", async () => {
    const server = await serve({
      ...whole,
      [primary]: ({ request, response }) =>
        void response.writeHead(request.method === "HEAD" ? 405 : 404).end(),
    });
    expect(await probe(server)).toMatchObject({ content_code: "half_synced" });
    expect(server.requests).toEqual([`GET ${index}`, `HEAD ${primary}`, `GET ${primary}`]);
  });

  test.each<[string, Part]>([
    ["another server", { base: "https://packages.example.org/" }],
    ["a URL", { href: "https://packages.example.org/primary.xml.gz" }],
    ["a path above the repository", { href: "repodata/../../primary.xml.gz" }],
    ["an absolute path", { href: "/primary.xml.gz" }],
    ["a query", { href: "primary.xml.gz?token=1" }],
    ["a very long path", { href: "x".repeat(301) }],
    ["nothing", { href: "" }],
  ])("is not requested if it is at %s", async (_, at) => {
    const server = await serve({ [index]: repomd(part(at)) });
    const found = await probe(server);
    expect(found).toMatchObject({ code: "ok", content_at });
    expect(found.content_code).toBeUndefined();
    expect(server.requests).toEqual([`GET ${index}`]);
  });

  test("is the first one of two, and has no size or digest that is not one", () => {
    const two =
      part({ href: "a", size: "many" }).replace('type="sha256"', 'type="md5"') + part({ href: "b" });
    expect(parseRepomd(repomd(two))?.primary).toEqual({
      path: "a",
      size: undefined,
      sha256: undefined,
    });
  });
});

describe("of the packages of a repository", () => {
  const names = Array.from({ length: 40 }, (_, place) => `Packages/p/p${place}-1.0+a.rpm`);
  const listText = (hrefs: readonly string[]): string =>
    hrefs.map((href) => `<package><location href="${href}"/></package>\n`).join("");
  const sha256 = (content: Buffer): string => createHash("sha256").update(content).digest("hex");

  /** Returns the files of a repository with a list of packages. */
  function listing(list: Buffer, href = primary.slice(1)): Record<string, ServedFile> {
    const text = repomd(part({ href, size: `${list.length}` })).replace("0".repeat(64), sha256(list));
    return { [index]: text, [`/${href}`]: list };
  }

  async function probePrimary({ url }: FileServer, reference?: ProbeContext["reference"], turn = 1) {
    const context = { isPrimary: true, reference, now, turn };
    const found = await probeUrl(url, { kind: "rpm", context });
    return { revision: found.revision ?? "", index: found.index, content_code: found.content_code };
  }

  const files = listing(gzipSync(listText(names)));

  test("the primary keeps 16, and reads its list once for each revision", async () => {
    const server = await serve({
      ...files,
      ...Object.fromEntries(names.map((name) => [`/${name.replace("+", "%2B")}`, "a"])),
    });
    const { content_code, ...reference } = await probePrimary(server);
    expect(content_code).toBeUndefined();
    expect(new Set(reference.index?.files).size).toBe(16);
    expect(names).toEqual(expect.arrayContaining([...(reference.index?.files ?? [])]));
    const { length } = server.requests;
    expect(await probePrimary(server, reference)).toEqual({ ...reference, content_code });
    expect(server.requests.slice(length)).toEqual([
      `GET ${index}`,
      `HEAD ${primary}`,
      expect.stringMatching(/^HEAD \/Packages\/p\/p\d+-1\.0%2Ba\.rpm$/),
    ]);
  });

  test("one is requested of each mirror of the same revision, and may be missing", async () => {
    const reference = await probePrimary(await serve(files));
    expect(reference.content_code).toBe("missing_file");
    const server = await serve(files);
    const context = { isPrimary: false, reference, now, turn: 3 };
    const found = await probeUrl(server.url, { kind: "rpm", context });
    expect(found).toMatchObject({ code: "ok", content_at, content_code: "missing_file" });
    expect(found.index).not.toHaveProperty("files");
    expect(server.requests.at(-1)).toBe(`HEAD /${reference.index?.files?.[3]?.replace("+", "%2B")}`);
    server.files.delete(primary);
    expect(await probeUrl(server.url, { kind: "rpm", context })).toMatchObject({
      content_code: "half_synced",
    });
    const other = await serve(whole);
    expect((await probeUrl(other.url, { kind: "rpm", context })).content_code).toBeUndefined();
  });

  test.each<[string, Record<string, ServedFile>]>([
    ["in zstd", listing(Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0]), "repodata/primary.xml.zst")],
    ["malformed", listing(Buffer.from("no gzip"))],
    ["empty", listing(gzipSync(""))],
    [
      "with packages elsewhere",
      listing(
        gzipSync(
          `<location xml:base="https://a.example.org/" href="a.rpm"/>${listText(["../a.rpm", "/a.rpm", "a%2f.rpm", "a&amp;b.rpm", "", "x".repeat(301)])}`,
        ),
      ),
    ],
    ["said to have 17 MB", { ...listing(gzipSync("")), [index]: repomd(part({ size: "17000000" })) }],
    ["without a SHA-256", { [index]: repomd().replace('type="sha256"', 'type="md5"'), [primary]: packages }],
  ])("none are kept of a list that is %s", async (_, served) => {
    const found = await probePrimary(await serve(served));
    expect(found.index?.files).toEqual([]);
  });

  test("none are kept of a list with another checksum, and it is requested again 16 runs later", async () => {
    const right = gzipSync(listText(names));
    const wrong = Buffer.from(right).fill(0, 20, 30);
    const server = await serve({ ...files, [primary]: wrong });
    const reference = await probePrimary(server);
    expect(reference.index).not.toHaveProperty("files");
    server.files.set(primary, right);
    expect((await probePrimary(server, reference, 17)).index).not.toHaveProperty("files");
    expect((await probePrimary(server, reference, 32)).index?.files).toHaveLength(16);
  });
});

test("no text makes the parser throw", () => {
  const piece = fc.constantFrom(
    ..."< > / = \" ' & ; <? ?> <!-- --> <![CDATA[ ]]> <!DOCTYPE <!ENTITY &#x41; &#99999999; repomd data primary".split(
      " ",
    ),
    ...'<repomd> </repomd> <data </data> <location href="a"/> <timestamp>1</timestamp> \0 \ufffe'.split(" "),
    "\n",
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 3 })), { maxLength: 40 }), (pieces) => {
      parseRepomd(pieces.join(" "));
      parseRepomd(`<repomd>${pieces.join("")}</repomd>`);
    }),
  );
});
