import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { host } from "../../src/commands/host.ts";
import { everything, put } from "../support/folder.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { recorded, sentence } from "../support/command-context.ts";

const network = [{ id: 1, url: "https://git.example.org/a/b" }];
const systems = [{ system: "s", projects: [{ project: "p", targets: [{ target: "t", network }] }] }];

/** Writes what nginx needs to a folder that `prepare` makes, or not. */
async function write(prepare: (out: string) => void): Promise<{ out: string; message: string }> {
  const folder = temporaryFolder();
  put(folder, { "mirrors.json": JSON.stringify({ systems }) });
  const out = join(folder, "out");
  prepare(out);
  const listen = { address: "127.0.0.1", port: 8080 };
  const options = { config: join(folder, "mirrors.json"), listen, root: "/srv/site", out };
  return { out, message: await sentence(host("nginx", options, recorded().context)) };
}

describe("where the files of a server cannot be written, one sentence says what helps", () => {
  test.each<[string, (out: string) => void, string]>([
    [
      "a file stands in the place of the folder",
      (out) => {
        symlinkSync("mirrors.json", out);
      },
      "a file stands where its folder must be; name another folder with --out.",
    ],
    [
      "a folder stands in the place of a file",
      (out) => {
        mkdirSync(join(out, "mirrorfeed.conf"), { recursive: true });
      },
      "a folder stands where a file must be; remove it or name another folder with --out.",
    ],
  ])("%s", async (_, prepare, reason) => {
    const { out, message } = await write(prepare);
    expect(message).toBe(`${out} cannot be written: ${reason}`);
  });

  test.skipIf(!existsSync("/dev/full"))("the disk is full", async () => {
    const { out, message } = await write((folder) => {
      mkdirSync(folder);
      symlinkSync("/dev/full", join(folder, "mirrorfeed.conf"));
    });
    expect(message).toBe(`${out} cannot be written: the disk is full; free some space and run again.`);
    expect(everything(out)).toEqual({ "mirrorfeed.conf": "-> /dev/full" });
  });
});
