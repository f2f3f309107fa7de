import {
  closeSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { InputError } from "../../../src/core/base/errors.ts";
import { readManifest } from "../../../src/core/site/manifest.ts";
import { writeSite } from "../../../src/core/site/write.ts";
import { everything, pages, published, put, site, writtenSite } from "../../support/folder.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** Returns each file's inode and times, which change when it is replaced, rewritten or touched. */
function traces(out: string): Record<string, string> {
  const paths = Object.keys(everything(out));
  return Object.fromEntries(
    paths.map((path) => {
      const { ino, mtimeMs, ctimeMs } = lstatSync(join(out, path));
      return [path, `${ino} ${mtimeMs} ${ctimeMs}`];
    }),
  );
}

describe("writing", () => {
  test("a missing folder is created with its parents and contains exactly the files", () => {
    const out = join(temporaryFolder(), "a/b/_site");
    expect(writeSite(out, site(pages))).toEqual({ written: 3, unchanged: 0, removed: 0 });
    expect(published(out)).toEqual(pages);
  });

  test("each file is announced before it is compared, and an error there ends the write", () => {
    const out = writtenSite(pages);
    let announced = 0;
    const files = site({ ...pages, "z.json": "{}" });
    expect(writeSite(out, files, () => (announced += 1)).written).toBe(1);
    expect(announced).toBe(4);
    const taken = (): never => {
      throw new Error("The lock was lost.");
    };
    expect(() => writeSite(out, site({ "a.json": "{}" }), taken)).toThrow("The lock was lost.");
    expect(published(out)).toEqual({ ...pages, "z.json": "{}" });
  });

  test("bytes are written as they are", () => {
    const out = writtenSite({});
    const content = Uint8Array.from([0, 255, 254, 10, 13, 0x80]);
    expect(writeSite(out, [{ path: "icon.ico", content }]).written).toBe(1);
    expect(Uint8Array.from(readFileSync(join(out, "icon.ico")))).toEqual(content);
    expect(writeSite(out, [{ path: "icon.ico", content }]).unchanged).toBe(1);
  });

  test("an equal site touches nothing, not even the manifest, in any order of its files", () => {
    const out = writtenSite(pages);
    const before = traces(out);
    expect(writeSite(out, site(pages))).toEqual({ written: 0, unchanged: 3, removed: 0 });
    writeSite(out, site(pages).reverse());
    expect(traces(out)).toEqual(before);
  });

  test("only files whose bytes differ are replaced, and a reader keeps the whole old one", () => {
    const out = writtenSite(pages);
    const before = traces(out);
    const reader = openSync(join(out, "index.html"), "r");
    const wanted = site({ ...pages, "index.html": "<p>new</p>" });
    expect(writeSite(out, wanted)).toEqual({ written: 1, unchanged: 2, removed: 0 });
    expect(readFileSync(reader, "utf8")).toBe(pages["index.html"]);
    closeSync(reader);
    expect(readFileSync(join(out, "index.html"), "utf8")).toBe("<p>new</p>");
    const { "index.html": page, ".mirrorfeed/manifest.json": list, ...rest } = traces(out);
    expect(before).toMatchObject(rest);
    expect(page).not.toBe(before["index.html"]);
    expect(list).not.toBe(before[".mirrorfeed/manifest.json"]);
  });

  test("a file that is equal only as text is repaired, and another name of it keeps its bytes", () => {
    const out = writtenSite({ "a.txt": "\ufffd" });
    writeFileSync(join(out, "a.txt"), Uint8Array.of(0xff));
    linkSync(join(out, "a.txt"), join(out, "mine.txt"));
    expect(writeSite(out, site({ "a.txt": "\ufffd" })).written).toBe(1);
    expect(readFileSync(join(out, "a.txt"), "utf8")).toBe("\ufffd");
    expect([...readFileSync(join(out, "mine.txt"))]).toEqual([0xff]);
  });

  test("a file is rendered in its turn, after the one before is written and before any is removed", () => {
    const out = writtenSite(pages);
    const seen: Record<string, string>[] = [];
    const files = ["a.txt", "index.html", "b/c.txt"].map((path) => ({
      path,
      content: () => {
        seen.push(published(out));
        return path;
      },
    }));
    expect(writeSite(out, files)).toEqual({ written: 3, unchanged: 0, removed: 2 });
    expect(seen.map((then) => Object.keys(then).length)).toEqual([4, 5, 5]);
    const former = pages["index.html"];
    expect(seen.map((then) => then["index.html"])).toEqual([former, former, "index.html"]);
    expect(published(out)).toEqual({ "a.txt": "a.txt", "index.html": "index.html", "b/c.txt": "b/c.txt" });
  });

  test("a file that cannot be rendered leaves whole documents, and the next write is right", () => {
    const out = writtenSite(pages);
    const content = (): never => {
      throw new Error("It cannot be made.");
    };
    const files = [...site({ "a.txt": "a" }), { path: "b.txt", content }];
    expect(() => writeSite(out, files)).toThrow("It cannot be made.");
    expect(published(out)).toEqual({ ...pages, "a.txt": "a" });
    expect(readManifest(out)?.finished).toBe(false);
    expect(writeSite(out, site(pages))).toEqual({ written: 0, unchanged: 3, removed: 1 });
    expect([published(out), readManifest(out)?.finished]).toEqual([pages, true]);
  });
});

describe("removing", () => {
  test("obsolete files go, and the folders that become empty, but not that of the site", () => {
    const out = writtenSite(pages);
    const index = { "index.html": pages["index.html"] };
    expect(writeSite(out, site(index))).toEqual({ written: 0, unchanged: 1, removed: 2 });
    expect(published(out)).toEqual(index);
    expect(writeSite(out, []).removed).toBe(1);
    expect(published(out)).toEqual({});
  });

  test("files and folders mirrorfeed did not write stay", () => {
    const out = writtenSite(pages);
    const foreign = { "v1/network/a/notes.txt": "mine", CNAME: "mirrors.example", "v1/mine/x": "x" };
    put(out, foreign);
    writeSite(out, []);
    expect(published(out)).toEqual(foreign);
  });

  test("a file becomes a folder, and a folder a file", () => {
    const out = writtenSite({ badge: "a file", "list/a/b.txt": "b", "list/c.txt": "c" });
    writeSite(out, site({ "badge/a/b.svg": "<svg/>", list: "a file" }));
    expect(published(out)).toEqual({ "badge/a/b.svg": "<svg/>", list: "a file" });
    writeSite(out, site({ badge: "a file", "list/a/b.txt": "b" }));
    expect(published(out)).toEqual({ badge: "a file", "list/a/b.txt": "b" });
  });

  test("a file that another program replaced by a folder is no longer mirrorfeed's", () => {
    const out = writtenSite(pages);
    rmSync(join(out, "index.html"));
    put(out, { "index.html/mine": "x" });
    writeSite(out, []);
    expect(published(out)).toEqual({ "index.html/mine": "x" });
  });
});

describe("the remains of a killed run", () => {
  const leftover = ".mirrorfeed/01234567-89ab-cdef-0123-456789abcdef.tmp";

  test("a temporary file goes, a file of another program stays", () => {
    const out = writtenSite(pages);
    put(out, { [leftover]: "half a docum", ".mirrorfeed/state.json": "{}" });
    writeSite(out, site(pages));
    expect(readdirSync(join(out, ".mirrorfeed")).sort()).toEqual(["manifest.json", "state.json"]);
  });

  test("an unfinished write is known as mirrorfeed's", () => {
    const out = join(temporaryFolder(), "_site");
    const manifest = { schema: 1, finished: false, files: ["v1/new.json", "v1/old.json"] };
    put(out, { "v1/old.json": "old", ".mirrorfeed/manifest.json": JSON.stringify(manifest) });
    expect(writeSite(out, site({ "index.html": "x" }))).toEqual({ written: 1, unchanged: 0, removed: 1 });
    expect(everything(out)).toEqual({
      "index.html": "x",
      ".mirrorfeed/manifest.json": '{"schema":1,"finished":true,"files":["index.html"]}\n',
    });
  });
});

describe("another process, after the folder is read and before it is changed,", () => {
  test("may have removed what is to be removed", () => {
    const out = writtenSite(pages);
    writeSite(out, site({ "index.html": "new" }), () => {
      rmSync(join(out, "v1"), { recursive: true });
    });
    expect(published(out)).toEqual({ "index.html": "new" });
  });

  test("may be in the way: the write fails, leaves whole documents, and the manifest is right", () => {
    const out = writtenSite(pages);
    mkdirSync(join(out, "mine"));
    const wanted = { "mine/a.txt": "a", taken: "t" };
    const take = (): void => {
      mkdirSync(join(out, "taken"), { recursive: true });
    };
    const message = `${out} cannot be written: there is a folder where the file should be; remove it or choose another folder with --out.`;
    expect(() => writeSite(out, site(wanted), take)).toThrow(new InputError(message));
    expect(readManifest(out)?.finished).toBe(false);
    expect(published(out)).toEqual({ ...pages, "mine/a.txt": "a", taken: "/" });
    expect(JSON.parse(readFileSync(join(out, ".mirrorfeed/manifest.json"), "utf8"))).toMatchObject({
      finished: false,
      files: [...Object.keys(pages), ...Object.keys(wanted)].sort(),
    });
    rmSync(join(out, "taken"), { recursive: true });
    writeSite(out, []);
    expect(published(out)).toEqual({});
  });
});
