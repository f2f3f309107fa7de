import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parsePublicKeys, verifySums } from "../../src/client/signature.ts";
import {
  commentOf,
  key,
  otherKey,
  signatureOf,
  signedFields,
  signedHeartbeat,
  sumsOf,
} from "../support/signing.ts";

const heartbeat = "v1/report/index.json";
const sums = sumsOf({ [heartbeat]: "{}\n", "mirrorlist/a.txt": "é\n" });
const signature = signatureOf(sums);
const lines = signature.split("\n");

function asOnWindows(text: string): string {
  return text.replaceAll("\n", "\r\n");
}

function withLine(index: number, line: string): string {
  return lines.with(index, line).join("\n");
}

/** Decodes a text from base64, changes the bytes, and encodes them again. */
function changed(text: string | undefined, change: (bytes: Buffer) => Buffer): string {
  return change(Buffer.from(text ?? "", "base64")).toString("base64");
}

function withSignature(change: (bytes: Buffer) => Buffer): string {
  return withLine(1, changed(lines[1], change));
}

describe("a signature", () => {
  const base64 = key.publicKey.split("\n")[1] ?? "";

  test.each([
    ["the file of the key", key.publicKey, signature],
    ["its line of base64", base64, signature],
    ["a key among others", otherKey.publicKey + key.publicKey, signature],
    ["lines that end as on Windows", asOnWindows(key.publicKey), asOnWindows(signature)],
    ["no line feed at the end", key.publicKey.trim(), signature.trim()],
  ])("is valid with %s", async (_, publicKey, text) => {
    const signed = await verifySums(publicKey, sums, text);
    expect(signed?.heartbeat).toEqual(signedHeartbeat);
    expect(await signed?.has(heartbeat, "{}\n")).toBe(true);
    expect(await signed?.has("mirrorlist/a.txt", "é\n")).toBe(true);
    expect(await signed?.has(heartbeat, "{} \n")).toBe(false);
    expect(await signed?.has(heartbeat, undefined)).toBe(false);
    expect(await signed?.has("v1/network/index.json", "{}\n")).toBe(false);
    expect(await signed?.has("v1/network/index.json", undefined)).toBe(true);
  });

  const twice = sums + sums;
  const escaped = `\\${"0".repeat(64)}  a\\nb\n`;
  const signed = Buffer.from(lines[1] ?? "", "base64").subarray(10);
  const elsewhere = signatureOf(`${sums}\n`).split("\n").slice(2);
  test.each<[string, string, string]>([
    ["of another key", sums, signatureOf(sums, commentOf(), otherKey)],
    ["of another key with the id of this one", sums, forgedWith(lines[1])],
    ["of sums that were cut off", sums.slice(0, -70), signature],
    ["of sums with more after them", `${sums}${"0".repeat(64)}  more\n`, signature],
    ["that was cut off", sums, lines.slice(0, 3).join("\n")],
    ["of nothing", sums, ""],
    ["whose first line is none of minisign", sums, withLine(0, "comment: x")],
    ["with prehashing", sums, withSignature((bytes) => bytes.fill("D", 1, 2))],
    ["that is too short", sums, withSignature((bytes) => bytes.subarray(0, -1))],
    ["that is not base64", sums, withLine(1, `${lines[1] ?? ""}!`)],
    ["whose comment was signed with other sums", sums, [...lines.slice(0, 2), ...elsewhere].join("\n")],
    ["whose comment is signed alone", sums, withLine(3, signed.toString("base64"))],
    ["without the comment", sums, lines.toSpliced(2, 1).join("\n")],
    ["with a comment of other fields", sums, signatureOf(sums, "timestamp:1\tfile:SHA256SUMS")],
    ["with a comment that breaks off its line", sums, signatureOf(sums, `${commentOf()}\nfeed:x`)],
    ["with a value missing", sums, signatureOf(sums, commentOf({ ...signedFields, run: "" }))],
    ["of sums that name a file twice", twice, signatureOf(twice)],
    ["of sums with an escaped name", escaped, signatureOf(escaped)],
    ["of no sums", "\n", signatureOf("\n")],
    ["of sums with the line ends of Windows", asOnWindows(sums), signature],
  ])("%s is refused", async (_, text, of) => {
    expect(await verifySums(key.publicKey, text, of)).toBeUndefined();
  });

  test("with any other byte is refused", async () => {
    const comment = signature.indexOf("\n");
    const both = sums + signature;
    await fc.assert(
      fc.asyncProperty(fc.nat(both.length - 1), fc.integer({ min: 33, max: 126 }), async (at, code) => {
        const other = both.slice(0, at) + String.fromCharCode(code) + both.slice(at + 1);
        // Skip changes that cannot be noticed: the first line is not signed, and the last bits of a base64 text are
        // unused.
        const place = at - sums.length;
        fc.pre(other !== both && (place < 0 || place > comment) && !/[=]/.test(both.slice(at, at + 4)));
        const [text, signed] = [other.slice(0, sums.length), other.slice(sums.length)];
        expect(await verifySums(key.publicKey, text, signed)).toBeUndefined();
      }),
    );
  });

  test("names paths, and reads no file", async () => {
    const odd = sumsOf({ "../../etc/passwd": "a", "/v1/report/index.json": "b", constructor: "c" });
    const found = await verifySums(key.publicKey, odd, signatureOf(odd));
    expect(await found?.has("v1/report/index.json", "b")).toBe(false);
    expect(await found?.has("toString", undefined)).toBe(true);
  });

  /** Returns the other key's signature, with its key id replaced by the one in `line`. */
  function forgedWith(line: string | undefined): string {
    const [first, second, ...rest] = signatureOf(sums, commentOf(), otherKey).split("\n");
    const id = Buffer.from(line ?? "", "base64").subarray(0, 10);
    return [first, changed(second, (bytes) => Buffer.concat([id, bytes.subarray(10)])), ...rest].join("\n");
  }
});

test.each([
  ["empty", ""],
  ["only the comment", key.publicKey.split("\n").slice(0, 1).join("\n")],
  ["the secret key", key.secretKey],
  ["another format", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ example"],
  ["cut off", key.publicKey.slice(0, -5)],
  ["too long", `${key.publicKey.trim()}AAAA`],
  ["another algorithm", key.publicKey.replace(/^RW/m, "RX")],
  ["with something else after it", `${key.publicKey}x\n`],
])("a public key that is %s is refused", (_, text) => {
  expect(() => parsePublicKeys(text)).toThrow(new TypeError("Invalid publicKey"));
});
