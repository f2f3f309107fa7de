import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { InputError } from "../../../src/core/base/errors.ts";
import type { LockOptions } from "../../../src/core/base/files/lock.ts";
import { readManifest, withSiteLock } from "../../../src/core/site/manifest.ts";
import { writeSite } from "../../../src/core/site/write.ts";
import { everything, expectRefusal, pages, put, site, writtenSite } from "../../support/folder.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { sentence } from "../../support/command-context.ts";

const id = "01234567-89ab-cdef-0123-456789abcdef";
const here = hostname().replaceAll(/[^\w-]/g, "_");
const processes = { pid: 4_000_000, isAlive: (pid: number) => pid === 4_000_002 };
const options: LockOptions = { processes, interrupt: new AbortController().signal, timeoutMs: 100 };

function never(): Promise<never> {
  return Promise.reject(new Error("The lock was had."));
}

describe("the lock of a site", () => {
  test("is in mirrorfeed's own folder, and gone afterwards", async () => {
    const out = writtenSite(pages);
    const before = everything(out);
    const entries = await withSiteLock(out, options, (checkLock) => {
      checkLock();
      return Promise.resolve(readdirSync(join(out, ".mirrorfeed")).sort());
    });
    expect(entries).toEqual(["lock", "manifest.json"]);
    expect(everything(out)).toEqual(before);
  });

  test("is gone after an action that fails", async () => {
    const out = writtenSite(pages);
    await expect(withSiteLock(out, options, never)).rejects.toThrow("The lock was had.");
    expect(readdirSync(join(out, ".mirrorfeed"))).toEqual(["manifest.json"]);
  });

  test("is never in a folder of another program", async () => {
    const out = temporaryFolder();
    put(out, { "readme.md": "mine" });
    const message = await sentence(withSiteLock(out, options, never));
    expect(message).toContain("contains files that mirrorfeed did not write");
    expect(everything(out)).toEqual({ "readme.md": "mine" });
  });

  test("lets one run after the other act", async () => {
    const out = writtenSite(pages);
    let inside = 0;
    const act = async (): Promise<number> => {
      inside += 1;
      const max = inside;
      await new Promise((resolve) => setTimeout(resolve, 5));
      inside -= 1;
      return max;
    };
    const all = Array.from({ length: 8 }, () => withSiteLock(out, { ...options, timeoutMs: 20_000 }, act));
    expect(await Promise.all(all)).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
  });
});

describe("the lock of another run", () => {
  test.each([true, false])("is detected before the site is changed, and left alone: %s", async (isThere) => {
    const out = writtenSite(pages);
    const locked = withSiteLock(out, options, (checkLock) => {
      if (isThere) writeFileSync(join(out, ".mirrorfeed/lock"), `${here}.4000002.${id}`);
      else rmSync(out, { recursive: true });
      checkLock();
      return never();
    });
    expect(await sentence(locked)).toBe(`${out} was removed, or taken over by another run; run again.`);
    expect(existsSync(join(out, ".mirrorfeed/lock"))).toBe(isThere);
  });

  test("shows in a write without a timer that its run goes on", async () => {
    const out = writtenSite(pages);
    const lock = join(out, ".mirrorfeed/lock");
    let touchedAt = 0;
    await withSiteLock(out, options, (checkLock) => {
      utimesSync(lock, 0, 0);
      checkLock();
      touchedAt = lstatSync(lock).mtimeMs;
      return Promise.resolve();
    });
    expect(Date.now() - touchedAt).toBeLessThan(60_000);
  });

  test("may be a link, through which nothing is written", async () => {
    const out = writtenSite(pages);
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, "");
    symlinkSync(file, join(out, ".mirrorfeed/lock"));
    expect(await sentence(withSiteLock(out, options, never))).toBe(
      `${out} cannot be written: its path contains a symbolic link that cannot be followed; remove the link or choose another folder with --out.`,
    );
    expect(readFileSync(file, "utf8")).toBe("");
  });
});

const page = { "index.html": "page" };

describe("the manifest is not trusted", () => {
  const whole = { schema: 1, finished: true, files: ["index.html"] };
  const outside = [
    ...["../victim", "/etc/passwd", "a/../../victim", "a//b", "a/", "./a", "..", "", "a\\..\\b", "a\0b"],
    ...[".mirrorfeed/manifest.json", ".MIRRORFEED/x", ".mirrorfeed./x", ".. /victim", `${"a/".repeat(600)}a`],
  ];

  test.each(outside.map((path) => [path.slice(0, 30), path]))(
    "a path that leaves the site is refused: %j",
    (_, path) => {
      const out = writtenSite(page);
      const hostile = { ...whole, files: [path] };
      put(out, { ".mirrorfeed/manifest.json": JSON.stringify(hostile), "../victim": "precious" });
      expectRefusal(out, {}, /manifest\.json is damaged; empty .* or choose/);
    },
  );

  test.each([
    ["empty", ""],
    ["cut off", JSON.stringify(whole).slice(0, -3)],
    ["not an object", "[]"],
    ["of another version", JSON.stringify({ ...whole, schema: 2 })],
    ["with an unknown key", JSON.stringify({ ...whole, extra: 1 })],
    ["with something else among its files", JSON.stringify({ ...whole, files: [1] })],
  ])("one that is %s is refused", (_, text) => {
    const out = writtenSite(page);
    put(out, { ".mirrorfeed/manifest.json": text });
    expectRefusal(out, page, /manifest\.json is damaged/);
    expect(() => readManifest(out)).toThrow(InputError);
  });

  test("one that is too large is not read", () => {
    const out = writtenSite(page);
    const tooLarge = JSON.stringify(whole).padEnd(128 * 1024 * 1024 + 1);
    put(out, { ".mirrorfeed/manifest.json": tooLarge });
    expect(() => writeSite(out, site(page))).toThrow(/manifest\.json is damaged/);
  });

  test("a folder or a link in its place is refused", () => {
    const out = writtenSite(page);
    const file = join(out, ".mirrorfeed/manifest.json");
    rmSync(file);
    mkdirSync(file);
    expectRefusal(out, page, /manifest\.json is damaged/);
    rmSync(file, { recursive: true });
    put(out, { "../manifest.json": JSON.stringify(whole) });
    symlinkSync("../../manifest.json", file);
    expectRefusal(out, page, /manifest\.json is damaged/);
  });
});
