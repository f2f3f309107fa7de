import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { check, type CheckResult } from "../../../src/client/index.ts";
import { serveSite } from "../../../src/features/serve/serve.ts";
import { writeSite } from "../../../src/core/site/write.ts";
import { closeAfterTest } from "../../support/close-after-test.ts";
import { everything, folderWith, published, site, writtenSite } from "../../support/folder.ts";
import { newRemote } from "../../support/git.ts";
import { sentenceOf } from "../../support/child.ts";
import { runInProcess } from "../../support/in-process.ts";
import { branchFiles, failure, publish } from "../../support/publishing.ts";
import { describeWith, findProgram } from "../../support/requirement.ts";
import { contractOf, heartbeatOf, mirror, reportOf, soon, target } from "../../support/serving.ts";
import { key, signedFields } from "../../support/signing.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { runTool } from "../../support/tool-feed.ts";

const mirrors = [mirror(1, 1), mirror(2, 0)];
const heartbeat = "v1/report/index.json";
const documents = {
  [`v1/network/${target}/index.json`]: JSON.stringify(contractOf(mirrors)),
  [`v1/report/${target}/index.json`]: JSON.stringify(reportOf(mirrors)),
  [heartbeat]: JSON.stringify(heartbeatOf(mirrors, { site_url: signedFields.feed })),
  [`mirrorlist/${target}.txt`]: "https://mirror-1.example.org/jcb/packages\n",
  "v1/network/index.json": "{}\n",
  "v1/network/community/index.json": "{}\n",
  "v1/network/community/jcb/index.json": "{}\n",
};
const pages = {
  "index.html": "<p>",
  "assets/status.js": "",
  "badge/a.json": "{}",
  "feed/a.atom": "",
  ".htaccess": "",
};

/** Writes and signs a site, and returns the path of its folder, which is called `_site`. */
async function signedSite(changes: Readonly<Record<string, string>> = {}): Promise<string> {
  const out = writtenSite({ ...documents, ...pages, ...changes });
  expect(await sign(out)).toMatchObject({ code: 0, stdout: "", stderr: `Signed 7 documents of ${out}.\n` });
  return out;
}

function sign(out: string, secretKey = key.secretKey) {
  const environment = { MIRRORFEED_SIGNING_KEY: secretKey };
  return runInProcess(["sign", "--out", out], { folder: out, environment });
}

async function checkSite(out: string): Promise<CheckResult> {
  const { url } = closeAfterTest(await serveSite(out, { port: 0 }));
  return check(url, target, { now: () => soon, publicKey: key.publicKey, site: signedFields.feed });
}

