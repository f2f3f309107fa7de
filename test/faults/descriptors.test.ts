import { expect, test } from "vitest";
import { startServer } from "../support/mirror-server.ts";
import { silent } from "../../src/features/demo/behaviours.ts";
import { advertisement } from "../support/advertisement.ts";
import { program, sentenceOf, startChild } from "../support/child.ts";
import { closeAfterTest } from "../support/close-after-test.ts";
import { newRemote } from "../support/git.ts";
import { writeOneTarget } from "../support/one-target.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();

const isLinux = process.platform === "linux";

test.skipIf(!isLinux)("mirrors wait for a free descriptor (needs the whole of 127.0.0.0/8)", async () => {
  const [good, quiet] = await Promise.all(
    [advertisement(), silent()].map(async (behaviour) =>
      closeAfterTest(await startServer(behaviour, { host: "0.0.0.0" })),
    ),
  );
  const urls = Array.from({ length: 150 }, (_, index) => {
    // The silent mirrors come first, so that they hold every available descriptor.
    return `http://127.2.0.${index}:${(index < 120 ? quiet?.port : good?.port) ?? 0}/a`;
  });
  writeOneTarget(folder, urls, {
    probe: { allowPrivate: true, timeout: "3s", attempts: 1, perHost: 600, concurrency: 600 },
  });
  const limited = 'ulimit -n 100 && exec "$0" "$@"';
  const parameters = ["-c", limited, process.execPath, program, "probe", "--json"];
  const { code, stdout, stderr } = await startChild("sh", parameters, { folder }).ending;
  expect([code, stderr]).toEqual([0, ""]);
  const { observations }: { observations: { id: number; code: string }[] } = JSON.parse(stdout);
  expect(observations.map((seen) => seen.id)).toEqual(urls.map((_, index) => index + 1));
  expect(observations.slice(0, 120).filter((seen) => seen.code !== "timeout")).toEqual([]);
  expect(quiet?.requests).toBe(120);
  expect(good?.requests).toBe(30);
});

test.each(["missing/folder", "/missing/folder"])("TMPDIR=%s ends by a sentence", async (temporary) => {
  writeOneTarget(folder, ["http://127.0.0.1:9/a"]);
  const parameters = [program, "run", "--state", "branch:state", "--state-remote", await newRemote()];
  const environment = { TMPDIR: temporary };
  const ended = await startChild(process.execPath, parameters, { folder, environment }).ending;
  expect(sentenceOf(ended)).toMatch(/^Cannot create a temporary folder in \/.*missing\/folder: .*set TMPDIR/);
});
