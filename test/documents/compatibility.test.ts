import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { exitCodesOf, notes } from "../../src/program/notes.ts";
import { loadDocument } from "../support/document.ts";

const { exports, version } = JSON.parse(readFileSync("package.json", "utf8")) as {
  exports: Record<string, unknown>;
  version: string;
};

test("the package has only the modules that the promise names", () => {
  expect(Object.keys(exports)).toEqual(["./client", "./package.json"]);
});

test("its rule before 1.0 is needed", () => {
  expect(version).toMatch(/^0\.\d+\.\d+$/);
});

test("the exit codes of each command are among those of the reference", () => {
  const { text } = loadDocument(".github/docs/commands.md");
  const [, table = ""] = /^## Exit codes\n(.*?)^## /ms.exec(text) ?? [];
  const known = [...table.matchAll(/^\| (\d+) /gm)].map(([, code]) => code);
  expect(known).toEqual(["0", "1", "2", "3", "4", "70", "130"]);
  for (const own of Object.values(notes))
    expect(known).toEqual(expect.arrayContaining(own === undefined ? [] : Object.keys(exitCodesOf(own))));
});
