import { readdirSync } from "node:fs";
import { expect, test } from "vitest";

test("only the entry point and the errors lie loose in src", () => {
  const loose = readdirSync("src", { withFileTypes: true }).filter((entry) => entry.isFile());
  expect(loose.map(({ name }) => name).sort()).toEqual(["cli.ts", "errors.ts"]);
});
