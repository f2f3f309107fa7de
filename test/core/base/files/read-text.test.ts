import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readText } from "../../../../src/core/base/files/read-text.ts";
import { sentence } from "../../../support/command-context.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

test("a file is read up to its limit, and a device not at all", async () => {
  const file = join(temporaryFolder(), "a");
  writeFileSync(file, "four");
  expect(await readText(file, 4, "shorten it")).toBe("four");
  expect(await sentence(readText(file, 3, "shorten it"))).toContain("is larger than");
  truncateSync(file, 2 ** 40);
  expect(await sentence(readText(file, 1024 * 1024, "shorten it"))).toBe(
    `${file} is larger than 1 MiB; shorten it.`,
  );
  expect(await sentence(readText("/dev/zero", 1024 * 1024, "shorten it"))).toBe(
    "/dev/zero is not a regular file; shorten it.",
  );
});
