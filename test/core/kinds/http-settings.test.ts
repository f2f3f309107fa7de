import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { targetWarnings } from "../../../src/core/kinds/mirror-content.ts";
import { type FileServer, serveFiles } from "../../support/file-server.ts";
import { runInProcess } from "../../support/in-process.ts";
import { damages, runFeed, writeFeed } from "../../support/mirror-feed.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const names = ["primary", "whole", "clipped"];
const file = "x".repeat(70_000);
const folder = temporaryFolder();
let server: FileServer;

beforeAll(async () => {
  const changedAt = Object.fromEntries(names.map((name) => [`/${name}/a.iso`, 1_772_971_200]));
  server = await serveFiles({}, changedAt);
  for (const name of names) {
    server.files.set(`/${name}/`, file);
    server.files.set(`/${name}/a.iso`, name === "clipped" ? "x" : file);
  }
  return () => server.close();
});

function write(content: object, more: object = {}): void {
  const urls = names.map((name) => `${server.url}/${name}/`);
  writeFeed(folder, urls, { kind: "http", http: { content }, ...more });
}

test("files alone are compared with those of the primary", async () => {
  write({ files: ["a.iso"] });
  await runFeed(folder);
  for (const _ of [2, 3])
    expect(damages(names, await runFeed(folder))).toEqual({
      ...{ primary: "1 ok unknown", whole: "1 ok unknown", clipped: "1 ok unknown wrong_size" },
    });
  const { stdout } = await runInProcess(["run", "--state", "state.json"], { folder });
  expect(stdout).not.toContain("Warning");
});

describe.each([
  ["no_time", { timestamp: { path: "at" } }],
  ["too_long", { sha256: "reference" }],
  ["no_file_sizes", { sha256: "reference", files: ["./"] }],
] as const)("settings that cannot work, with the code %s", (code, content) => {
  const line = `Warning: s/p/t: ${targetWarnings[code]}\n`;

  test("are told by run, probe and validate --probe-new, and in the report", async () => {
    write(content);
    writeFileSync(join(folder, "before.json"), "{}");
    const commands = ["run --state other.json", "probe", "validate --probe-new before.json --allow-private"];
    for (const command of commands)
      expect((await runInProcess(command.split(" "), { folder })).stdout).toContain(line);
    const report = readFileSync(join(folder, "_site/v1/report/s/p/t/index.json"), "utf8");
    const sentence = targetWarnings[code];
    expect(JSON.parse(report)).toMatchObject({ warnings: expect.arrayContaining([{ code, sentence }]) });
  });
});

test("validate --probe-new reads as much as the settings before the change say", async () => {
  write({ text: "x" }, { maxBytes: 1_000_000 });
  renameSync(join(folder, "mirrors.json"), join(folder, "before.json"));
  write({ sha256: "reference" });
  const command = ["validate", "--probe-new", "before.json", "--allow-private"];
  const { code, stdout } = await runInProcess(command, { folder });
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.not.stringContaining("Warning") });
});
