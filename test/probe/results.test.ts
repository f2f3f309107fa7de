import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { InputError } from "../../src/base/errors.ts";
import type { Results } from "../../src/probe/observation.ts";
import { formatResults, saveResults } from "../../src/probe/results.ts";
import { everything, put } from "../support/folder.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const results: Results = {
  schema: 1,
  run: "r",
  config: "0".repeat(32),
  prober: "x",
  vantage: "default",
  shard: { index: 1, count: 1 },
  started_at: "2026-01-01T00:00:00Z",
  finished_at: "2026-01-01T00:00:00Z",
  controls: [],
  observations: [],
};

test.each(["results.json", "new/folder/results.json"])("results are saved as %s, alone", (path) => {
  const folder = temporaryFolder();
  saveResults(join(folder, path), results);
  saveResults(join(folder, path), { ...results, run: "s" });
  expect(everything(folder)).toEqual({ [path]: formatResults({ ...results, run: "s" }) });
});

describe("where results cannot be saved, one sentence says what helps and nothing is left", () => {
  test.each<[string, string, string]>([
    ["below a file", "file/results.json", "a file stands where its folder must be;"],
    ["deeper below a file", "file/new/results.json", "a file stands where its folder must be;"],
    ["in place of a folder", "folder", "a folder stands where a file must be; remove it or"],
    ["by a long name", "f".repeat(300), "its name is too long;"],
  ])("%s", (_, path, reason) => {
    const folder = temporaryFolder();
    put(folder, { file: "mine" });
    mkdirSync(join(folder, "folder"));
    const file = join(folder, path);
    expect(() => {
      saveResults(file, results);
    }).toThrow(new InputError(`${file} cannot be written: ${reason} name another file with --results.`));
    expect(everything(folder)).toEqual({ file: "mine", folder: "/" });
  });
});