describe("mirrorfeed sign", () => {
  test("covers every document that programs act on, and a client with the key takes them", async () => {
    const out = await signedSite();
    const { SHA256SUMS: sums = "", ...others } = published(out);
    expect(sums.match(/(?<= {2}).+/g)).toEqual(Object.keys(documents).sort());
    const comment = "\ntrusted comment: feed:https://status.example.org\trun:r1\t";
    expect(others["SHA256SUMS.minisig"]).toContain(comment);
    expect(await checkSite(out)).toMatchObject({ outcome: "reachable", count: 1 });
    expect(Object.values(everything(out)).join("\n")).not.toContain(key.secretKey.split("\n")[1]);
  });

  test("signs again what it signed before, with the same bytes", async () => {
    const out = await signedSite();
    const before = everything(out);
    expect(await sign(out)).toMatchObject({ code: 0 });
    expect(everything(out)).toEqual(before);
  });

  test("signs a copy of a site, such as an artifact", async () => {
    const out = await signedSite();
    const copy = temporaryFolder();
    cpSync(out, copy, { recursive: true });
    for (const path of [".mirrorfeed", "SHA256SUMS", "SHA256SUMS.minisig"])
      rmSync(join(copy, path), { recursive: true });
    expect(await sign(copy)).toMatchObject({ code: 0 });
    expect(everything(copy)).toEqual(published(out));
  });

  test("warns of more documents than clients read of", async () => {
    const names = Array.from({ length: 8000 }, (_, index) => `mirrorlist/${"x".repeat(200)}/${index}.txt`);
    const out = writtenSite({ ...documents, ...Object.fromEntries(names.map((name) => [name, ""])) });
    const { stderr } = await sign(out);
    expect(stderr).toMatch(/^Signed 8,007 documents of .*\nWarning: SHA256SUMS is larger than 2 MB/);
    expect(await checkSite(out)).toMatchObject({ outcome: "unknown", reason: "too_large" });
  });

  test("is undone by the next write, whatever changed", async () => {
    const out = await signedSite();
    const unsigned = { ...documents, ...pages };
    expect(writeSite(out, site(unsigned))).toEqual({ written: 0, unchanged: 12, removed: 2 });
    expect(published(out)).toEqual(unsigned);
    expect(await checkSite(out)).toMatchObject({ reason: "unsigned" });
  });

  const cut = key.secretKey.trim().slice(0, -8);
  const encrypted = key.secretKey.replace(/^RWQAAE/m, "RWRTY0");
  test.each<[string, string, RegExp]>([
    ["without a key", "", /^MIRRORFEED_SIGNING_KEY is not set; /],
    ["with an empty key", " \n", /^MIRRORFEED_SIGNING_KEY is not set; /],
    ["with the public key", key.publicKey, / is not the text of a minisign secret key; /],
    ["with a key that was cut off", cut, / is not the text of a minisign secret key; /],
    ["with a key that has a password", encrypted, / has a password; make one with mirrorfeed keygen or /],
  ])("refuses to sign %s", async (_, secretKey, expected) => {
    const out = writtenSite(documents);
    const refusal = sentenceOf(await sign(out, secretKey));
    expect(refusal).toMatch(expected);
    expect(refusal).not.toContain("RW");
    expect(published(out)).toEqual(documents);
  });

  const breaking = JSON.stringify(heartbeatOf([], { site_url: "a\nb" }));
  test.each<[string, Record<string, string>]>([
    ["no site", { "main.c": "x" }],
    ["a site without a URL", { ...documents, [heartbeat]: JSON.stringify(heartbeatOf(mirrors)) }],
    ["a URL that would break off the comment", { ...documents, [heartbeat]: breaking }],
    ["a heartbeat that is not JSON", { ...documents, [heartbeat]: "{" }],
  ])("refuses %s", async (_, files) => {
    const folder = folderWith(files);
    expect(sentenceOf(await sign(folder))).toBe(
      `${folder} is not a site with a URL; set site.url in mirrors.json and run mirrorfeed run, or name another folder with --out.`,
    );
    expect(everything(folder)).toEqual(files);
  });

  test("refuses a site that is being written, and a folder in its way", async () => {
    const out = writtenSite(documents);
    mkdirSync(join(out, "SHA256SUMS"));
    expect(sentenceOf(await sign(out))).toContain("there is a folder where the file should be");
    const file = join(out, ".mirrorfeed/manifest.json");
    writeFileSync(file, readFileSync(file, "utf8").replace('"finished":true', '"finished":false'));
    expect(sentenceOf(await sign(out))).toContain("is not finished, or is being written");
  });
});

describe("publishing", () => {
  test("takes a signed site with its signature, also if a page changed", async () => {
    const [out, remote] = [await signedSite(), await newRemote()];
    writeFileSync(join(out, "index.html"), "<p>Welcome");
    await publish({ out, remote });
    const files = await branchFiles(remote);
    for (const path of ["SHA256SUMS", "SHA256SUMS.minisig"])
      expect(files[path], path).toBe(published(out)[path]?.trim());
  });

  test.each<[string, Record<string, string | undefined>]>([
    ["a document changed", { [heartbeat]: "{}" }],
    ["a document was added", { "mirrorlist/more.txt": "" }],
    ["a document is missing", { "v1/network/index.json": undefined }],
    ["the signature is missing", { "SHA256SUMS.minisig": undefined }],
    ["the sums are missing", { SHA256SUMS: undefined }],
    ["the sums are cut off", { SHA256SUMS: "" }],
  ])("refuses a signed site of which %s", async (_, changes) => {
    const [out, remote] = [await signedSite(), await newRemote()];
    for (const [path, text] of Object.entries(changes))
      if (text === undefined) rmSync(join(out, path));
      else writeFileSync(join(out, path), text);
    const refusal = await failure({ out, remote });
    expect(refusal).toBe(`${out} changed after it was signed; run mirrorfeed sign again.`);
  });
});

const tools = ["sha256sum", "minisign"];
describeWith(
  tools.join(", "),
  tools.every((tool) => findProgram(tool) !== undefined),
  "the tools of others",
  () => {
    test("verify a signed site, and refuse it once a document changes", async () => {
      const out = await signedSite({ "v1/network/index.json": "é\n" });
      writeFileSync(join(out, "../mirrorfeed.pub"), key.publicKey);
      const verify = async (): Promise<number[]> => {
        const verifying = ["-V", "-p", "../mirrorfeed.pub", "-m", "SHA256SUMS"];
        const minisign = await runTool("minisign", verifying, { cwd: out });
        const sums = await runTool("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd: out });
        return [minisign.code, sums.code];
      };
      expect(await verify()).toEqual([0, 0]);
      writeFileSync(join(out, heartbeat), "{}");
      expect(await verify()).toEqual([0, 1]);
    });
  },
);
