import { expect, test } from "vitest";
import { startServer } from "../support/mirror-server.ts";
import { silent } from "../../src/features/demo/mirror-server.ts";
import { program, sentenceOf, startChild } from "../support/child.ts";
import { closeAfterTest } from "../support/close-after-test.ts";
import { newRemote } from "../support/git.ts";
import { writeOneTarget } from "../support/one-target.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();

const isLinux = process.platform === "linux";

test.skipIf(!isLinux)("without free descriptors, a run ends and accuses nobody", async () => {
  const quiet = closeAfterTest(await startServer(silent(), { host: "0.0.0.0" }));
  const urls = Array.from({ length: 150 }, (_, index) => `http://127.2.0.${index}:${quiet.port}/a`);
  writeOneTarget(folder, urls, {
    probe: { allowPrivate: true, timeout: "3s", attempts: 1, perHost: 600, concurrency: 600 },
  });
  const limited = 'ulimit -n 100 && exec "$0" "$@"';
  const parameters = ["-c", limited, process.execPath, program, "probe", "--json"];
  const ended = await startChild("sh", parameters, { folder }).ending;
  expect(sentenceOf(ended)).toMatch(/^The probe needs more open connections than this machine allows/);
});

test.each(["missing/folder", "/missing/folder"])("TMPDIR=%s ends by a sentence", async (temporary) => {
  writeOneTarget(folder, ["http://127.0.0.1:9/a"]);
  const parameters = [program, "run", "--state", "branch:state", "--state-remote", await newRemote()];
  const environment = { TMPDIR: temporary };
  const ended = await startChild(process.execPath, parameters, { folder, environment }).ending;
  expect(sentenceOf(ended)).toMatch(/^Cannot create a temporary folder in \/.*missing\/folder: .*set TMPDIR/);
});
