import { chmodSync, lstatSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { changeFile } from "../../../src/features/add/change-file.ts";
import { everything, put } from "../../support/folder.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { sentence } from "../../support/command-context.ts";

function written(text = "one\n", name = "file.json"): string {
  const folder = temporaryFolder();
  put(folder, { [name]: text });
  return join(folder, name);
}

function addLine(file: string): Promise<{ text: string }> {
  return changeFile(file, (text) => ({ text: `${text}two\n` }));
}

test("the whole text is replaced, without a byte order mark, and nothing is left beside it", async () => {
  const file = written("\ufeffone ä\r\n");
  expect(await addLine(file)).toEqual({ text: "one ä\r\ntwo\n" });
  expect(readFileSync(file, "utf8")).toBe("one ä\r\ntwo\n");
  expect(Object.keys(everything(dirname(file)))).toEqual(["file.json"]);
});

test("the mode stays", async () => {
  const file = written();
  chmodSync(file, 0o664);
  await addLine(file);
  expect(statSync(file).mode & 0o777).toBe(0o664);
});

test("a link stays one, and so does what it leads over", async () => {
  const file = written();
  const folder = temporaryFolder();
  const links = [join(folder, "near.json"), join(folder, "far.json")] as const;
  symlinkSync(file, links[0]);
  symlinkSync("near.json", links[1]);
  await addLine(links[1]);
  expect(links.map((link) => lstatSync(link).isSymbolicLink())).toEqual([true, true]);
  expect(lstatSync(file).isFile()).toBe(true);
  expect(readFileSync(file, "utf8")).toBe("one\ntwo\n");
});

test("a file stays as it was if the change fails", async () => {
  const file = written();
  const failing = (): never => {
    throw new RangeError("No.");
  };
  await expect(changeFile(file, failing)).rejects.toThrow(RangeError);
  expect(everything(dirname(file))).toEqual({ "file.json": "one\n" });
});

test.each<[string, (file: string) => void, string]>([
  ["missing", rmSync, "does not exist; make one with mirrorfeed init, or name yours with --config."],
  [
    "a link to nothing",
    (file) => {
      rmSync(file);
      symlinkSync("nowhere", file);
    },
    "does not exist;",
  ],
  [
    "not UTF-8",
    (file) => {
      writeFileSync(file, Buffer.from([0xff]));
    },
    "is not UTF-8 text; save it as UTF-8.",
  ],
])("a file is refused if it is %s", async (_, make, problem) => {
  const file = written();
  make(file);
  const before = everything(dirname(file));
  expect(await sentence(addLine(file))).toContain(`${file} ${problem}`);
  expect(everything(dirname(file))).toEqual(before);
});

test("a file is refused if nothing can be made beside it", async () => {
  const file = written("one\n", `${"f".repeat(252)}.js`);
  expect(await sentence(addLine(file))).toMatch(/ cannot be written: its name is too long; name another/);
  expect(readFileSync(file, "utf8")).toBe("one\n");
});

test("what another program wrote in the meantime stays", async () => {
  const file = written();
  const changing = changeFile(file, (text) => {
    writeFileSync(file, "other\n");
    return { text: `${text}two\n` };
  });
  expect(await sentence(changing)).toBe(`${file} was changed in the meantime; run again.`);
  expect(readFileSync(file, "utf8")).toBe("other\n");
});
