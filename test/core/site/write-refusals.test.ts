import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { InputError } from "../../../src/core/base/errors.ts";
import { readManifest } from "../../../src/core/site/manifest.ts";
import { writeSite } from "../../../src/core/site/write.ts";
import { everything, expectRefusal, published, put, site, writtenSite } from "../../support/folder.ts";
import { inputErrorOf } from "../../support/mirrors-json.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const page = { "index.html": "page" };

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
    ["a file where a file must go", "a/b.txt", "a/b.txt", "a/b.txt"],
    ["a file where a folder must go", "a", "a/b.txt", "a"],
    ["a folder where a file must go", "a/b.txt", "a", "a"],
    ["a file in a folder of mirrorfeed where a file must go", "old/x/mine", "old", "old/x/mine"],
    ["a folder in a folder of mirrorfeed where a file must go", "old/mine/x", "old", "old/mine"],
    ["a folder in place of a file of mirrorfeed", "list/mine", "list", "list"],
  ])("%s is refused", (_, foreign, wanted, obstacle) => {
    const out = writtenSite({ "old/x/a.txt": "a", list: "old" });
    if (foreign === "list/mine") rmSync(join(out, "list"));
    put(out, { [foreign]: "mine" });
    expectRefusal(out, { [wanted]: "new" }, new RegExp(`"[^"]*_site/${obstacle}" is in the way`));
  });
});

describe("links", () => {
  test.each([
    ["in place of a file to write", "index.html", { "index.html": "new" }],
    ["in place of a file to remove", "index.html", {}],
    ["on the way to a file to write", "v1", { "v1/a/b.json": "new" }],
    ["on the way to a file to remove", "v1", {}],
  ])("%s are refused, and what they lead to is left alone", (_, place, wanted) => {
    const out = writtenSite({ ...page, "v1/a/b.json": "new" });
    put(join(out, "../victim"), { "a/b.json": "precious" });
    rmSync(join(out, place), { recursive: true, force: true });
    symlinkSync("../victim", join(out, place));
    const sentence = /is a symbolic link, which mirrorfeed does not follow inside a site; move it away or/;
    expectRefusal(out, wanted, sentence);
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
    expect(() => readManifest(out)).toThrow(InputError);
  });
});

test.each([
  ["a path outside", ["../a"]],
  ["an absolute path", ["/a"]],
  ["a path into mirrorfeed's own folder", [".mirrorfeed/state.json"]],
  ["a path that stands twice", ["a", "a"]],
  ["a file that is a folder too", ["a/b/c", "a/b"]],
])("files that are not a site are a bug, not an input error: %s", (_, paths) => {
  const out = join(temporaryFolder(), "_site");
  const files = paths.map((path) => ({ path, content: "" }));
  const write = (): unknown => writeSite(out, files);
  expect(write).toThrow(Error);
  expect(write).not.toThrow(InputError);
  expect(everything(join(out, ".."))).toEqual({});
});

test.each([
  ["a file", "file"],
  ["below a file", "file/_site"],
])("a file system that refuses is an input error: the folder is %s", (_, name) => {
  const folder = temporaryFolder();
  put(folder, { file: "mine" });
  const message = / cannot be written: there is a file where its folder should be; choose another folder/;
  expect(inputErrorOf(() => writeSite(join(folder, name), site(page)))).toMatch(message);
  expect(everything(folder)).toEqual({ file: "mine" });
});
