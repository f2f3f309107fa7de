import { basename, join } from "node:path";
import { buildSync } from "esbuild";

const root = join(import.meta.dirname, "..");

/** A script of the tests that uses modules of src/, bundled so that node can run it in a process of its own. */
export function bundled(script: string): string {
  const outfile = join(root, "node_modules/.cache/mirrorfeed", `${basename(script, ".js")}.mjs`);
  buildSync({
    entryPoints: [script],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "warning",
  });
  return outfile;
}
