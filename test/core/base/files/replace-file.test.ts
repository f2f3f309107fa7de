import { mkdirSync, readFileSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { removeLeftovers, replaceFiles } from "../../../../src/core/base/files/replace-file.ts";
import { everything, put } from "../../../support/folder.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

test("files are replaced together, once all of them are written and it is allowed", () => {
  const folder = temporaryFolder();
  put(folder, { a: "old" });
  const files = ["a", "b"].map((name) => ({ file: join(folder, name), content: `new ${name}` }));
  let seen: Record<string, string> = {};
  const isAllowed = (answer: boolean) => () => {
    seen = everything(folder);
    return answer;
  };
  expect(replaceFiles(files, { isAllowed: isAllowed(false) })).toBe(false);
  expect(Object.values(seen).sort()).toEqual(["new a", "new b", "old"]);
  expect(everything(folder)).toEqual({ a: "old" });
  expect(replaceFiles(files, { isAllowed: isAllowed(true) })).toBe(true);
  expect(everything(folder)).toEqual({ a: "new a", b: "new b" });
});

test("a file that cannot be written leaves the others as they were, and nothing beside them", () => {
  const folder = temporaryFolder();
  put(folder, { a: "old" });
  const files = ["a", "missing/b"].map((name) => ({ file: join(folder, name), content: "new" }));
  expect(() => replaceFiles(files)).toThrow(/ENOENT/);
  expect(everything(folder)).toEqual({ a: "old" });
});

test.skipIf(process.platform === "win32")(
  "a new file has the mode that is asked for (not on Windows)",
  () => {
    const folder = temporaryFolder();
    const file = join(folder, "file");
    replaceFiles([{ file, content: Uint8Array.of(0xff) }], { mode: 0o626 });
    expect(statSync(file).mode & 0o777).toBe(0o626);
    expect([...readFileSync(file)]).toEqual([0xff]);
  },
);

const id = "01234567-89ab-cdef-0123-456789abcdef";

test.each([
  ["of a killed process goes", `a.json.${id}.tmp`, 0, 0, false],
  ["that another process may be writing stays", `a.json.${id}.tmp`, 59, 60, true],
  ["that is too old for that goes", `a.json.${id}.tmp`, 61, 60, false],
  ["of another file stays", `b.json.${id}.tmp`, 99, 0, true],
  ["of another program stays", "a.json.mine.tmp", 99, 0, true],
])("a temporary file %s", (_, name, minutes, minAge, stays) => {
  const folder = temporaryFolder();
  put(folder, { [name]: "half a docum", "a.json": "{}" });
  const then = Date.now() / 1000 - minutes * 60;
  utimesSync(join(folder, name), then, then);
  mkdirSync(join(folder, `a.json.${id.replace("0", "f")}.tmp`));
  removeLeftovers(folder, "a.json.", minAge === 0 ? undefined : minAge * 60_000);
  expect(name in everything(folder)).toBe(stays);
  expect(Object.keys(everything(folder))).toContain("a.json");
});
