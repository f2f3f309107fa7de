import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startChild } from "./support/child.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const root = join(import.meta.dirname, "..");

test("the linter refuses arrows between features that form a circle", async () => {
  const folder = temporaryFolder();
  const config = readFileSync(join(root, "oxlint.config.js"), "utf8");
  writeFileSync(join(folder, "oxlint.config.js"), config.replace(/^};$/m, '  client: ["pick"],\n$&'));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  mkdirSync(join(folder, "src/features"), { recursive: true });
  const parameters = ["--config", "oxlint.config.js", "src"];
  const oxlint = join(root, "node_modules/.bin/oxlint");
  const { code, stdout, stderr } = await startChild(oxlint, parameters, { folder }).ending;
  expect(stdout + stderr).toContain("contain a circle: client → pick → client.");
  expect(code).toBe(1);
});

test("the linter finds circles of types, imports that the layers forbid, and a dependency away from its home", async () => {
  const folder = temporaryFolder();
  for (const name of ["package.json", "oxlint.config.js", "tsconfig.json"])
    copyFileSync(join(root, name), join(folder, name));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  for (const room of ["core/base/text", "core/kinds", "core/state", "features/badges", "features/lists"])
    mkdirSync(join(folder, "src", room), { recursive: true });
  const files = {
    "src/core/base/text/one.ts":
      'import type { Two } from "./two.ts";\nexport interface One {\n  two: Two;\n}\n',
    "src/core/base/text/two.ts":
      'import type { One } from "./one.ts";\nexport interface Two {\n  one: One;\n}\n',
    "src/core/base/text/above.ts": 'export { kind } from "../../kinds/kind.ts";\n',
    "src/core/kinds/kind.ts":
      'import { Client } from "undici";\nexport const kind: unknown = new Client("https://a");\n',
    "src/core/state/state.ts": "export const state = 1;\n",
    "src/features/badges/badge.ts": 'export { state } from "../../core/state/state.ts";\n',
    "src/features/lists/list.ts": 'export { state } from "../badges/badge.ts";\n',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const parameters = ["--config", "oxlint.config.js", "--format", "unix", "src"];
  const { code, stdout } = await startChild(join(root, "node_modules/.bin/oxlint"), parameters, { folder })
    .ending;
  const problems = stdout.split("\n").filter((line) => line.startsWith("src/"));
  const found = problems.map((line) => line.replace(/^(.*?):.*\[Error\/(.*)\]$/, "$1 $2")).sort();
  expect(found).toEqual([
    "src/core/base/text/above.ts eslint(no-restricted-imports)",
    "src/core/base/text/one.ts import(no-cycle)",
    "src/core/base/text/two.ts import(no-cycle)",
    "src/core/kinds/kind.ts eslint(no-restricted-imports)",
    "src/features/badges/badge.ts eslint(no-restricted-imports)",
    "src/features/lists/list.ts eslint(no-restricted-imports)",
  ]);
  expect(code).toBe(1);
});
