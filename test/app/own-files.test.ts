import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { listNodes } from "../../src/core/config/nodes.ts";
import { loadOwnFiles } from "../../src/app/own-files.ts";
import { configOf, noon, play, textsOf } from "../support/playing.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

test("the operator's files are copied, except notices", async () => {
  const config = configOf();
  const folder = temporaryFolder("mirrorfeed-own-files-");
  for (const path of ["a.txt", "incidents/a.md", "incidents/b.txt"]) {
    mkdirSync(dirname(join(folder, "public", path)), { recursive: true });
    writeFileSync(join(folder, "public", path), path);
  }
  const own = await loadOwnFiles(folder, listNodes(config));
  const { feed } = play(config, [{ at: noon }]);
  expect([...textsOf(own(feed)).keys()]).toEqual(["a.txt", "incidents/b.txt"]);
});
