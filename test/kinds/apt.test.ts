import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { chooseIndex, parseRelease, samplePackages } from "../../src/kinds/apt-release.ts";
import type { ContentIndex } from "../../src/kinds/mirror-content.ts";
import type { ProbeContext } from "../../src/kinds/kind.ts";
import { startServer } from "../../src/testbed/server.ts";
import { probeUrl } from "../support/probing.ts";

const now = Date.parse("2026-03-10T12:00:00Z");

function sha256(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

/** An index of numbered packages, as dpkg-scanpackages writes it. */
function packagesOf(count: number): string {
  return Array.from({ length: count }, (_, n) => {
    const name = `lib${String(n).padStart(4, "0")}`;
    return `Package: ${name}\nDescription: a package\n Filename: pool/no.deb\nFilename: pool/main/l/${name}/${name}_1.0+b1_amd64.deb\nSize: 1\n\n`;
  }).join("");
}

const index = gzipSync(packagesOf(100));
const indexName = "main/binary-amd64/Packages.gz";

function releaseText(
  fields: Readonly<Record<string, string>> = {},
  files: Readonly<Record<string, Buffer>> = { [indexName]: index },
): string {
  const all = {
    Suite: "stable",
    Date: "Tue, 10 Mar 2026 06:00:00 UTC",
    SHA256: Object.entries(files)
      .map(([path, content]) => `\n ${sha256(content)} ${content.length} ${path}`)
      .join(""),
    ...fields,
  };
  return Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\n`.replace(" \n", "\n"))
    .join("");
}

function clearSigned(text: string): string {
  const signature = "-----BEGIN PGP SIGNATURE-----\n\niQ==\n-----END PGP SIGNATURE-----\n";
  return `-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n${text.replaceAll(/^-/gm, "- -")}${signature}`;
}

type Files = Readonly<Record<string, string | Buffer | number>>;

interface Context {
  readonly isPrimary?: boolean;
  readonly wasIncomplete?: boolean;
  readonly turn?: number;
  readonly reference?: { readonly revision: string; readonly index?: ContentIndex };
}

async function probeArchive(
  files: Files,
  { isPrimary = false, turn = 0, reference, wasIncomplete }: Context = {},
  options: Readonly<Record<string, unknown>> = {},
) {
  const requests: string[] = [];
  const server = await startServer(({ request, response, path }) => {
    requests.push(`${request.method} ${path}`);
    const found = files[path] ?? 404;
    if (typeof found === "number") response.writeHead(found).end();
    else response.writeHead(200, { "content-length": Buffer.byteLength(found) }).end(found);
  });
  onTestFinished(() => server.close());
  const result = await probeUrl(`${server.url}/debian`, {
    kind: "apt",
    options,
    context: { isPrimary, turn, reference, now, wasIncomplete },
  });
  const { code, revision, content_at, content_code, index: seen } = result;
  return { result: { code, revision, content_at, content_code, index: seen }, requests };
}

const release = "/debian/dists/stable/InRelease";
const text = releaseText();
const revision = sha256(text.trim()).slice(0, 32);
const good = { revision, content_at: "2026-03-10T06:00:00.000Z", content_code: undefined, index: undefined };

describe("a release", () => {
  test("that is signed gives its revision and its time, by one request", async () => {
    const { result, requests } = await probeArchive({ [release]: clearSigned(text) });
    expect(result).toEqual({ code: "ok", ...good });
    expect(requests).toEqual([`GET ${release}`]);
  });

  test.each([403, 404, 410])(
    "may be Release alone, if InRelease gives %i: its revision is the same",
    async (status) => {
      const files = { [release]: status, "/debian/dists/stable/Release": text };
      const { result, requests } = await probeArchive(files);
      expect(result).toEqual({ code: "ok", ...good });
      expect(requests).toEqual([`GET ${release}`, "GET /debian/dists/stable/Release"]);
    },
  );

  test.each([
    ["bookworm-updates", "/debian/dists/bookworm-updates/InRelease"],
    ["stable/updates", "/debian/dists/stable/updates/InRelease"],
    ["./", "/debian/InRelease"],
    ["Debian_12/", "/debian/Debian_12/InRelease"],
  ])("of the suite %s stands at %s", async (suite, path) => {
    expect((await probeArchive({ [path]: text }, {}, { suite })).result.code).toBe("ok");
  });

  test.each<[string, string | Buffer]>([
    ["a parked page", "<!doctype html>\n<title>This domain is for sale</title>\n"],
    ["an empty file", ""],
    ["a text", "It works!\n"],
    ["fields without files", "Suite: stable\nDate: Tue, 10 Mar 2026 06:00:00 UTC\n"],
    ["one that is cut off", clearSigned(text).slice(0, -40)],
    [
      "a signature alone",
      "-----BEGIN PGP SIGNED MESSAGE-----\n\n-----BEGIN PGP SIGNATURE-----\n-----END PGP SIGNATURE-----\n",
    ],
    ["bytes", Buffer.from([0x1f, 0x8b, 0, 255, 10, 254])],
  ])("that is %s is not one", async (_, body) => {
    expect((await probeArchive({ [release]: body })).result.code).toBe("not_apt");
  });

  test.each([
    [404, "http_status"],
    [500, "http_status"],
    [429, "rate_limited"],
    [401, "auth"],
  ])("whose answer is %i gives %s", async (status, code) => {
    expect((await probeArchive({ [release]: status })).result.code).toBe(code);
  });

  test("that is valid no longer is expired, and stays reachable", async () => {
    const until = (date: string) => releaseText({ "Valid-Until": date });
    const frozen = await probeArchive({ [release]: until("Tue, 10 Mar 2026 11:59:59 UTC") });
    expect(frozen.result).toMatchObject({ code: "ok", content_code: "expired" });
    const valid = await probeArchive({ [release]: until("Tue, 10 Mar 2026 12:00:01 UTC") });
    expect(valid.result).toMatchObject({ code: "ok", content_code: undefined });
  });

  test.each(["Thu, 01 Jan 9999 00:00:00 UTC", "today", "31 Feb 2026 00:00:00 UTC"])(
    "with the date %j has an unknown one",
    async (date) => {
      const { result } = await probeArchive({ [release]: releaseText({ Date: date }) });
      expect(result).toMatchObject({ code: "ok", content_at: undefined });
    },
  );

  test("of 3 MB is read, and one of 5 MB is too large", async () => {
    const lines = (count: number) => releaseText({ MD5Sum: `\n ${"a".repeat(99)}`.repeat(count) });
    expect((await probeArchive({ [release]: lines(30_000) })).result.code).toBe("ok");
    expect((await probeArchive({ [release]: lines(50_000) })).result.code).toBe("too_large");
  });

  test.each([
    ["lines of signatures", "-----BEGIN PGP SIGNED MESSAGE-----\n\n", "-----BEGIN PGP SIGNATURE-----\n"],
    ["blank lines", "", "\n"],
    ["colons", "", ":"],
    ["fields", "", "a: b\n"],
  ])("of a million %s is parsed at once", (_, start, line) => {
    expect(parseRelease(start + line.repeat(1_000_000 / line.length))).toBeUndefined();
  });
});

describe("a signature", () => {
  const probeSigned = async (
    verifySignature?: ProbeContext["verifySignature"],
    files: Files = { [release]: clearSigned(text) },
    timeoutMs?: number,
  ) => {
    const server = await startServer(({ response, path }) => {
      const found = files[path];
      if (found === undefined) response.writeHead(404).end();
      else response.end(found);
    });
    onTestFinished(() => server.close());
    const options = { keyring: "/keys/a.gpg" };
    const { code, revision: seen } = await probeUrl(`${server.url}/debian`, {
      kind: "apt",
      options,
      ...(verifySignature && { context: { verifySignature } }),
      ...(timeoutMs !== undefined && { timeoutMs }),
    });
    return { code, revision: seen };
  };

  const verifyAny: ProbeContext["verifySignature"] = () => Promise.resolve(text);

  test("is verified of the bytes that came, with the keyring of the mirror", async () => {
    const asked: string[] = [];
    const verify: ProbeContext["verifySignature"] = (bytes, keyring) => {
      asked.push(`${keyring} ${bytes.toString()}`);
      return Promise.resolve(text);
    };
    expect(await probeSigned(verify)).toEqual({ code: "ok", revision });
    expect(asked).toEqual([`/keys/a.gpg ${clearSigned(text)}`]);
  });

  test("gives the content: nothing else of the answer is parsed", async () => {
    const other = clearSigned(releaseText({ Suite: "other" }));
    expect(await probeSigned(verifyAny, { [release]: other })).toEqual({ code: "ok", revision });
  });

  test.each([
    ["is not good", () => Promise.resolve(undefined)],
    ["signs something else", () => Promise.resolve("a text")],
    ["cannot be verified here", undefined],
  ])("that %s is a vote for offline", async (_, verify) => {
    expect(await probeSigned(verify)).toEqual({ code: "bad_signature", revision: undefined });
  });

  test("that is not verified in time is a timeout", async () => {
    const verify = () => new Promise<never>(() => {});
    expect(await probeSigned(verify, undefined, 100)).toEqual({ code: "timeout", revision: undefined });
  });

  test("is needed: Release alone has none", async () => {
    const files = { "/debian/dists/stable/Release": text };
    expect(await probeSigned(verifyAny, files)).toEqual({ code: "http_status", revision: undefined });
  });

  test.each([
    ["twice", clearSigned(text).repeat(2)],
    ["and followed by a text", `${clearSigned(text)}Suite: other\n`],
    ["and followed by a key", `${clearSigned(text)}-----BEGIN PGP PUBLIC KEY BLOCK-----\n`],
    ["after a text", `Suite: other\n${clearSigned(text)}`],
  ])("that stands there %s makes it invalid", async (_, body) => {
    expect(await probeSigned(verifyAny, { [release]: body })).toEqual({
      code: "not_apt",
      revision: undefined,
    });
  });
});

describe("the index of the primary", () => {
  const path = `/debian/dists/stable/${indexName}`;
  const files = { [release]: clearSigned(text), [path]: index };

  test("is read once for each revision, and gives 16 packages spread over it", async () => {
    const first = await probeArchive(files, { isPrimary: true });
    const samples = first.result.index?.files ?? [];
    expect(samples).toHaveLength(16);
    expect(new Set(samples.map((sample) => sample.slice(0, 18))).size).toBeGreaterThanOrEqual(10);
    for (const sample of samples)
      expect(sample).toMatch(/^pool\/main\/l\/lib\d{4}\/lib\d{4}_1\.0\+b1_amd64\.deb$/);
    expect(first.requests.slice(0, 2)).toEqual([`GET ${release}`, `GET ${path}`]);
    const again = await probeArchive(files, {
      isPrimary: true,
      reference: { revision, index: { files: samples } },
    });
    expect(again.result.index).toEqual({ files: samples });
    expect(again.requests).not.toContain(`GET ${path}`);
    const other = await probeArchive(files, {
      isPrimary: true,
      reference: { revision: "0".repeat(32), index: { files: ["a"] } },
    });
    expect(other.result.index).toEqual({ files: samples });
  });

  test("is not read of another mirror", async () => {
    const { result, requests } = await probeArchive(files);
    expect(result.index).toBeUndefined();
    expect(requests).toEqual([`GET ${release}`]);
  });

  test("is requested by its digest if the archive keeps it so", async () => {
    const byHash = releaseText({ "Acquire-By-Hash": "yes" });
    const named = `/debian/dists/stable/main/binary-amd64/by-hash/SHA256/${sha256(index)}`;
    const { result, requests } = await probeArchive(
      { [release]: byHash, [named]: index },
      { isPrimary: true },
    );
    expect(result.index?.files).toHaveLength(16);
    expect(result.index?.files?.[0]).toBe(named.slice("/debian/".length));
    expect(requests).toEqual([`GET ${release}`, `GET ${named}`, `HEAD ${named}`]);
  });

  test("that only xz compresses is not read: mirrors are asked for it by its digest", async () => {
    const fields = releaseText(
      { "Acquire-By-Hash": "yes" },
      { "main/binary-amd64/Packages": Buffer.alloc(5000), "main/binary-amd64/Packages.xz": index },
    );
    const path = `dists/stable/main/binary-amd64/by-hash/SHA256/${sha256(index)}`;
    const primary = await probeArchive(
      { [release]: fields, [`/debian/${path}`]: index },
      { isPrimary: true },
    );
    expect(primary.result).toMatchObject({ content_code: undefined, index: { files: [path] } });
    expect(primary.requests).toEqual([`GET ${release}`, `HEAD /debian/${path}`]);
    const reference = { revision: sha256(fields.trim()).slice(0, 32), index: { files: [path] } };
    const codeOf = async (files: Files) =>
      (await probeArchive({ [release]: fields, ...files }, { reference })).result.content_code;
    const named = "/debian/dists/stable/main/binary-amd64/Packages.xz";
    expect(await codeOf({})).toBe("half_synced");
    expect(await codeOf({ [named]: index.subarray(1) })).toBe("half_synced");
    expect(await codeOf({ [named]: index })).toBeUndefined();
    expect(await codeOf({ [named]: 500 })).toBeUndefined();
  });

  test("that is missing or breaks off is requested again in a later run, not in each", async () => {
    const missing = { [release]: text };
    const { result } = await probeArchive(missing, { isPrimary: true });
    expect(result).toEqual({ code: "ok", ...good, index: {} });
    const reference = { revision, index: {} };
    const soon = await probeArchive(files, { isPrimary: true, reference, turn: 17 });
    expect(soon.requests).toEqual([`GET ${release}`]);
    const later = await probeArchive(files, { isPrimary: true, reference, turn: 32 });
    expect(later.result.index?.files).toHaveLength(16);
  });

  test.each<[string, Buffer]>([
    ["another", gzipSync(packagesOf(99))],
    ["a page", Buffer.from("<html>")],
  ])("that is %s one than the release names gives no packages", async (_, body) => {
    const { result } = await probeArchive({ ...files, [path]: body }, { isPrimary: true });
    expect(result).toEqual({ code: "ok", ...good, index: { files: [] } });
  });

  test("that is damaged although its digest fits gives no packages", async () => {
    const damaged = Buffer.from("not gzip".repeat(20));
    const { result } = await probeArchive(
      { [release]: releaseText({}, { [indexName]: damaged }), [path]: damaged },
      { isPrimary: true },
    );
    expect(result.index).toEqual({ files: [] });
  });
});

describe("a package of the sample", () => {
  const samples = ["pool/a+b_1~rc1_amd64.deb", "pool/c.deb"];
  const reference = { revision, index: { files: samples } };
  const files = {
    [release]: text,
    "/debian/pool/a%2Bb_1~rc1_amd64.deb": "!<arch>",
    "/debian/pool/c.deb": "!<arch>",
  };

  test("is asked for by one HEAD, in turn", async () => {
    const first = await probeArchive(files, { reference, turn: 4 });
    expect(first.requests).toEqual([`GET ${release}`, "HEAD /debian/pool/a%2Bb_1~rc1_amd64.deb"]);
    expect(first.result).toEqual({ code: "ok", ...good });
    expect((await probeArchive(files, { reference, turn: 5 })).requests[1]).toBe("HEAD /debian/pool/c.deb");
  });

  test("that is missing is a content code, of the primary too", async () => {
    const partial = { [release]: text };
    expect((await probeArchive(partial, { reference })).result.content_code).toBe("missing_file");
    expect((await probeArchive(partial, { reference, isPrimary: true })).result.content_code).toBe(
      "missing_file",
    );
  });

  test("keeps a mirror incomplete until it has all of them", async () => {
    const probeAgain = async (served: Files, turn: number) =>
      probeArchive(served, { reference, turn, wasIncomplete: true });
    const partial: Files = { ...files, "/debian/pool/c.deb": 404 };
    for (const turn of [4, 5]) {
      expect((await probeAgain(partial, turn)).result.content_code).toBe("missing_file");
      const { result, requests } = await probeAgain(files, turn);
      expect(result.content_code).toBeUndefined();
      expect(requests.slice(1).sort()).toEqual([
        "HEAD /debian/pool/a%2Bb_1~rc1_amd64.deb",
        "HEAD /debian/pool/c.deb",
      ]);
    }
    const once = await probeArchive(partial, { reference, turn: 4 });
    expect(once.result.content_code).toBeUndefined();
  });

  test("is not asked of a mirror with another revision, nor of one that is expired", async () => {
    const other = { revision: "0".repeat(32), index: { files: samples } };
    expect((await probeArchive({ [release]: text }, { reference: other })).requests).toHaveLength(1);
    const expired = releaseText({ "Valid-Until": "Mon, 09 Mar 2026 00:00:00 UTC" });
    const { result, requests } = await probeArchive(
      { [release]: expired },
      { reference: { revision: sha256(expired.trim()).slice(0, 32), index: { files: samples } } },
    );
    expect(result.content_code).toBe("expired");
    expect(requests).toHaveLength(1);
  });

  test("is never one outside of the archive, or one that needs encoding", async () => {
    const paths = [
      "../a.deb",
      "a/../../b.deb",
      "/etc/passwd",
      "a b.deb",
      "a%2e.deb",
      "a?b.deb",
      "https://x/a.deb#b",
      "./ok.deb",
    ];
    const body = Buffer.from(paths.map((path) => `Package: a\nFilename: ${path}\n\n`).join(""));
    const name = "Packages";
    const parsed = parseRelease(releaseText({}, { [name]: body }));
    const file = parsed && chooseIndex(parsed, undefined)?.readable;
    if (parsed === undefined || file === undefined) expect.fail("There is no index.");
    expect(await samplePackages(body, file, parsed, 16)).toEqual(["ok.deb"]);
  });
});

describe("the index that is chosen", () => {
  const choose = (paths: readonly string[], wanted?: string, size = 1000) => {
    const lines = paths.map((path) => `\n ${"0".repeat(64)} ${size} ${path}`).join("");
    const parsed = parseRelease(`SHA256: ${lines}\n`);
    const { published, readable } = (parsed && chooseIndex(parsed, wanted)) ?? {};
    return [published?.path, readable?.path];
  };
  const both = (path: string) => [path, path];
  const debian = [
    "contrib/binary-all/Packages.gz",
    "contrib/binary-amd64/Packages",
    "contrib/binary-amd64/Packages.gz",
    "main/debian-installer/binary-amd64/Packages.gz",
    "main/binary-arm64/Packages.gz",
    "main/binary-amd64/Packages",
    "main/binary-amd64/Packages.xz",
    "main/binary-amd64/Packages.gz",
  ];

  test("is that of main for amd64, as gzip has compressed it", () => {
    expect(choose(debian)).toEqual(both("main/binary-amd64/Packages.gz"));
    expect(choose(debian.slice(0, 6))).toEqual(both("main/binary-amd64/Packages"));
  });

  test("cannot be read if there is only xz, though a plain one is listed", () => {
    expect(choose(debian.slice(0, 7))).toEqual(["main/binary-amd64/Packages.xz", undefined]);
  });

  test("is otherwise one for amd64, else the first one", () => {
    expect(choose(debian.slice(0, 5))).toEqual(both("contrib/binary-amd64/Packages.gz"));
    expect(choose([...debian.slice(3, 5), "a/binary-arm64/Packages.gz"])).toEqual(
      both("main/debian-installer/binary-amd64/Packages.gz"),
    );
    expect(choose(["Packages", "Packages.gz"])).toEqual(both("Packages.gz"));
  });

  test("is that of the folder that is wanted", () => {
    expect(choose(debian, "main/binary-arm64")).toEqual(both("main/binary-arm64/Packages.gz"));
    expect(choose(debian, "main/binary-i386")).toEqual([undefined, undefined]);
  });

  test("is neither empty nor outside of the archive's URL, and is read only up to 16 MB", () => {
    const large = 16 * 1024 * 1024;
    expect(choose(debian, undefined, 20)).toEqual([undefined, undefined]);
    expect(choose(debian, undefined, large)).toEqual(both("main/binary-amd64/Packages.gz"));
    expect(choose(debian, undefined, large + 1)).toEqual(["main/binary-amd64/Packages.gz", undefined]);
    expect(choose(["/Packages.gz", "a?b/Packages.gz"])).toEqual([undefined, undefined]);
  });
});

test("an index that the server decompresses on the way is recognised", async () => {
  const plain = Buffer.from(packagesOf(20));
  const compressed = gzipSync(plain);
  const text = releaseText({}, { [indexName]: compressed, "main/binary-amd64/Packages": plain });
  const server = await startServer(({ response, path }) => {
    if (path === release) response.end(text);
    else if (path.endsWith(".gz")) response.writeHead(200, { "content-encoding": "gzip" }).end(compressed);
    else response.end();
  });
  onTestFinished(() => server.close());
  const context = { isPrimary: true, turn: 0, reference: undefined, now };
  const result = await probeUrl(`${server.url}/debian`, { kind: "apt", context });
  expect(result.index?.files).toHaveLength(16);
});
