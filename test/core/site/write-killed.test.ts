import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { InputError } from "../../../src/core/base/errors.ts";
import { isFinished } from "../../../src/core/site/manifest.ts";
import { writeSite } from "../../../src/core/site/write.ts";
import { bundled } from "../../support/bundled.ts";
import { everything, pages, published, put, site, writtenSite } from "../../support/folder.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { randomNumbers, trials } from "../../support/trials.ts";
import { trees } from "./sites.ts";

const preload = pathToFileURL(join(import.meta.dirname, "../../faults/die-at-step.js")).href;
const script = bundled(fileURLToPath(new URL("write-forever.js", import.meta.url)));
const kills = trials(40, 400);

/** Three writes of a site make about this many changes on disk. The first of them creates most folders. */
const maxStep = 1500;

/** Starts a writer that kills itself before the given change on disk, and waits for it to end. */
async function writeUntil(step: number, out: string): Promise<void> {
  const child = spawn(process.execPath, ["--import", preload, script, out], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...env, DIE_STEP: String(step) },
  });
  const [, signal] = (await once(child, "exit")) as [number | null, string | null];
  expect(signal).toBe("SIGKILL");
}

test(`killed before ${kills} changes of the disk, every document is whole and the next write repairs the rest`, async () => {
  const random = randomNumbers();
  const out = join(temporaryFolder(), "_site");
  let unfinished = 0;
  let leftovers = 0;
  for (let turn = 0; turn < kills; turn += 1) {
    if (turn % 4 === 0) rmSync(out, { recursive: true, force: true });
    await writeUntil(1 + Math.floor(random() * maxStep), out);
    const found = existsSync(out) ? everything(out) : {};
    for (const [path, content] of Object.entries(found)) {
      const isDocument = content !== "/" && !path.startsWith(".mirrorfeed");
      if (isDocument) expect(trees.map((tree) => tree[path] === content)).toContain(true);
    }
    if (existsSync(out) && !isFinished(out)) unfinished += 1;
    if (Object.keys(found).some((path) => path.endsWith(".tmp"))) leftovers += 1;
    const wanted = trees[Math.floor(random() * trees.length)] ?? {};
    writeSite(out, site(wanted));
    const { ".mirrorfeed/manifest.json": manifest, ...rest } = everything(out);
    expect(rest).toEqual(wanted);
    expect(manifest).toContain('"finished":true');
  }
  expect(unfinished).toBeGreaterThan(0);
  expect(leftovers).toBeGreaterThan(0);
});

describe("the remains of a killed run", () => {
  const leftover = ".mirrorfeed/01234567-89ab-cdef-0123-456789abcdef.tmp";

  test("a temporary file goes, a file of another program stays", () => {
    const out = writtenSite(pages);
    put(out, { [leftover]: "half a docum", ".mirrorfeed/state.json": "{}" });
    writeSite(out, site(pages));
    expect(Object.keys(everything(out)).filter((path) => path.startsWith(".mirrorfeed"))).toEqual([
      ".mirrorfeed/manifest.json",
      ".mirrorfeed/state.json",
    ]);
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
    const write = (): void => {
      writeSite(out, site(wanted), () => {
        mkdirSync(join(out, "taken"), { recursive: true });
      });
    };
    expect(write).toThrow(
      new InputError(
        `${out} cannot be written: there is a folder where the file should be; remove it or choose another folder with --out.`,
      ),
    );
    expect(isFinished(out)).toBe(false);
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
