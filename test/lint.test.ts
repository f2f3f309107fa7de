import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startChild } from "./support/child.ts";

/**
 * `lint` checks the types too. They run beside the other tests, which mostly wait. Before them they would take a minute of one
 * processor.
 */
describe.concurrent("the scripts of package.json", () => {
  it.each(["lint", "format"])(
    "%s finds nothing",
    async (script) => {
      const folder = join(import.meta.dirname, "..");
      const { code, stdout, stderr } = await startChild("npm", ["run", "--silent", script], { folder })
        .ending;
      expect(code, stdout + stderr).toBe(0);
    },
    1_800_000,
  );
});
