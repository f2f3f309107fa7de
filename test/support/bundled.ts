import { cpSync } from "node:fs";
import { basename, join } from "node:path";
import { buildSync } from "esbuild";

const root = join(import.meta.dirname, "../..");
const folder = join(root, "node_modules/.cache/mirrorfeed");

/** Returns the path of a test script, bundled with its modules of src/, so that Node.js can run it in a process. */
export function bundled(script: string): string {
  const outfile = join(folder, `${basename(script, ".js")}.mjs`);
  buildSync({
    entryPoints: [script],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    // Node.js loads one file in a quarter of the time of its packages. The CommonJS among them asks for modules of Node.
    mainFields: ["module", "main"],
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
    // As in the program.
    external: ["undici"],
    logLevel: "warning",
  });
  // The program looks for its own package above itself.
  cpSync(join(root, "package.json"), join(folder, "package.json"));
  return outfile;
}
