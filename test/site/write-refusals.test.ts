import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { InputError } from "../../src/base/errors.ts";
import { isFinished } from "../../src/site/manifest.ts";
import { writeSite } from "../../src/site/write.ts";
import { everything, published, put, site, writtenSite } from "../support/folder.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const page = { "index.html": "page" };
const isRoot = process.getuid?.() === 0;

/** Expects a write to throw an InputError with this message, and to change nothing. */
function expectRefusal(out: string, contents: Readonly<Record<string, string>>, sentence: RegExp): void {
  const folder = join(out, "..");
  const before = everything(folder);
  const write = (): unknown => writeSite(out, site(contents));
  expect(write).toThrow(InputError);
  expect(write).toThrow(sentence);
  expect(everything(folder)).toEqual(before);
}

describe("what mirrorfeed did not write", () => {
  test("a folder with other files is refused; the sentence names it, two of them and the remedy", () => {
    const out = join(temporaryFolder(), "docs");
    put(out, { "readme.md": "1", "b/c": "2", "a\u001b[2J": "3" });
    expectRefusal(
      out,
      page,
      /docs contains files that mirrorfeed did not write, such as "a\\u001b\[2J" and "b"; empty it or choose another folder with --out\.$/,
    );
  });

  test.each([
    [
      "a file where a file must go",
      { "a/b.txt": "mine" },
      { "a/b.txt": "new" },
      /"[^"]*a\/b.txt" is in the way/,
    ],
    ["a file where a folder must go", { a: "mine" }, { "a/b.txt": "new" }, /"[^"]*_site\/a" is in the way/],
    ["a folder where a file must go", { "a/b.txt": "mine" }, { a: "new" }, /"[^"]*_site\/a" is in the way/],
    [
      "a file in a folder of mirrorfeed where a file must go",
      { "old/x/mine": "x" },
      { old: "o" },
      /old\/x\/mine" is in the way/,
    ],
    [
      "a folder in a folder of mirrorfeed where a file must go",
      { "old/mine/x": "x" },
      { old: "o" },
      /old\/mine" is in the way/,
    ],
    [
      "a folder in place of a file of mirrorfeed",
      { "list/mine": "x" },
      { list: "new" },
      /_site\/list" is in the way/,
    ],
  ])("%s is refused", (_, foreign, wanted, sentence) => {
    const out = writtenSite({ "old/x/a.txt": "a", list: "old" });
    if ("list/mine" in foreign) rmSync(join(out, "list"));
    put(out, foreign);
    expectRefusal(out, wanted, sentence);
  });

  test("an empty folder where a file must go is refused", () => {
    const out = writtenSite(page);
    mkdirSync(join(out, "a"));
    expectRefusal(out, { a: "new" }, /_site\/a" is in the way/);
  });
});

