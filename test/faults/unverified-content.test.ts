import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { constants, deflateRawSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { startProvider } from "../support/mirror-server.ts";
import { closeAfterTest } from "../support/close-after-test.ts";
import { probeFeed, writeFeed } from "../support/mirror-feed.ts";
import { describeWith, findProgram } from "../support/requirement.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const release = `Origin: genuine\nSHA256:\n ${"0".repeat(64)} 1 main/binary-amd64/Packages.gz\n`;
const evil = `Origin: evil\nSHA256:\n ${"1".repeat(64)} 1 main/binary-amd64/Packages.gz\n`;
const hasGnupg = findProgram("gpg") !== undefined && findProgram("gpgv") !== undefined;

describeWith("gpg and gpgv", hasGnupg, "an InRelease that was made to deceive", () => {
  const folder = temporaryFolder();
  const keyring = join(folder, "archive.gpg");
  const home = join(folder, "gnupg");
  let genuine: string;
  /** A message with its signature inside, as OpenPGP packets. */
  let message: Buffer;

  const gpg = (parameters: readonly string[], input = ""): Buffer =>
    execFileSync("gpg", ["--batch", "--quiet", ...parameters], {
      env: { ...env, GNUPGHOME: home },
      input,
      stdio: ["pipe", "pipe", "ignore"],
    });

  beforeAll(() => {
    mkdirSync(home, { mode: 0o700 });
    gpg(["--passphrase", "", "--quick-generate-key", "a@example.org", "ed25519", "sign"]);
    gpg(["--output", keyring, "--export"]);
    genuine = gpg(["--clearsign"], release).toString();
    message = gpg(["--compress-algo", "none", "--sign"], release);
  });

  const signed = (text: string, armor: string): string =>
    `-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n${text}-----BEGIN PGP SIGNATURE-----\n${armor}\n-----END PGP SIGNATURE-----\n`;
  const armored = (packets: Buffer): string =>
    packets.toString("base64").replaceAll(/.{64}/g, "$&\n").trimEnd();
  const armorOf = (text: string): string =>
    text.slice(text.indexOf("SIGNATURE-----\n") + 15, text.indexOf("\n-----END"));

  /** 60 GB of marker packets (RFC 9580, 5.8) in two compressed packets. gpgv takes minutes to read them. */
  function bomb(): Buffer {
    const markers = Buffer.alloc(15 * 1024 * 1024, Buffer.from([0xca, 3, 0x50, 0x47, 0x50]));
    const part = deflateRawSync(markers, { finishFlush: constants.Z_FULL_FLUSH });
    return compressedPacket(deflateRawSync(compressedPacket(Buffer.concat(Array(4096).fill(part)))));
  }

  function compressedPacket(deflated: Buffer): Buffer {
    const header = Buffer.from([0xc8, 0xff, 0, 0, 0, 0, 1]);
    header.writeUInt32BE(deflated.length + 1, 2);
    return Buffer.concat([header, deflated]);
  }

  const deceptive: Readonly<Record<string, () => string>> = {
    "a release before the signed one": () => `${evil}\n${genuine}`,
    "a text before the signed one": () => `Origin: evil\n\n${genuine}`,
    "a release after the signed one": () => `${genuine}\n${evil}`,
    "another text below the same signature": () => signed(evil, armorOf(genuine)),
    "a release among the headers, which a blank ends": () => genuine.replace("\n\n", `\n \n${evil}\n`),
    "a header that gpgv does not know": () => genuine.replace("\n\n", `\nNotDashEscaped: yes\n${evil}\n\n`),
    "a signed message in the signature": () => signed(evil, `\n${armored(message)}`),
    "a signed message and the signature": () =>
      signed(evil, `\n${armored(Buffer.concat([message, Buffer.from(armorOf(genuine), "base64")]))}`),
    "compressed packets in each other": () => signed(evil, `\n${armored(bomb())}`),
    "compressed packets behind a header that a blank ends": () =>
      signed(evil, `Comment: a\n \n${armored(bomb())}\n${armorOf(genuine)}`),
    "no signature": () => evil,
    "an empty signature": () => signed(evil, ""),
  };

  test("is never ok, and mirrors beside it are verified", { timeout: 120_000 }, async () => {
    const at = closeAfterTest(await startProvider());
    const place = temporaryFolder();
    const mount = (name: string, text: string): string =>
      at.mount(name, ({ path, response }) => {
        const isFound = path === "/dists/stable/InRelease";
        response.writeHead(isFound ? 200 : 404).end(isFound ? text : undefined);
      }).url;
    const bad = Object.values(deceptive).map((text, index) => mount(`bad${index}`, text()));
    const good = [genuine, genuine.replaceAll("\n", "\r\n"), genuine, genuine].map((text, index) =>
      mount(`good${index}`, text),
    );
    copyFileSync(keyring, join(place, "keys.gpg"));
    writeFeed(place, [...good, ...bad], { kind: "apt", apt: { keyring: "keys.gpg" }, timeout: "5s" });
    const observations = await probeFeed(place);
    const seen = observations.map(({ code, revision }) => [code, revision]);
    const revision = seen[0]?.[1];
    expect(revision).toMatch(/^[0-9a-f]{32}$/);
    expect(seen.slice(0, good.length)).toEqual(good.map(() => ["ok", revision]));
    const isRefused = Object.keys(deceptive).map((name, index) => {
      const [observed, content] = seen[good.length + index] ?? [];
      return [name, observed === "bad_signature" || observed === "not_apt", content];
    });
    expect(isRefused).toEqual(Object.keys(deceptive).map((name) => [name, true, undefined]));
  });

  test("makes no probe wait longer than the deadline", { timeout: 60_000 }, async () => {
    const at = closeAfterTest(await startProvider());
    const place = temporaryFolder();
    const { url } = at.mount("slow", ({ response }) => void response.end(genuine));
    const programs = join(place, "programs");
    mkdirSync(programs);
    const script = '#!/bin/sh\ncase "$1" in --version) exit 0;; esac\nexec sleep 60\n';
    writeFileSync(join(programs, "gpgv"), script, { mode: 0o755 });
    copyFileSync(keyring, join(place, "keys.gpg"));
    writeFeed(place, [url], { kind: "apt", apt: { keyring: "keys.gpg" }, timeout: "1s" });
    expect(await probeFeed(place, { PATH: `${programs}:${env["PATH"]}` })).toMatchObject([
      { code: "timeout" },
    ]);
  });
});
