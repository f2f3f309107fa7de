import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isFeedData, overlay, readOwnPublic, readPublic } from "../../../src/core/site/public.ts";
import { put, site } from "../../support/folder.ts";
import { inputErrorOf } from "../../support/mirrors-json.ts";
import { textOf } from "../../support/text-of.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

function contents(folder: string): Record<string, string> {
  return Object.fromEntries(readPublic(folder).map((file) => [file.path, textOf(file)]));
}

describe("reading a public folder", () => {
  test("returns every file in a fixed order, also hidden ones, without those of file managers", () => {
    const folder = temporaryFolder();
    const files = { ".nojekyll": "", ".well-known/a/b.txt": "b", "Icon.svg": "i", "a-b": "a", "a/c": "c" };
    put(folder, { ...files, ".DS_Store": "x", "a/Thumbs.db": "x" });
    expect(Object.entries(contents(folder))).toEqual(Object.entries(files));
  });

  test("returns nothing if there is no folder, and follows the folder itself if it is a link", () => {
    const folder = temporaryFolder();
    expect(readPublic(join(folder, "public"))).toEqual([]);
    put(folder, { "real/x.txt": "x" });
    symlinkSync("real", join(folder, "public"));
    expect(contents(join(folder, "public"))).toEqual({ "x.txt": "x" });
  });

  test.each([
    ["a file outside", "../secret.txt"],
    ["a folder outside", ".."],
    ["a file beside it", "a.txt"],
    ["nowhere", "nothing"],
  ])("refuses a link to %s", (_, place) => {
    const folder = temporaryFolder();
    put(folder, { "secret.txt": "s", "public/a.txt": "a" });
    symlinkSync(place, join(folder, "public/link"));
    const message = inputErrorOf(() => readPublic(join(folder, "public")));
    expect(message).toMatch(/link" is a link or a special file; replace it with a copy\.$/);
  });

  test.each([".mirrorfeed/manifest.json", "..."])("refuses a name that a site cannot contain: %s", (path) => {
    const folder = temporaryFolder();
    put(folder, { [path]: "x" });
    expect(() => readPublic(folder)).toThrow(/has a name that a site cannot contain; rename it\.$/);
  });

  test("refuses a file in its place", () => {
    const folder = temporaryFolder();
    put(folder, { public: "a file" });
    const message = /"[^"]*public" is not a folder; replace it with a folder\.$/;
    expect(() => readPublic(join(folder, "public"))).toThrow(message);
  });

  test.skipIf(process.getuid?.() === 0 || process.platform === "win32")(
    "refuses what this user may not read (not as root)",
    () => {
      const folder = temporaryFolder();
      mkdirSync(join(folder, "closed"));
      chmodSync(join(folder, "closed"), 0);
      const message = /^Cannot read .*closed.*: permission denied; change its permissions\.$/;
      expect(() => readPublic(folder)).toThrow(message);
      chmodSync(join(folder, "closed"), 0o755);
    },
  );
});

describe("the operator's files", () => {
  test("are everything in public/ but the data of the feed", () => {
    const folder = temporaryFolder();
    const files = {
      ...{ "index.html": "i", "404.html": "4", "robots.txt": "r", CNAME: "c", "v1.css": "s" },
      ...{ "assets/status.css": "s", "incidents/a.md": "n", ".well-known/security.txt": "w" },
      ...{ "docs/metrics.txt": "m", "mirrors.schema.json": "{}", "status/badge/x.svg": "x" },
    };
    expect(readOwnPublic(folder)).toEqual([]);
    put(join(folder, "public"), files);
    const paths = readOwnPublic(folder).map(({ path }) => path);
    expect(paths.toSorted()).toEqual(Object.keys(files).toSorted());
  });

  test("that would replace or add data are refused with their names", () => {
    const folder = temporaryFolder();
    const names = Array.from({ length: 9 }, (_, index) => `v1/network/s${index}/index.json`);
    const files = ["metrics.txt", "a.css", "mirrorlist/s/p/t.txt", ...names];
    put(join(folder, "public"), Object.fromEntries(files.map((path) => [path, "x"])));
    expect(inputErrorOf(() => readOwnPublic(folder))).toMatch(
      /public contains files that only a run may write: "metrics\.txt", "mirrorlist\/s\/p\/t\.txt", "v1\/.*"v1\/network\/s7\/index\.json" and 1 more; remove or rename them\.$/,
    );
  });

  test.each([
    ...["SHA256SUMS", "sha256sums.minisig", "V1/a.json", "Metrics.TXT", "v1./a.json", "errors /404.json"],
    ...["metrics.txt.", "client", "client.js", "v1", "errors", "badge", "country", "feed", "api"],
  ])("that sign or take the place of data, on any system, are refused: %s", (path) => {
    expect(isFeedData(path)).toBe(true);
  });
});

describe("an overlay", () => {
  test("replaces files of the same path and adds the rest", () => {
    const base = site({ a: "1", "b/c": "2" });
    expect(overlay(base, site({ "b/c": "new", d: "3" }))).toEqual(site({ a: "1", "b/c": "new", d: "3" }));
    expect(overlay(base, [])).toEqual(base);
  });

  test("that makes a folder of a file is refused", () => {
    const message = inputErrorOf(() =>
      overlay(site({ "v1/network/index.json": "{}" }), site({ v1: "mine" })),
    );
    expect(message).toBe('"v1" would be both a folder and a file of the site; rename it in public/.');
  });
});
