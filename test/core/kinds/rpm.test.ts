import { hash } from "node:crypto";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseRepomd } from "../../../src/core/kinds/repomd.ts";
import type { Handler } from "../../support/mirror-server.ts";
import { closeAfterTest } from "../../support/close-after-test.ts";
import { now, probeFiles, type ServedFile, type ServedFiles, serveFiles } from "../../support/file-server.ts";
import { misbehaviours } from "../../support/misbehaviours.ts";

const made = now / 1000 - 3600;
const content_at = "2026-03-10T11:00:00.000Z";
const index = "/repodata/repomd.xml";
const primary = "/repodata/0123-primary.xml.gz";
const parked = "<!doctype html><html><title>This domain is for sale</title></html>";
const packages = "the list of packages";
const noDigest = "0".repeat(64);

interface Part {
  readonly type?: string;
  readonly href?: string;
  readonly base?: string;
  readonly size?: string;
  readonly timestamp?: string;
}

function part({ type = "primary", base, ...given }: Part = {}): string {
  const { href = primary.slice(1), size = packages.length, timestamp = made } = given;
  return `<data type="${type}">
    <checksum type="sha256">${noDigest}</checksum>
    <location ${base === undefined ? "" : `xml:base="${base}" `}href="${href}"/>
    <timestamp>${timestamp}</timestamp>
    <size>${size}</size>
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

const whole = { [index]: repomd(), [primary]: packages };
const inSync = { code: "ok", http_status: 200, content_at, content_code: undefined };

/** Probes a complete repository in which these files are replaced. */
function probe(files: ServedFiles = {}) {
  return probeFiles("rpm", { ...whole, ...files });
}

test("a repository has a revision, a time and the digests of its index, in two requests", async () => {
  const sha256 = hash("sha256", repomd());
  const found = await probe();
  expect(found).toMatchObject({
    ...inSync,
    revision: `${made}-${sha256.slice(0, 32)}`,
    index: { size: repomd().length, sha256, sha512: hash("sha512", repomd()) },
    requests: [`GET ${index}`, `HEAD ${primary}`],
  });
  const changed = await probe({ [index]: repomd(part({ timestamp: `${made + 1}` })) });
  expect(changed.revision).not.toBe(found.revision);
});

test.each(["/a", "/a/"])("its URL may have a path: %s", async (path) => {
  const files = { [`/a${index}`]: repomd(), [`/a${primary}`]: packages };
  expect(await probeFiles("rpm", files, { path })).toMatchObject(inSync);
});

test.each([
  ["missing", "", /^[0-9a-f]{32}$/],
  ["a name", "<revision>42.1:beta</revision>", /^42\.1:beta-[0-9a-f]{32}$/],
  ["a sentence", "<revision>not a number</revision>", /^[0-9a-f]{32}$/],
  ["there twice", "<revision>1</revision><revision>2</revision>", /^1-[0-9a-f]{32}$/],
])("the revision may be %s", async (_, revision, expected) => {
  const found = await probe({ [index]: repomd(part(), revision) });
  expect(found).toMatchObject({ code: "ok", revision: expect.stringMatching(expected) });
});

describe("the time of the content", () => {
  const at = (first: string, ...others: string[]) => {
    const parts = others.map((timestamp) => part({ timestamp, type: "other" }));
    return repomd(part({ timestamp: first }) + parts.join(""));
  };

  test.each<[string, string, string | undefined]>([
    ["the newest of all parts", at(`${made - 7200}`, `${made}`, `${made - 3600}`), content_at],
    ["none if all are of the future", at(`${made + 10 * 86_400}`), undefined],
    ["none of a date", at("2026-03-10"), undefined],
    ["none if there is none", repomd(part().replace(/<timestamp>.*<\/timestamp>/, "")), undefined],
    ["the first one if a part has two", at(`${made}</timestamp><timestamp>${made + 60}`), content_at],
  ])("is %s", async (_, text, expected) => {
    expect(await probe({ [index]: text })).toMatchObject({ code: "ok", content_at: expected });
  });
});

describe("the index", () => {
  /** Declares entities, and uses `b`. */
  const declaring = (entities: string) =>
    repomd().replace("<repomd", `<!DOCTYPE r [${entities}]><repomd`).replace(`${made}<`, "&b;<");
  const lines = (length: number) => repomd(part(), `<!--${"x".repeat(length)}-->`);

  test.each<[string, string]>([
    ["a byte-order mark", `\ufeff${repomd()}`],
    ["CRLF", repomd().replaceAll("\n", "\r\n")],
    ["no namespace", repomd().replaceAll(/ xmlns(?::rpm)?="[^"]*"/g, "")],
    ["a document type", repomd().replace("<repomd", '<!DOCTYPE repomd SYSTEM "file:///etc/hosts"><repomd')],
    ["250 KB", lines(250_000)],
  ])("may have %s", async (_, text) => {
    expect(await probe({ [index]: text })).toMatchObject(inSync);
  });

  test.each<[string, string | Buffer]>([
    ["a page", parked],
    ["empty", ""],
    ["cut off", repomd().slice(0, 300)],
    ["without a list of packages", repomd(part({ type: "filelists" }))],
    ["with a prefix", repomd().replaceAll("<repomd", "<r:repomd").replaceAll("</repomd", "</r:repomd")],
    ["with an entity of its own", declaring('<!ENTITY b "1">')],
    ["with entities that multiply", declaring(`<!ENTITY a "aaaaaaaaaa"><!ENTITY b "${"&a;".repeat(8)}">`)],
    ["nested very deep", "<repomd>".repeat(30_000)],
  ])("is not that of a repository if it is %s", async (_, text) => {
    const nothing = { revision: undefined, content_at: undefined, content_code: undefined, index: undefined };
    expect(await probe({ [index]: text })).toMatchObject({ code: "not_rpm", http_status: 200, ...nothing });
  });

  test("may come as gzip, though it was not asked for, within its bounds", async () => {
    const coded = (text: string): Handler => {
      const body = gzipSync(text);
      return ({ response }) => void response.writeHead(200, { "content-encoding": "gzip" }).end(body);
    };
    expect(await probe({ [index]: coded(repomd()) })).toMatchObject(inSync);
    const bomb = repomd(part(), `<revision>${" ".repeat(5_000_000)}</revision>`);
    expect(await probe({ [index]: coded(bomb) })).toMatchObject({ code: "too_large" });
  });

  test.each<[string, ServedFile, string]>([
    ["404", 404, "http_status"],
    ["429", 429, "rate_limited"],
    ["263 KB", lines(263_000), "too_large"],
    ["a body shorter than said", misbehaviours.truncatedBody(), "reset"],
    ["a body without end", misbehaviours.endlessBody(), "too_large"],
  ])("that is answered with %s decides alone", async (_, file, code) => {
    expect(await probe({ [index]: file })).toMatchObject({ code, requests: [`GET ${index}`] });
  });
});

describe("the list of packages that the index names", () => {
  const withHead =
    (status: number, headers: Readonly<Record<string, string>>): Handler =>
    ({ response }) =>
      void response.writeHead(status, headers).end();

  test.each<[string, ServedFile, "half_synced" | undefined]>([
    ["missing", 404, "half_synced"],
    ["shorter", packages.slice(1), "half_synced"],
    ["a page without a size", withHead(200, { "content-type": "text/html" }), "half_synced"],
    ["there, and forbidden", 403, undefined],
    ["there without a length", withHead(200, { "transfer-encoding": "chunked" }), undefined],
  ])("may be %s", async (_, file, content_code) => {
    expect(await probe({ [primary]: file })).toMatchObject({ ...inSync, content_code });
  });

  test.each<[string, Part]>([
    ["another server", { base: "https://packages.example.org/" }],
    ["a URL", { href: "https://packages.example.org/primary.xml.gz" }],
    ["a path above the repository", { href: "repodata/../../primary.xml.gz" }],
    ["an absolute path", { href: "/primary.xml.gz" }],
  ])("is not requested if it is at %s", async (_, at) => {
    const found = await probe({ [index]: repomd(part(at)) });
    expect(found).toMatchObject({ ...inSync, requests: [`GET ${index}`] });
  });

  test("is the first of two, without an invalid size or digest", () => {
    const first = part({ href: "a", size: "many" }).replace('type="sha256"', 'type="md5"');
    const { primary: parsed } = parseRepomd(repomd(first + part({ href: "b" }))) ?? {};
    expect(parsed).toEqual({ path: "a", size: undefined, checksum: undefined });
  });
});

test("the other lists that dnf reads are requested in turn, and all after one was missing", async () => {
  const types = ["filelists", "filelists_db", "updateinfo", "group"];
  const parts = types.map((type) => part({ type, href: `repodata/${type}`, size: `${type.length}` }));
  const names = ["filelists", "updateinfo", "group"].map((type) => `/repodata/${type}`);
  const served = { [index]: repomd(part() + parts.join("")), [primary]: packages };
  const lists = Object.fromEntries(names.map((name) => [name, name.slice(10)]));
  const probeAt = (turn: number, files: ServedFiles, wasIncomplete = false) =>
    probeFiles("rpm", { ...served, ...files }, { context: { turn, wasIncomplete } });
  for (const [turn, name] of [...names, ...names].entries()) {
    const requests = [`GET ${index}`, `HEAD ${primary}`, `HEAD ${name}`];
    expect(await probeAt(turn, lists)).toMatchObject({ ...inSync, requests });
    for (const file of [404, "cut"])
      expect((await probeAt(turn, { ...lists, [name]: file })).content_code).toBe("half_synced");
  }
  expect((await probeAt(0, { ...lists, [names[2] ?? ""]: 404 })).content_code).toBeUndefined();
  expect((await probeAt(0, { ...lists, [names[2] ?? ""]: 404 }, true)).content_code).toBe("half_synced");
});

describe("of the packages of a repository", () => {
  const names = Array.from({ length: 40 }, (_, place) => `Packages/p/p${place}-1.0+a.rpm`);
  const listText = (hrefs: readonly string[]): string =>
    hrefs
      .map((href) => `<package><size package="1234" installed="9"/><location href="${href}"/></package>\n`)
      .join("");

  /** Returns the files of a repository with this package list. */
  function listing(list: Buffer, href = primary.slice(1), algorithm = "sha256"): ServedFiles {
    const text = repomd(part({ href, size: `${list.length}` }))
      .replace(noDigest, hash(algorithm, list))
      .replace('type="sha256"', `type="${algorithm}"`);
    return { [index]: text, [`/${href}`]: list };
  }

  const list = gzipSync(listText(names));
  const files = listing(list);

  test("one is requested from each mirror with the same revision, and may be missing", async () => {
    const server = closeAfterTest(await serveFiles(files));
    const primaryFound = await probeFiles("rpm", server, { context: { isPrimary: true } });
    expect(primaryFound.content_code).toBe("missing_file");
    const samples = primaryFound.index?.files ?? [];
    const paths = samples.map(({ path }) => path);
    expect(new Set(paths).size).toBe(16);
    expect(names).toEqual(expect.arrayContaining(paths));
    expect(samples.map(({ size }) => size)).toEqual(samples.map(() => 1234));
    const { revision = "" } = primaryFound;
    const context = { reference: { revision, index: { ...primaryFound.index, turn: 3 } } };
    const found = await probeFiles("rpm", server, { context });
    expect(found).toMatchObject({ code: "ok", content_at, content_code: "missing_file" });
    expect(found.index).not.toHaveProperty("files");
    expect(found.requests.at(-2)).toBe(`HEAD /${paths[3]?.replace("+", "%2B")}`);
    server.files.delete(primary);
    expect((await probeFiles("rpm", server, { context })).content_code).toBe("half_synced");
    expect((await probeFiles("rpm", whole, { context })).content_code).toBeUndefined();
  });

  const elsewhere = ["../a.rpm", "/a.rpm", "a%2f.rpm", "a&amp;b.rpm", "", "x".repeat(301)];
  const withBase = '<location xml:base="https://a.example.org/" href="a.rpm"/>';
  test.each<[string, ServedFiles, number | undefined]>([
    ["with packages elsewhere: none", listing(gzipSync(withBase + listText(elsewhere))), 0],
    ["without SHA-2: none", { ...whole, [index]: repomd().replace('type="sha256"', 'type="md5"') }, 0],
    ["with SHA-512: some", listing(list, primary.slice(1), "sha512"), 16],
    // It is read again later.
    ["with a wrong checksum: none", { ...files, [primary]: Buffer.from(list).fill(0, 20, 30) }, undefined],
  ])("are kept of a list %s", async (_, served, count) => {
    const found = await probeFiles("rpm", served, { context: { isPrimary: true } });
    expect(found.index?.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(found.index?.files?.length).toBe(count);
  });
});

test("no text makes the parser throw", () => {
  const pieces = `< > / = " ' & ; <? ?> <!-- --> <![CDATA[ ]]> <!DOCTYPE <!ENTITY &#x41; &#99999999; repomd data
    primary <repomd> </repomd> <data </data> <location href="a"/> <timestamp>1</timestamp> \0 \ufffe`;
  const piece = fc.constantFrom("\n", ...pieces.split(/\s+/));
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 3 })), { maxLength: 40 }), (texts) => {
      parseRepomd(texts.join(" "));
      parseRepomd(`<repomd>${texts.join("")}</repomd>`);
    }),
  );
});
