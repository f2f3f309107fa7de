import { appendFileSync, copyFileSync, cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import ts from "typescript";
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

/** Compiles a file of a copy. Returns the text of a file that it imports, and every problem. */
export function compiled(
  copy: string,
  entry: string,
  imported: string,
): { text: string | undefined; problems: string[] } {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), (file) => ts.sys.readFile(file));
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const typeRoots = [join(root, "node_modules/@types")];
  const program = ts.createProgram([join(copy, entry)], { ...options, typeRoots });
  const problems = ts
    .getPreEmitDiagnostics(program)
    .map(
      ({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`,
    );
  return { text: program.getSourceFile(join(copy, imported))?.text, problems };
}
