import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { execPath } from "node:process";

const root = join(import.meta.dirname, "../..");

/** Lets a project in another folder use the types installed here. */
export const typeRoots = [join(root, "node_modules/@types")];

export interface Project {
  readonly extends?: string;
  readonly files: readonly string[];
  readonly compilerOptions: Readonly<Record<string, unknown>>;
}

/**
 * Type-checks a project with this repository's TypeScript. Returns the files of the project, and problems such as
 * "a.mts(1,2): error TS2322: …".
 */
export function typeCheck(folder: string, project: Project): { files: string[]; problems: string[] } {
  const config = join(folder, "type-check.json");
  writeFileSync(config, JSON.stringify({ include: [], ...project }));
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const parameters = ["--project", config, "--noEmit", "--incremental", "false", "--listFiles"];
  const { stdout, stderr, error } = spawnSync(execPath, [compiler, ...parameters, "--pretty", "false"], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 16_000_000,
  });
  if (error !== undefined) throw error;
  if (stderr !== "") throw new Error(stderr);
  // Indented lines continue the previous problem.
  const lines = stdout.trimEnd().split(/\n(?!\s)/);
  const isProblem = (line: string): boolean => /^(?:\S+\(\d+,\d+\): )?error TS\d+: /.test(line);
  return { files: lines.filter((line) => !isProblem(line)), problems: lines.filter(isProblem) };
}
