import { cpSync } from "node:fs";
import { basename, join } from "node:path";
import { buildSync } from "esbuild";

const root = join(import.meta.dirname, "../..");
const folder = join(root, "node_modules/.cache/mirrorfeed");

/** Bundles a test script with the modules it imports from src/, so that Node.js can run it. Returns the bundle's path. */
export function bundled(script: string): string {
  const outfile = join(folder, `${basename(script, ".js")}.mjs`);
  buildSync({
    entryPoints: [script],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    // One bundled file loads four times faster than separate packages. CommonJS packages in the bundle load Node.js modules
    // with `require`, so the banner defines it.
    mainFields: ["module", "main"],
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
    external: ["undici"],
    logLevel: "warning",
  });
  // The program imports its own package by name, so Node.js must find its package.json next to the bundle.
  cpSync(join(root, "package.json"), join(folder, "package.json"));
  return outfile;
}
