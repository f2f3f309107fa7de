import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { expect, test } from "vitest";
import { listNodes } from "../../../src/core/config/nodes.ts";
import { loadKeyrings } from "../../../src/core/probe/keyrings.ts";
import { sentence } from "../../support/command-context.ts";
import { configFrom, mirrorsJson } from "../../support/mirrors-json.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = temporaryFolder();

function load(keyring: string | undefined, environment: Readonly<Record<string, string | undefined>> = env) {
  const network = [{ id: 1, url: "https://a.example.org/debian" }];
  const probe = { kind: "apt", ...(keyring !== undefined && { apt: { keyring } }) };
  const nodes = listNodes(configFrom(mirrorsJson(network, { probe })));
  return loadKeyrings(nodes, environment, new AbortController().signal);
}

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

test("without a keyring, nothing is verified, and no gpgv is needed", async () => {
  const verifySignature = await load(undefined, {});
  expect(await verifySignature(clearSigned("a"), "key.gpg")).toBeUndefined();
});

test.each([
  ["is missing", join(folder, "none.gpg"), /none\.gpg does not exist; correct probe\.apt\.keyring\.$/],
  ["is empty", file("empty.gpg", ""), /empty\.gpg is empty; correct probe\.apt\.keyring\.$/],
  [
    "is text",
    file("text.asc", "-----BEGIN PGP PUBLIC KEY BLOCK-----\n"),
    /text\.asc is not a binary keyring, which gpgv needs; convert it with gpg --dearmor\.$/,
  ],
])("a keyring that %s is an error with its remedy", async (_, path, message) => {
  expect(await sentence(load(path))).toMatch(message);
});

test("without gpgv, a keyring is an error with its remedy", async () => {
  const message =
    "gpgv is required but not on the PATH; install it from https://gnupg.org (package gpgv on Debian).";
  expect(await sentence(load(file("any.gpg", "key"), { PATH: folder }))).toBe(message);
});

const signature = Buffer.from([0xc2, 1, 4]).toString("base64");

function clearSigned(text: string, packets = signature): Buffer {
  return Buffer.from(
    `-----BEGIN PGP SIGNED MESSAGE-----\n\n${text}\n-----BEGIN PGP SIGNATURE-----\n\n${packets}\n-----END PGP SIGNATURE-----\n`,
  );
}

/** Loads a keyring with a fake gpgv that prints these status lines. `calls` returns how often gpgv ran. */
async function loadFor(name: string, status: readonly string[], last = "") {
  const home = join(folder, name);
  mkdirSync(home);
  const lines = status.map((line) => `echo "[GNUPG:] ${line}" >&2`);
  const script = ["#!/bin/sh", `echo >> "${home}/calls"`, "echo verified", ...lines, last, ""].join("\n");
  writeFileSync(join(home, "gpgv"), script, { mode: 0o755 });
  const verifySignature = await load(file(`${name}.gpg`, "key"), { PATH: home });
  // The first call only asks for the version.
  return { verifySignature, calls: () => readFileSync(join(home, "calls"), "utf8").length - 1 };
}

test.each([
  ["good", ["PLAINTEXT 74 0", "NEWSIG", "GOODSIG AB archive", "VALIDSIG ABCD"], true],
  ["changing", ["PLAINTEXT 74 0", "ERRSIG AB 22 8 01 1 9", "NO_PUBKEY AB", "GOODSIG CD archive"], true],
  ["unknown", ["PLAINTEXT 74 0", "ERRSIG AB 22 8 01 1 9", "NO_PUBKEY AB"], false],
  ["bad", ["PLAINTEXT 74 0", "BADSIG AB archive"], false],
  ["half-bad", ["PLAINTEXT 74 0", "GOODSIG AB archive", "BADSIG CD archive"], false],
  ["expired", ["PLAINTEXT 74 0", "EXPKEYSIG AB archive", "VALIDSIG ABCD"], false],
  ["revoked", ["PLAINTEXT 74 0", "REVKEYSIG AB archive", "VALIDSIG ABCD"], false],
  ["of two texts", ["PLAINTEXT 74 0", "GOODSIG AB archive", "PLAINTEXT 74 0"], false],
  ["of no text", ["GOODSIG AB archive"], false],
  ["broken", ["PLAINTEXT 74 0", "GOODSIG AB archive", "ERROR proc_pkt.plaintext 89_BAD_DATA"], false],
  ["silent", [], false],
])("signatures that gpgv calls %s: %j", async (name, status, isGood) => {
  const { verifySignature } = await loadFor(name, status);
  expect(await verifySignature(clearSigned("a"), "key.gpg")).toBe(isGood ? "verified\n" : undefined);
});

test.each([
  ["cut off", [0xc2, 5, 4]],
  ["cut off in its length", [0xc2, 0xff, 0]],
  ["partial", [0xc2, 0xe0, 0, 0, 0, 1, 4]],
  ["none", []],
])("a signature that is %s does not count, whatever gpgv says", async (name, packets) => {
  const { verifySignature } = await loadFor(name, ["PLAINTEXT 74 0", "GOODSIG AB archive"]);
  const text = clearSigned("a", Buffer.from(packets).toString("base64"));
  expect(await verifySignature(text, "key.gpg")).toBeUndefined();
});

test("equal texts are verified once for each keyring", async () => {
  const { verifySignature, calls } = await loadFor("counted", ["PLAINTEXT 74 0", "GOODSIG AB archive"]);
  const texts = ["a", "b", "a", "a", "b"].map((text) => clearSigned(text));
  const both = texts.flatMap((text) =>
    ["one.gpg", "two.gpg"].map((keyring) => verifySignature(text, keyring)),
  );
  expect(new Set(await Promise.all(both))).toEqual(new Set(["verified\n"]));
  expect(calls()).toBe(4);
});

test("a signature that a killed gpgv called good does not count", async () => {
  // The first call asks for the version.
  const last = '[ "$1" = --version ] || kill -KILL $$';
  const { verifySignature } = await loadFor("killed", ["PLAINTEXT 74 0", "GOODSIG AB archive"], last);
  expect(await verifySignature(clearSigned("a"), "key.gpg")).toBeUndefined();
});