describe("links", () => {
  test.each([
    ["in place of a file to write", "index.html", { "index.html": "new" }],
    ["in place of a file to remove", "index.html", {}],
    ["in place of a new file", "new.html", { "new.html": "new" }],
    ["on the way to a file to write", "v1", { "v1/a/b.json": "new" }],
    ["on the way to a file to remove", "v1", {}],
    ["on the way to a new file", "new", { "new/a/b.json": "new" }],
  ])("%s are refused, and what they lead to is left alone", (_, place, wanted) => {
    const out = writtenSite({ ...page, "v1/a/b.json": "new" });
    put(join(out, "../victim"), { "a/b.json": "precious" });
    rmSync(join(out, place), { recursive: true, force: true });
    symlinkSync("../victim", join(out, place));
    expectRefusal(
      out,
      wanted,
      /is a symbolic link, which mirrorfeed does not follow inside a site; move it away or/,
    );
  });

  test("elsewhere in the site they are left alone", () => {
    const out = writtenSite(page);
    symlinkSync("index.html", join(out, "latest.html"));
    writeSite(out, []);
    expect(published(out)).toEqual({ "latest.html": "-> index.html" });
  });

  test("mirrorfeed's own folder must not be a link", () => {
    const out = join(temporaryFolder(), "_site");
    put(join(out, "../victim"), { "x.0.01234567-89ab-cdef-0123-456789abcdef.tmp": "precious" });
    mkdirSync(out);
    symlinkSync("../victim", join(out, ".mirrorfeed"));
    expectRefusal(out, page, /\.mirrorfeed" is a symbolic link/);
    expect(() => isFinished(out)).toThrow(InputError);
  });
});

describe("files that are not a site are a bug, not an input error", () => {
  test.each([
    ["a path outside", ["../a"]],
    ["an absolute path", ["/a"]],
    ["a path with a backslash", ["a\\b"]],
    ["a path into mirrorfeed's own folder", [".mirrorfeed/state.json"]],
    ["a path that stands twice", ["a", "a"]],
    ["a file that is a folder too", ["a/b/c", "a/b"]],
  ])("%s", (_, paths) => {
    const out = join(temporaryFolder(), "_site");
    const write = (): unknown =>
      writeSite(
        out,
        paths.map((path) => ({ path, content: "" })),
      );
    expect(write).toThrow(Error);
    expect(write).not.toThrow(InputError);
    expect(everything(join(out, ".."))).toEqual({});
  });
});

describe("a file system that refuses", () => {
  const mounts: string[] = [];
  afterAll(() => {
    for (const mount of mounts) execFileSync("umount", [mount]);
  });

  function mountedFolder(options: string): string {
    const folder = temporaryFolder();
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder]);
    mounts.push(folder);
    return folder;
  }

  test.each([
    ["a file", "file"],
    ["below a file", "file/_site"],
  ])("the folder is %s", (_, name) => {
    const folder = temporaryFolder();
    put(folder, { file: "mine" });
    const write = (): unknown => writeSite(join(folder, name), site(page));
    expect(write).toThrow(InputError);
    expect(write).toThrow(
      / cannot be written: a file stands where its folder must be; choose another folder/,
    );
    expect(everything(folder)).toEqual({ file: "mine" });
  });

  test("the folder is a link that leads nowhere", () => {
    const out = join(temporaryFolder(), "_site");
    symlinkSync("nowhere", out);
    const write = (): unknown => writeSite(out, site(page));
    expect(write).toThrow(InputError);
    expect(write).toThrow(/ cannot be written: its folder cannot be made, or went away meanwhile; choose/);
  });

  test("an error that is none of these is passed on as it is", () => {
    const write = (): unknown => writeSite(join(temporaryFolder(), "a\0b"), site(page));
    expect(write).not.toThrow(InputError);
    expect(write).toThrow(/without null bytes/);
  });

  test("mirrorfeed's own folder is a file", () => {
    const out = join(temporaryFolder(), "_site");
    put(out, { ".mirrorfeed": "mine" });
    expectRefusal(
      out,
      page,
      /manifest\.json cannot be read: a file stands where its folder must be; choose another/,
    );
  });

  test.skipIf(isRoot || process.platform === "win32")("this user may not write (not as root)", () => {
    const out = writtenSite(page);
    chmodSync(join(out, ".mirrorfeed"), 0o555);
    expectRefusal(
      out,
      { "index.html": "new" },
      /cannot be written: this user may not; change its permissions or/,
    );
    chmodSync(join(out, ".mirrorfeed"), 0o755);
  });

  test.skipIf(!isRoot || process.platform !== "linux")("it is read-only (as root on Linux)", () => {
    const out = mountedFolder("size=1m");
    writeSite(out, site(page));
    execFileSync("mount", ["-o", "remount,ro", out]);
    const before = everything(out);
    expect(writeSite(out, site(page)).unchanged).toBe(1);
    expect(() => writeSite(out, [])).toThrow(InputError);
    expect(() => writeSite(out, [])).toThrow(
      /cannot be written: the file system is read-only; choose another folder/,
    );
    expect(everything(out)).toEqual(before);
  });

  test.skipIf(!isRoot || process.platform !== "linux")(
    "it is full: every document is whole, and space repairs it (as root on Linux)",
    () => {
      const out = mountedFolder("size=1m");
      const tree = (name: string, files: number): Record<string, string> =>
        Object.fromEntries(
          Array.from({ length: files }, (_, index) => [`a/${index}.txt`, `${name}${index}`.repeat(12_000)]),
        );
      const [old, wanted] = [tree("old", 8), tree("new", 40)];
      writeSite(out, site(old));
      const write = (): unknown => writeSite(out, site(wanted));
      expect(write).toThrow(InputError);
      expect(write).toThrow(/cannot be written: the disk is full; free some space and run again\.$/);
      for (const [path, content] of Object.entries(published(out)))
        expect([old[path], wanted[path]]).toContain(content);
      expect(Object.keys(everything(out)).filter((path) => path.endsWith(".tmp"))).toEqual([]);
      expect(isFinished(out)).toBe(false);
      execFileSync("mount", ["-o", "remount,size=8m", out]);
      write();
      expect(published(out)).toEqual(wanted);
      expect(isFinished(out)).toBe(true);
    },
  );
});
