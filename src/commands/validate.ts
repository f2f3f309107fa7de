import { loadConfig } from "../config/load.ts";
import { listNodes } from "../config/nodes.ts";
import type { ExitCode, Setting } from "./setting.ts";

export interface ValidateOptions {
  readonly config: string;
}

/** Checks mirrors.json, without any network. */
export async function validate({ config: file }: ValidateOptions, setting: Setting): Promise<ExitCode> {
  const nodes = listNodes(await loadConfig(file));
  const count = (level: (node: (typeof nodes)[number]) => string): number => new Set(nodes.map(level)).size;
  const projects = count(({ system, project }) => `${system}/${project}`);
  const targets = count(({ system, project, target }) => `${system}/${project}/${target}`);
  setting.print(
    `${file} is right: systems ${count(({ system }) => system)}, projects ${projects}, targets ${targets}, nodes ${nodes.length}.`,
  );
  return 0;
}
