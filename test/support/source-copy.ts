import { appendFileSync, copyFileSync, cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { buildSync } from "esbuild";
import { typeCheck, typeRoots } from "./compiler.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const root = join(import.meta.dirname, "../..");

/**
 * Returns a folder with a copy of the source, to which a guide adds its template as `file` of a room, and its line to the
 * registry. `dist/` in it has the entry points.
 */
export function sourceCopy(
  guide: string,
  room: "channels" | "kinds",
  file: string,
  entryPoints: readonly string[],
): string {
  const copy = temporaryFolder();
  cpSync(join(root, "src"), join(copy, "src"), { recursive: true });
  for (const name of ["package.json", "tsconfig.json"]) copyFileSync(join(root, name), join(copy, name));
  for (const name of ["node_modules", "public"]) symlinkSync(join(root, name), join(copy, name));
  const text = readFileSync(join(root, ".github/docs", guide), "utf8");
  const [, template = ""] = /^```ts\n(.*?)^```$/ms.exec(text) ?? [];
  const [, line = ""] = /registry\.ts`: `([^`]+)`/.exec(text) ?? [];
  writeFileSync(join(copy, "src", room, file), template);
  appendFileSync(join(copy, "src", room, "registry.ts"), `${line}\n`);
  buildSync({
    entryPoints: entryPoints.map((path) => join(copy, path)),
    outdir: join(copy, "dist"),
    outbase: join(copy, "src"),
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "warning",
  });
  return copy;
}

/** Checks the types of a file of a copy and of what it imports. Returns the paths of these files in the copy, and every problem. */
export function compiled(copy: string, entry: string): { files: string[]; problems: string[] } {
  const { files, problems } = typeCheck(copy, {
    extends: join(root, "tsconfig.json"),
    files: [entry],
    compilerOptions: { typeRoots },
  });
  return { files: files.map((file) => relative(copy, file)), problems };
}
