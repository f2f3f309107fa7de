import { copyFileSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { buildSync } from "esbuild";
import type { ProcessExit } from "./child.ts";
import { typeCheck, typeRoots } from "./compiler.ts";
import { runInProcess, type RunCommandLine } from "./in-process.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const root = join(import.meta.dirname, "../..");

/**
 * Copies the source into a new folder. The only part of the build output in the copy is dist/public, which every site gets.
 */
export function copySource(): string {
  const copy = temporaryFolder();
  cpSync(join(root, "src"), join(copy, "src"), { recursive: true });
  for (const name of ["package.json", "tsconfig.json"]) copyFileSync(join(root, name), join(copy, name));
  mkdirSync(join(copy, "dist"));
  for (const name of ["node_modules", "public", "dist/public"])
    symlinkSync(join(root, name), join(copy, name));
  return copy;
}

/** Copies an example from the tests to the same place in the copy's source. */
export function copyExample(copy: string, path: string): void {
  copyFileSync(join(root, "test", path), join(copy, "src", path));
}

/** Replaces a text in a file of the copy's source. Throws Error unless the file contains it once. */
export function editSource(copy: string, path: string, before: string, after: string): void {
  const file = join(copy, "src", path);
  const parts = readFileSync(file, "utf8").split(before);
  if (parts.length !== 2) throw new Error(`${path} does not contain ${before} once.`);
  writeFileSync(file, parts.join(after));
}

/** Adds an import to a file of the copy's source. */
export function addImport(copy: string, path: string, name: string, from: string): void {
  const file = join(copy, "src", path);
  writeFileSync(file, `import { ${name} } from "${from}";\n${readFileSync(file, "utf8")}`);
}

/** Runs the copy's program in this process. */
export type ProgramOfCopy = (folder: string, ...parameters: readonly string[]) => Promise<ProcessExit>;

/** Bundles the copy's program, and the given other files of its `src/`, into its `dist/`. */
export async function buildCopy(copy: string, ...others: readonly string[]): Promise<ProgramOfCopy> {
  buildSync({
    entryPoints: ["app/commands/program.ts", ...others].map((path) => join(copy, "src", path)),
    outdir: join(copy, "dist"),
    outbase: join(copy, "src"),
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "warning",
  });
  const url = pathToFileURL(join(copy, "dist/app/commands/program.js")).href;
  const { runCommandLine } = (await import(/* @vite-ignore */ url)) as { runCommandLine: RunCommandLine };
  return (folder, ...parameters) => runInProcess(parameters, { folder }, runCommandLine);
}

/** Type-checks a file of the copy and its imports. */
export function compiled(copy: string, entry: string): { files: string[]; problems: string[] } {
  const { files, problems } = typeCheck(copy, {
    extends: join(root, "tsconfig.json"),
    files: [entry],
    compilerOptions: { typeRoots },
  });
  return { files: files.map((file) => relative(copy, file)), problems };
}
