// Starts the benchmark: node test/bench/run.js [--size small] [--only probe]. Node.js 20 cannot run TypeScript, so the
// files are first bundled into a temporary folder, without the packages they import.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = import.meta.dirname;
const folder = mkdtempSync(join(tmpdir(), "mirrorfeed-bench-"));
try {
  symlinkSync(join(here, "../../node_modules"), join(folder, "node_modules"));
  // The bundle imports its own package by name, so the package.json must be next to the bundle.
  cpSync(join(here, "../../package.json"), join(folder, "package.json"));
  await build({
    entryPoints: ["main.ts", "origin-process.ts"].map((name) => join(here, name)),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: false,
    packages: "external",
    // Node.js does not find the names that this CommonJS package exports.
    alias: { "xz-decompress": fileURLToPath(import.meta.resolve("xz-decompress")) },
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "warning",
  });
  const main = [join(folder, "main.mjs"), ...process.argv.slice(2)];
  process.exitCode = spawnSync(process.execPath, main, { stdio: "inherit" }).status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
