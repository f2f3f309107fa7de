import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { KindOptions } from "../../../src/core/kinds/kind.ts";
import { closeAfterTest } from "../../support/close-after-test.ts";
import { probeFiles, type ServedFiles, serveFiles } from "../../support/file-server.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** From Alpine. The tool signs an index by a gzip member with a tar archive before it. */
const apk = [
  "C:Q1aCu0LmUDoAFSOX49uHvkYC1WasQ=\nP:musl\nV:1.2.3-r0\nA:x86_64\nS:383304\nI:622592\nL:MIT\no:musl\n",
  "C:Q1iZ+C2JJdBlm2KKtAOkSkM7zZegY=\nP:libstdc++\nV:11.2.1_git20220219-r2\nA:x86_64\nS:507831\nI:962560\n",
].map((text) => `${text}\n`);

const opkg = `Package: 6in4
Version: 28
Depends: libc, kmod-sit, uclient-fetch
License: GPL-2.0
Section: net
Architecture: all
Installed-Size: 2564
Filename: 6in4_28_all.ipk
Size: 3468
SHA256sum: ${"0".repeat(64)}
Description:  Provides support for 6in4 tunnels in /etc/config/network.

`;

const cran = `Package: A3
Version: 1.0.0
Depends: R (>= 2.15.0), xtable, pbapply
License: GPL (>= 2)
MD5sum: 027ebdd8affce8f0effaecfcd5f5ade2
NeedsCompilation: no

Package: boot
Version: 1.3-31
Priority: recommended
MD5sum: 027ebdd8affce8f0effaecfcd5f5ade2
NeedsCompilation: no
Path: 4.5.0/Recommended
`;

const image = "Fedora-Server-dvd-x86_64-41-1.4.iso";
const fedora = `-----BEGIN PGP SIGNED MESSAGE-----
Hash: SHA256

# ${image}: 2648506368 bytes
SHA256 (${image}) = ${"0".repeat(64)}
-----BEGIN PGP SIGNATURE-----
`;

/** Returns an archive made by tar, and the checksums made by sha256sum. */
function fromTools(): { readonly apkIndex: Buffer; readonly sums: string } {
  const folder = temporaryFolder();
  const run = (program: string, ...parameters: string[]): Buffer =>
    execFileSync(program, parameters, { cwd: folder });
  writeFileSync(join(folder, ".SIGN.RSA.alpine.rsa.pub"), "a signature");
  writeFileSync(join(folder, "DESCRIPTION"), "v3.16.2\n");
  writeFileSync(join(folder, "APKINDEX"), apk.join(""));
  const signature = run("tar", "-cf", "-", ".SIGN.RSA.alpine.rsa.pub").subarray(0, 1024);
  const content = run("tar", "-cf", "-", "DESCRIPTION", "APKINDEX");
  mkdirSync(join(folder, "images"));
  writeFileSync(join(folder, "images/a b.iso"), "");
  const sums = run("sha256sum", "APKINDEX", "./DESCRIPTION", "images/a b.iso").toString();
  const binary = run("sha256sum", "--binary", "--tag", "APKINDEX").toString();
  return { apkIndex: Buffer.concat([signature, content].map((part) => gzipSync(part))), sums: sums + binary };
}

const { apkIndex, sums } = fromTools();
const alpine = "main/x86_64/APKINDEX.tar.gz";

const apkFiles = [
  { path: "main/x86_64/libstdc++-11.2.1_git20220219-r2.apk", size: 507_831 },
  { path: "main/x86_64/musl-1.2.3-r0.apk", size: 383_304 },
];
const cranFiles = ["4.5.0/Recommended/boot_1.3-31", "A3_1.0.0"].map((name) => ({
  path: `src/contrib/${name}.tar.gz`,
}));

const indexes: readonly (readonly [KindOptions, string, string | Buffer, readonly object[]])[] = [
  [{ format: "apk", path: alpine }, alpine, apkIndex, apkFiles],
  [{ format: "opkg" }, "Packages.gz", gzipSync(opkg), [{ path: "6in4_28_all.ipk", size: 3468 }]],
  [{ format: "cran" }, "src/contrib/PACKAGES.gz", gzipSync(cran), cranFiles],
  [{}, "SHA256SUMS", sums, [{ path: "APKINDEX" }, { path: "APKINDEX" }, { path: "DESCRIPTION" }]],
  [{ format: "sha256sums", path: "iso/CHECKSUM" }, "iso/CHECKSUM", fedora, [{ path: `iso/${image}` }]],
];

test.each(indexes)("an index with the options %j names its files", async (options, path, list, files) => {
  const changedAt = { [`/${path}`]: Date.parse("2026-03-10T11:00:00Z") / 1000 };
  const probing = { options, changedAt, context: { isPrimary: true } };
  const found = await probeFiles("index", { [`/${path}`]: list }, probing);
  expect(found).toMatchObject({
    ...{ code: "ok", content_at: "2026-03-10T11:00:00.000Z", content_code: "missing_file" },
    revision: hash("sha256", list).slice(0, 32),
  });
  expect(found.index?.files?.toSorted((left, right) => left.path.localeCompare(right.path))).toEqual(files);
});

describe("a mirror", () => {
  const names = Array.from({ length: 40 }, (_, place) => `image-${place}.iso`);
  const list = names.map((name) => `${"0".repeat(64)}  ${name}\n`).join("");
  const images = Object.fromEntries(names.map((name) => [`/${name}`, name]));
  const whole: ServedFiles = { "/SHA256SUMS": list, ...images };

  test("is asked for its index, and for one of the reference's files if they have the same index", async () => {
    const server = closeAfterTest(await serveFiles(whole));
    const { revision = "", index } = await probeFiles("index", server, { context: { isPrimary: true } });
    const context = { reference: { revision, index } };
    const found = await probeFiles("index", server, { context });
    expect(found).toMatchObject({ code: "ok", revision, content_code: undefined });
    expect(found.requests).toEqual(["GET /SHA256SUMS", expect.stringMatching(/^HEAD \/image-\d+\.iso$/)]);
    for (const name of names) server.files.delete(`/${name}`);
    expect((await probeFiles("index", server, { context })).content_code).toBe("missing_file");
    server.files.set("/SHA256SUMS", list.slice(0, 200));
    const stale = await probeFiles("index", server, { context });
    expect(stale).toMatchObject({ code: "ok", content_code: undefined, requests: ["GET /SHA256SUMS"] });
    expect(stale.revision).not.toBe(revision);
  });

  test.each<[string, string | number, string]>([
    ["a login page", "<!doctype html><title>Log in</title>", "not_index"],
    ["an empty file", "", "not_index"],
    ["an index of another format", opkg, "not_index"],
    ["404", 404, "http_status"],
    ["429", 429, "rate_limited"],
    ["17 MiB", list.padEnd(17 * 1024 * 1024), "too_large"],
  ])("that answers with %s has no index", async (_, file, code) => {
    expect(await probeFiles("index", { "/SHA256SUMS": file })).toMatchObject({ code, index: undefined });
  });
});
