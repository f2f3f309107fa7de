import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { runInProcess } from "../../support/in-process.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

test("--once does the whole job in folders of its own", async () => {
  const folder = temporaryFolder();
  const { code, stdout, stderr } = await runInProcess(["demo", "--once"], { folder });
  expect(code).toBe(0);
  expect(stdout).toMatch(/\d+ mirrors: \d+ online, .*3 behind, 1 different, [1-9]\d* offline\./);
  for (const seen of "refused timeout http_status not_git auth not_http".split(" "))
    expect(stdout).toMatch(new RegExp(`○ offline .* ${seen} `));
  for (const seen of ["in sync", "too many requests", "behind for", "In maintenance: "])
    expect(stdout).toContain(seen);
  expect(stderr).toContain("files written");
  expect(readdirSync(folder)).toEqual([]);
});
