import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { startServer } from "../../src/testbed/server.ts";
import { silent } from "../../src/testbed/behaviours.ts";
import { advertisement } from "../support/advertisement.ts";
import { program, sentenceOf, startChild } from "../support/child.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder("mirrorfeed-descriptors-");
});

function mirrors(urls: readonly string[]): object {
  const network = urls.map((url, index) => ({ id: index + 1, url }));
  const targets = [{ target: "packages", network }];
  const probe = { allowPrivate: true, timeout: "3s", attempts: 1, perHost: 600, concurrency: 600 };
  return { systems: [{ system: "a", projects: [{ project: "b", targets }] }], probe };
}

/** Runs the built program with so many descriptors and no more. */
async function probeWithin(descriptors: number, urls: readonly string[]) {
  writeFileSync(join(folder, "mirrors.json"), JSON.stringify(mirrors(urls)));
  const limited = `ulimit -n ${descriptors} && exec "$0" "$@"`;
  return startChild("sh", ["-c", limited, process.execPath, program, "probe", "--json"], { folder }).ending;
}

const isLinux = process.platform === "linux";

test.skipIf(!isLinux)("mirrors wait for a free descriptor (needs the whole of 127.0.0.0/8)", async () => {
  const [good, quiet] = await Promise.all(
    [advertisement(), silent()].map((behaviour) => startServer(behaviour, { host: "0.0.0.0" })),
  );
  try {
    const urls = Array.from({ length: 150 }, (_, index) => {
      // The silent ones come first, and so hold every descriptor there is.
      return `http://127.2.0.${index}:${(index < 120 ? quiet?.port : good?.port) ?? 0}/a`;
    });
    const { code, stdout, stderr } = await probeWithin(100, urls);
    expect([code, stderr]).toEqual([0, ""]);
    const { observations }: { observations: { id: number; code: string }[] } = JSON.parse(stdout);
    expect(observations.map((seen) => seen.id)).toEqual(urls.map((_, index) => index + 1));
    expect(observations.slice(0, 120).filter((seen) => seen.code !== "timeout")).toEqual([]);
    expect(quiet?.requests).toBe(120);
    expect(good?.requests).toBe(30);
  } finally {
    await Promise.all([good?.close(), quiet?.close()]);
  }
});

test.each(["missing/folder", "/missing/folder"])("TMPDIR=%s ends by a sentence", async (temporary) => {
  writeFileSync(join(folder, "mirrors.json"), JSON.stringify(mirrors(["http://127.0.0.1:9/a"])));
  execFileSync("git", ["init", "--quiet", "--bare", join(folder, "remote.git")]);
  const parameters = ["run", "--state", "branch:state", "--state-remote", join(folder, "remote.git")];
  const environment = { TMPDIR: temporary };
  const ended = await startChild(process.execPath, [program, ...parameters], { folder, environment }).ending;
  expect(sentenceOf(ended)).toMatch(/^No temporary folder can be made in \/.*missing\/folder: .*set TMPDIR/);
});
