import { hash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { listForms, parseRelease, pathByHash } from "../../../src/core/kinds/apt-release.ts";
import type { VerifySignature } from "../../../src/core/kinds/kind.ts";
import type { ContentIndex } from "../../../src/core/kinds/mirror-content.ts";
import { probeFiles, type ServedFile, type ServedFiles, serveFiles } from "../../support/file-server.ts";
import { closeAfterTest } from "../../support/close-after-test.ts";
import type { ProbingOptions } from "../../support/probing.ts";

/** Returns an index of numbered packages, in the format of dpkg-scanpackages. */
function packagesOf(count: number): string {
  return Array.from({ length: count }, (_, n) => {
    const name = `lib${String(n).padStart(4, "0")}`;
    return `Package: ${name}\nDescription: a package\n Filename: pool/no.deb\nFilename: pool/main/l/${name}/${name}_1.0+b1_amd64.deb\nSize: ${n}\n\n`;
  }).join("");
}

const list = gzipSync(packagesOf(100));
const listName = "main/binary-amd64/Packages.gz";

function releaseText(
  fields: Readonly<Record<string, string>> = {},
  files: Readonly<Record<string, Buffer>> = { [listName]: list },
): string {
  const line = (path: string, file: Buffer) => `\n ${hash("sha256", file)} ${file.length} ${path}`;
  const lines = Object.entries(files).map(([path, file]) => line(path, file));
  const usual = { Suite: "stable", Date: "Tue, 10 Mar 2026 06:00:00 UTC", SHA256: lines.join("") };
  return Object.entries({ ...usual, ...fields })
    .map(([name, value]) => `${name}: ${value}\n`.replace(" \n", "\n"))
    .join("");
}

const textStart = "-----BEGIN PGP SIGNED MESSAGE-----\n";
const signatureStart = "-----BEGIN PGP SIGNATURE-----\n";

function clearSigned(text: string): string {
  const escaped = text.replaceAll(/^-/gm, "- -");
  return `${textStart}Hash: SHA512\n\n${escaped}${signatureStart}\niQ==\n-----END PGP SIGNATURE-----\n`;
}

function revisionOf(text: string): string {
  return hash("sha256", text.trim()).slice(0, 32);
}

const inRelease = "/debian/dists/stable/InRelease";
const listPath = `/debian/dists/stable/${listName}`;
const text = releaseText();
const revision = revisionOf(text);
const good = { code: "ok", revision, content_at: "2026-03-10T06:00:00.000Z", content_code: undefined };

function probe(files: ServedFiles, context: ProbingOptions["context"] = {}, more: ProbingOptions = {}) {
  return probeFiles("apt", files, { path: "/debian", context, ...more });
}

describe("a release", () => {
  test("that is signed gives its revision and time", async () => {
    expect(await probe({ [inRelease]: clearSigned(text), [listPath]: list })).toMatchObject({
      ...good,
      index: undefined,
      requests: [`GET ${inRelease}`, `GET ${listPath}`],
    });
  });

  test.each([403, 404, 410])("may be Release alone, if InRelease gives %i", async (status) => {
    const files = { [inRelease]: status, "/debian/dists/stable/Release": text, [listPath]: list };
    const requests = [`GET ${inRelease}`, "GET /debian/dists/stable/Release", `GET ${listPath}`];
    expect(await probe(files)).toMatchObject({ ...good, requests });
  });

  test.each([
    ["bookworm-updates", "/debian/dists/bookworm-updates/InRelease"],
    ["./", "/debian/InRelease"],
    ["Debian_12/", "/debian/Debian_12/InRelease"],
  ])("of the suite %s stands at %s", async (suite, path) => {
    expect((await probe({ [path]: text }, {}, { options: { suite } })).code).toBe("ok");
  });

  test.each<[string, ServedFile, string]>([
    ["a parked page", "<!doctype html>\n<title>This domain is for sale</title>\n", "not_apt"],
    ["an empty file", "", "not_apt"],
    ["one that is cut off", clearSigned(text).slice(0, -40), "not_apt"],
    ["a signature alone", `${textStart}\n${signatureStart}-----END PGP SIGNATURE-----\n`, "not_apt"],
    ["of 3 MB", releaseText({ MD5Sum: `\n ${"a".repeat(99)}`.repeat(30_000) }), "ok"],
    ["of 5 MB", releaseText({ MD5Sum: `\n ${"a".repeat(99)}`.repeat(50_000) }), "too_large"],
  ])("that is %s", async (_, file, code) => {
    expect((await probe({ [inRelease]: file })).code).toBe(code);
  });

  test("may list SHA-512 only", () => {
    const list = { path: "main/binary-amd64/Packages.zst", size: 1234, digest: "0".repeat(128) };
    const line = `${list.digest} ${list.size} ${list.path}`;
    const release = parseRelease(`Acquire-By-Hash: yes\nSHA512:\n ${line}\n`);
    expect(release).toMatchObject({ algorithm: "sha512", files: [list] });
    expect(release && pathByHash(release, list)).toBe(`main/binary-amd64/by-hash/SHA512/${list.digest}`);
  });

  test("keeps few of a great many lists", () => {
    const line = `\n ${"0".repeat(64)} 100 main/binary-amd64/Packages.gz`;
    expect(parseRelease(`SHA256:${line.repeat(40_000)}`)?.files).toHaveLength(4096);
    expect(parseRelease(`SHA256:${line.repeat(100_001)}`)).toBeUndefined();
  });

  test.each([
    ["11:59:59", "expired"],
    ["12:00:01", undefined],
  ])("that is valid until %s stays reachable: %s", async (time, content_code) => {
    const release = releaseText({ "Valid-Until": `Tue, 10 Mar 2026 ${time} UTC` });
    const found = await probe({ [inRelease]: release, [listPath]: list });
    expect(found).toMatchObject({ code: "ok", content_code });
  });

  test.each([
    ["lines of signatures", `${textStart}\n`, signatureStart],
    ["blank lines", "", "\n"],
  ])("of a million %s is parsed at once", (_, start, line) => {
    expect(parseRelease(start + line.repeat(1_000_000 / line.length))).toBeUndefined();
  });
});

describe("a signature", () => {
  const verifyAny: VerifySignature = () => Promise.resolve(text);
  const signed = { [inRelease]: clearSigned(text) };
  const probeSigned = (verifySignature: VerifySignature, files: ServedFiles = signed, timeoutMs = 2000) =>
    probe(files, { verifySignature }, { options: { keyring: "/keys/a.gpg" }, timeoutMs });

  test("is verified on the received bytes, with the mirror's keyring", async () => {
    const asked: string[] = [];
    const found = await probeSigned((bytes, keyring) => {
      asked.push(`${keyring} ${bytes.toString()}`);
      return Promise.resolve(text);
    });
    expect(found).toMatchObject({ code: "ok", revision });
    expect(asked).toEqual([`/keys/a.gpg ${clearSigned(text)}`]);
  });

  test("gives the content: nothing else of the answer is parsed", async () => {
    const other = { [inRelease]: clearSigned(releaseText({ Suite: "other" })) };
    expect(await probeSigned(verifyAny, other)).toMatchObject({ code: "ok", revision });
  });

  test.each<[string, VerifySignature, ServedFiles, string]>([
    ["is not good", () => Promise.resolve(undefined), signed, "bad_signature"],
    ["signs something else", () => Promise.resolve("a text"), signed, "bad_signature"],
    ["is not verified in time", () => new Promise<never>(() => {}), signed, "timeout"],
    ["is missing: Release has none", verifyAny, { "/debian/dists/stable/Release": text }, "http_status"],
    ["stands there twice", verifyAny, { [inRelease]: clearSigned(text).repeat(2) }, "not_apt"],
    ["is followed by a text", verifyAny, { [inRelease]: `${clearSigned(text)}Suite: other\n` }, "not_apt"],
    ["follows a text", verifyAny, { [inRelease]: `Suite: other\n${clearSigned(text)}` }, "not_apt"],
  ])("that %s", async (_, verify, files, code) => {
    const timeoutMs = code === "timeout" ? 100 : 2000;
    expect(await probeSigned(verify, files, timeoutMs)).toMatchObject({ code, revision: undefined });
  });
});

describe("the package list", () => {
  const byHash = releaseText({ "Acquire-By-Hash": "yes" });
  const hashed = `/debian/dists/stable/main/binary-amd64/by-hash/SHA256/${hash("sha256", list)}`;
  const other = Buffer.from(list).reverse();
  const xzPath = listPath.replace(".gz", ".xz");
  const both = releaseText({}, { [listName]: list, [listName.replace(".gz", ".xz")]: other });
  const halfSynced = "half_synced";

  test.each<[string, string, ServedFiles, string | undefined]>([
    ["there", text, { [listPath]: list }, undefined],
    ["missing", text, {}, halfSynced],
    ["of another size", text, { [listPath]: list.subarray(1) }, halfSynced],
    ["of the right size, with other bytes", text, { [listPath]: other }, halfSynced],
    ["refused", text, { [listPath]: 403 }, undefined],
    ["there in another form", both, { [xzPath]: other }, undefined],
    ["missing in every form", both, {}, halfSynced],
    ["wrong in one form", both, { [listPath]: Buffer.from(list).fill(0), [xzPath]: other }, halfSynced],
    ["there by digest", byHash, { [hashed]: list }, undefined],
    ["of another size by digest", byHash, { [hashed]: "", [listPath]: list }, halfSynced],
    ["there by name only", byHash, { [listPath]: list }, undefined],
    ["missing by digest and by name", byHash, {}, halfSynced],
    ["wrong by name", byHash, { [listPath]: other }, halfSynced],
    ["unavailable by name", byHash, { [listPath]: 500 }, undefined],
  ])("that is %s", async (_, release, files, content_code) => {
    expect(await probe({ [inRelease]: release, ...files })).toMatchObject({ code: "ok", content_code });
  });

  test("is downloaded if the mirror's release is new or the mirror was incomplete, otherwise by HEAD", async () => {
    const files = { [inRelease]: text, [listPath]: list };
    const requested = async (context: ProbingOptions["context"]) => (await probe(files, context)).requests[1];
    expect(await requested({ lastRevision: "0".repeat(32) })).toBe(`GET ${listPath}`);
    expect(await requested({ lastRevision: revision })).toBe(`HEAD ${listPath}`);
    expect(await requested({ lastRevision: revision, wasIncomplete: true })).toBe(`GET ${listPath}`);
    const large = Buffer.alloc(1024 * 1024);
    const largeFiles = { [inRelease]: releaseText({}, { [listName]: large }), [listPath]: large };
    expect((await probe(largeFiles)).requests).toEqual([`GET ${inRelease}`, `HEAD ${listPath}`]);
  });
});

describe("the index of the primary", () => {
  const files = { [inRelease]: clearSigned(text), [listPath]: list };
  const byHash = releaseText({ "Acquire-By-Hash": "yes" });
  const seen = { lastRevision: revision };

  test("is read once for each revision, and gives 16 packages spread over it", async () => {
    const { index, requests } = await probe(files, { isPrimary: true, ...seen });
    const samples = index?.files ?? [];
    expect(samples).toHaveLength(16);
    expect(new Set(samples.map(({ path }) => path.slice(0, 18))).size).toBeGreaterThanOrEqual(10);
    for (const { path, size } of samples) {
      expect(path).toMatch(/^pool\/main\/l\/lib\d{4}\/lib\d{4}_1\.0\+b1_amd64\.deb$/);
      expect(path).toContain(`lib${String(size).padStart(4, "0")}_`);
    }
    expect(requests.slice(0, 3)).toEqual([`GET ${inRelease}`, `HEAD ${listPath}`, `GET ${listPath}`]);
    expect(index?.turn).toBe(0);
    const reference = { revision, index: { files: samples, turn: 0 } };
    const again = await probe(files, { isPrimary: true, ...seen, reference });
    expect(again.index).toEqual({ files: samples, turn: 1 });
    expect(again.requests).not.toContain(`GET ${listPath}`);
    const other = { revision: "0".repeat(32), index: { files: [{ path: "a" }], turn: 4 } };
    const next = await probe(files, { isPrimary: true, reference: other });
    expect(next.index).toEqual({ files: samples, turn: 5 });
    expect((await probe(files, seen)).requests).toEqual([`GET ${inRelease}`, `HEAD ${listPath}`]);
  });

  test("is requested by digest if the archive offers that", async () => {
    const named = `/debian/dists/stable/main/binary-amd64/by-hash/SHA256/${hash("sha256", list)}`;
    const { index, requests } = await probe({ [inRelease]: byHash, [named]: list }, { isPrimary: true });
    expect(index?.files).toHaveLength(16);
    expect(requests.slice(0, 3)).toEqual([`GET ${inRelease}`, `HEAD ${named}`, `GET ${named}`]);
  });

  test("that is missing is requested again in a later run, not in each", async () => {
    const refused = { [inRelease]: text, [listPath]: 403 };
    expect(await probe(refused, { isPrimary: true })).toMatchObject({ ...good, index: { turn: 0 } });
    const known = (turn: number) => ({ isPrimary: true, ...seen, reference: { revision, index: { turn } } });
    const requests = [`GET ${inRelease}`, `HEAD ${listPath}`];
    expect((await probe(files, known(14))).requests).toEqual(requests);
    expect((await probe(files, known(15))).index?.files).toHaveLength(16);
  });

  const damaged = Buffer.from("not gzip".repeat(20));
  test.each<[string, string, Buffer, string | undefined, object?]>([
    ["another one than the release names", text, gzipSync(packagesOf(99)), "half_synced", { turn: 0 }],
    ["a page", text, Buffer.from("<html>"), "half_synced", { turn: 0 }],
    ["damaged although its digest fits", releaseText({}, { [listName]: damaged }), damaged, undefined],
  ])(
    "that is %s gives no packages",
    async (_, release, body, content_code, index = { files: [], turn: 0 }) => {
      const found = await probe({ [inRelease]: release, [listPath]: body }, { isPrimary: true });
      expect(found).toMatchObject({ code: "ok", content_code, index });
    },
  );

  test("that arrives decompressed is recognised", async () => {
    const plain = Buffer.from(packagesOf(20));
    const compressed = gzipSync(plain);
    const release = releaseText({}, { [listName]: compressed, "main/binary-amd64/Packages": plain });
    const decoding: ServedFile = ({ response }) =>
      void response.writeHead(200, { "content-encoding": "gzip" }).end(compressed);
    const found = await probe({ [inRelease]: release, [listPath]: decoding }, { isPrimary: true });
    expect(found.index?.files).toHaveLength(16);
  });
});

describe("a package of the sample", () => {
  const samples = [{ path: "pool/a+b_1~rc1_amd64.deb" }, { path: "pool/c.deb", size: 7 }];
  const referenceAt = (turn: number) => ({ revision, index: { files: samples, turn } });
  const reference = referenceAt(4);
  const onlyLists = { [inRelease]: text, [listPath]: list };
  const [first, second] = ["/debian/pool/a%2Bb_1~rc1_amd64.deb", "/debian/pool/c.deb"] as const;
  const files = { ...onlyLists, [first]: "!<arch>", [second]: "!<arch>" };
  const heads = [`HEAD ${first}`, `HEAD ${second}`];

  test("is requested by one HEAD, in turn; a missing one gives a content code, even on the primary", async () => {
    for (const turn of [4, 5])
      expect(await probe(files, { reference: referenceAt(turn), lastRevision: revision })).toMatchObject({
        ...good,
        requests: [`GET ${inRelease}`, `HEAD ${listPath}`, heads[turn - 4]],
      });
    for (const isPrimary of [false, true])
      expect((await probe(onlyLists, { reference, isPrimary })).content_code).toBe("missing_file");
  });

  test("keeps a mirror incomplete until it has all of them", async () => {
    const server = closeAfterTest(await serveFiles(files));
    const codeAt = async (turn: number, wasIncomplete = true) => {
      const context = { reference: referenceAt(turn), wasIncomplete };
      return (await probeFiles("apt", server, { path: "/debian", context })).content_code;
    };
    expect([await codeAt(4), await codeAt(5)]).toEqual([undefined, undefined]);
    expect(new Set(server.requests)).toEqual(new Set([`GET ${inRelease}`, `GET ${listPath}`, ...heads]));
    server.files.delete(second);
    expect([await codeAt(4), await codeAt(5)]).toEqual(["missing_file", "missing_file"]);
    expect(await codeAt(4, false)).toBeUndefined();
  });

  test("that was missing is requested first, unless the release is new", async () => {
    const lastProblem = { path: "pool/z.deb", size: 1 };
    const context = { reference, wasIncomplete: true, lastProblem };
    expect(await probe(files, { ...context, lastRevision: revision })).toMatchObject({
      content_code: "missing_file",
      requests: [`GET ${inRelease}`, `GET ${listPath}`, "HEAD /debian/pool/z.deb", "GET /debian/pool/z.deb"],
    });
    expect((await probe(files, { ...context, lastRevision: "0".repeat(32) })).content_code).toBeUndefined();
  });

  test.each([0, 7, 30])("is found within 23 runs if 2 of 24 are missing, from run %i", async (first) => {
    const small = gzipSync(packagesOf(24));
    const release = releaseText({}, { [listName]: small });
    const primary = closeAfterTest(await serveFiles({ [inRelease]: release, [listPath]: small }));
    let index: ContentIndex = { turn: first };
    const asked: string[] = [];
    for (let run = 0; run < 24; run += 1) {
      const known = { revision: run === 0 ? "" : revisionOf(release), index };
      const context = { isPrimary: true, reference: known };
      const found = await probeFiles("apt", primary, { path: "/debian", context });
      index = found.index ?? {};
      const { files = [], turn = 0 } = index;
      asked.push(files[turn % files.length]?.path ?? "");
    }
    expect(new Set(asked.slice(0, 23)).size).toBe(23);
    expect(new Set(asked).size).toBe(24);
  });
});

describe("the index that is chosen", () => {
  const gz = "main/binary-amd64/Packages.gz";
  const debian = [
    ...["contrib/binary-all/Packages.gz", "contrib/binary-amd64/Packages"],
    ...["contrib/binary-amd64/Packages.gz", "main/debian-installer/binary-amd64/Packages.gz"],
    ...["main/binary-arm64/Packages.gz", "main/binary-amd64/Packages", "main/binary-amd64/Packages.xz", gz],
  ];

  test.each<[string, readonly string[], string | undefined, (string | undefined)?, number?]>([
    ["that of main for amd64, as gzip has compressed it", debian, gz],
    ["the plain one", debian.slice(0, 6), "main/binary-amd64/Packages"],
    ["xz if there is no gzip", debian.slice(0, 7), "main/binary-amd64/Packages.xz"],
    ["another one for amd64", debian.slice(0, 5), "contrib/binary-amd64/Packages.gz"],
    ["the wanted one", debian, debian[4], "main/binary-arm64"],
    ["none if the wanted one is missing", debian, undefined, "main/binary-i386"],
    ["not an empty one", debian, undefined, undefined, 20],
    ["never outside of the archive", ["/Packages.gz", "a?b/Packages.gz"], undefined],
  ])("is %s", (_, paths, published, wanted, size = 1000) => {
    const lines = paths.map((path) => `\n ${"0".repeat(64)} ${size} ${path}`).join("");
    const parsed = parseRelease(`SHA256: ${lines}\n`);
    expect(parsed && listForms(parsed, wanted)[0]?.path).toBe(published);
  });
});
