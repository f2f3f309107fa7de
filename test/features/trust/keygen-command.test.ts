import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parsePublicKeys, verifySums } from "../../../src/client/signature.ts";
import { sentenceOf } from "../../support/child.ts";
import { everything } from "../../support/folder.ts";
import { runInProcess } from "../../support/in-process.ts";
import { describeWith, findProgram } from "../../support/requirement.ts";
import { commentOf, signatureOf, signedHeartbeat, sumsOf } from "../../support/signing.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { runTool } from "../../support/tool-feed.ts";

async function keygen() {
  const folder = temporaryFolder();
  const outcome = await runInProcess(["keygen", "--out", "keys/new"], { folder });
  const [secretKey, publicKey] = ["key", "pub"].map((name) =>
    readFileSync(join(folder, `keys/new/mirrorfeed.${name}`), "utf8"),
  );
  return { folder, outcome, secretKey: secretKey ?? "", publicKey: publicKey ?? "" };
}

describe("mirrorfeed keygen", () => {
  test("writes a key that nobody else can read, and names the variable that takes it", async () => {
    const { folder, outcome, secretKey, publicKey } = await keygen();
    expect(outcome).toMatchObject({ code: 0, stdout: "" });
    expect(outcome.stderr).toContain("MIRRORFEED_SIGNING_KEY");
    expect(outcome.stderr).not.toContain(secretKey.split("\n")[1]);
    expect(statSync(join(folder, "keys/new/mirrorfeed.key")).mode & 0o777).toBe(0o600);
    expect(parsePublicKeys(publicKey)).toHaveLength(1);
    const sums = sumsOf({ a: "b" });
    const signature = signatureOf(sums, commentOf(), { secretKey, publicKey });
    expect(await verifySums(publicKey, sums, signature)).toMatchObject({ heartbeat: signedHeartbeat });
    expect((await keygen()).secretKey).not.toBe(secretKey);
  });

  test.each(["key", "pub"])("overwrites no mirrorfeed.%s", async (name) => {
    const { folder } = await keygen();
    rmSync(join(folder, `keys/new/mirrorfeed.${name === "key" ? "pub" : "key"}`));
    const before = everything(folder);
    expect(sentenceOf(await runInProcess(["keygen", "--out", "keys/new"], { folder }))).toBe(
      `keys/new/mirrorfeed.${name} already exists, and keygen never overwrites a key; name another folder with --out.`,
    );
    expect(everything(folder)).toEqual(before);
  });

  test("says where it cannot write", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "keys"), "");
    const refusal = sentenceOf(await runInProcess(["keygen", "--out", "keys"], { folder }));
    expect(refusal).toMatch(/^keys cannot be written: .*; name another folder with --out\.$/);
  });
});

describeWith("minisign", findProgram("minisign") !== undefined, "the real minisign", () => {
  test("signs with the key without asking for a password, and its own keys are taken", async () => {
    const { folder, publicKey } = await keygen();
    const sums = sumsOf({ a: "b" });
    writeFileSync(join(folder, "SHA256SUMS"), sums);
    const signing = ["-S", "-l", "-s", "keys/new/mirrorfeed.key", "-t", commentOf(), "-m", "SHA256SUMS"];
    expect(await runTool("minisign", signing, { cwd: folder })).toMatchObject({ code: 0 });
    const signature = readFileSync(join(folder, "SHA256SUMS.minisig"), "utf8");
    expect(await verifySums(publicKey, sums, signature)).toMatchObject({ heartbeat: signedHeartbeat });
  });
});
