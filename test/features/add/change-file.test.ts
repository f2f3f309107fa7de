import {
  chmodSync,
  chownSync,
  lstatSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { getuid } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { changeFile } from "../../../src/features/add/change-file.ts";
import { Interrupted } from "../../../src/core/base/errors.ts";
import type { LockOptions } from "../../../src/core/base/files/lock.ts";
import { everything, processes, put } from "../../support/folder.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { recorded, sentence } from "../../support/command-context.ts";

function written(text = "one\n", name = "file.json"): string {
  const folder = temporaryFolder();
  put(folder, { [name]: text });
  return join(folder, name);
}

function change(
  file: string,
  to: (text: string) => string,
  options: LockOptions = recorded().context,
): Promise<{ text: string }> {
  return changeFile(file, (text) => ({ text: to(text) }), options);
}

const addLine = (text: string): string => `${text}two\n`;

test("the whole text is replaced, without a byte order mark, and nothing is left beside it", async () => {
  const file = written("\ufeffone ä\r\n");
  expect(await change(file, addLine)).toEqual({ text: "one ä\r\ntwo\n" });
  expect(readFileSync(file, "utf8")).toBe("one ä\r\ntwo\n");
  expect(Object.keys(everything(dirname(file)))).toEqual(["file.json"]);
});

test.each([0o600, 0o664, 0o755])("the mode %o stays", async (mode) => {
  const file = written();
  chmodSync(file, mode);
  await change(file, addLine);
  expect(statSync(file).mode & 0o777).toBe(mode);
});

test("a link stays one, and so does what it leads over", async () => {
  const file = written();
  const folder = temporaryFolder();
  const links = [join(folder, "near.json"), join(folder, "far.json")] as const;
  symlinkSync(file, links[0]);
  symlinkSync("near.json", links[1]);
  await change(links[1], addLine);
  expect(links.map((link) => lstatSync(link).isSymbolicLink())).toEqual([true, true]);
  expect(lstatSync(file).isFile()).toBe(true);
  expect(readFileSync(file, "utf8")).toBe("one\ntwo\n");
  expect(Object.keys(everything(folder))).toEqual(["far.json", "near.json"]);
});

test.runIf(getuid?.() === 0)("a file of another user keeps its owner", async () => {
  const file = written();
  chownSync(file, 12_345, 12_346);
  await change(file, addLine);
  expect(statSync(file)).toMatchObject({ uid: 12_345, gid: 12_346 });
});

describe("where another program changes the file meanwhile", () => {
  test.each<[string, (file: string) => void, string]>([
    [
      "an editor",
      (file) => {
        writeFileSync(file, "from an editor\n");
      },
      "from an editor\n",
    ],
    [
      "a thief of the lock",
      (file) => {
        rmSync(`${file}.lock`);
      },
      "one\n",
    ],
  ])("the change is refused: %s", async (_, interfere, left) => {
    const file = written();
    const changed = change(file, (text) => {
      interfere(file);
      return addLine(text);
    });
    expect(await sentence(changed)).toBe(
      `${file} was changed by another program at the same time; run again.`,
    );
    expect(everything(dirname(file))).toEqual({ "file.json": left });
  });

  test("a file that goes away is one sentence", async () => {
    const file = written();
    const message = await sentence(
      change(file, (text) => {
        rmSync(file);
        return addLine(text);
      }),
    );
    expect(message).toMatch(
      /^\S+file\.json cannot be written: .*has disappeared; name another file with --config\.$/,
    );
    expect(everything(dirname(file))).toEqual({});
  });
});

describe("what cannot be changed is left as it was", () => {
  test("where the change itself fails", async () => {
    const file = written();
    const failing = (): never => {
      throw new RangeError("No.");
    };
    await expect(change(file, failing)).rejects.toThrow(RangeError);
    expect(everything(dirname(file))).toEqual({ "file.json": "one\n" });
  });

  const missing = "does not exist; make one with mirrorfeed init, or name yours with --config.";
  test.each<[string, (file: string) => void, string]>([
    ["missing", rmSync, missing],
    [
      "a link to nothing",
      (file) => {
        rmSync(file);
        symlinkSync("nowhere", file);
      },
      missing,
    ],
    [
      "not UTF-8",
      (file) => {
        writeFileSync(file, Buffer.from([0xff]));
      },
      "is not UTF-8 text; save it as UTF-8.",
    ],
  ])("%s", async (_, make, problem) => {
    const file = written();
    make(file);
    const before = everything(dirname(file));
    expect(await sentence(change(file, addLine))).toBe(`${file} ${problem}`);
    expect(everything(dirname(file))).toEqual(before);
  });

  test("where nothing can be made beside it", async () => {
    const file = written("one\n", `${"f".repeat(252)}.js`);
    expect(await sentence(change(file, addLine))).toMatch(
      / cannot be written: its name is too long; name another/,
    );
    expect(readFileSync(file, "utf8")).toBe("one\n");
  });

  test("if it is interrupted while another process holds the lock", async () => {
    const file = written();
    const machine = hostname().replaceAll(/[^\w-]/g, "_");
    // Process 1 is always alive.
    writeFileSync(`${file}.lock`, `${machine}.1.00000000-0000-4000-8000-000000000000`);
    const controller = new AbortController();
    const options = { processes, random: () => 0, interrupt: controller.signal };
    const changed = change(file, addLine, options);
    await sleep(50);
    controller.abort(new Interrupted());
    await expect(changed).rejects.toThrow(Interrupted);
    expect(readFileSync(file, "utf8")).toBe("one\n");
  });
});
