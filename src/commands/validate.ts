import { dirname } from "node:path";
import { formatPath } from "../config/json.ts";
import { readConfigText } from "../config/load.ts";
import { listNodes } from "../config/nodes.ts";
import type { Config } from "../config/schema.ts";
import { checkConfig, formatProblems } from "../config/validate.ts";
import { InputError } from "../errors.ts";
import { visibleJson } from "../text/quote.ts";
import { jcb } from "../config/jcb.ts";
import { type Place, placesOf } from "../hosts/contract.ts";
import { remoteOf } from "../init/remote.ts";
import type { ExitCode, CommandContext } from "../terminal/context.ts";
import { configWarnings } from "../config/warnings.ts";

export interface ValidateOptions {
  readonly config: string;
  readonly client?: "jcb" | undefined;
  readonly json?: boolean | undefined;
}

/** How many warnings are printed. JSON has all of them. */
const maxShown = 20;

/**
 * Checks mirrors.json without a network. Returns 0 if it is valid, 2 if not. With `json` it prints an object with
 * `config`, `valid`, `counts` (if it is valid), `errors` and `warnings`.
 */
export async function validate(options: ValidateOptions, context: CommandContext): Promise<ExitCode> {
  const { config: file, client, json } = options;
  const checked = checkConfig(await readConfigText(file), file);
  if ("problems" in checked) {
    if (json !== true) throw new InputError(formatProblems(checked.problems, file));
    context.output(jsonOf({ config: file, valid: false, errors: checked.problems, warnings: [] }));
    return 2;
  }
  const { config, locate } = checked;
  const remote = await remoteOf(dirname(file), context);
  const warnings = configWarnings(config, { remote, client }).map(({ code, path, message }) => ({
    code,
    path: formatPath(path),
    line: locate(path),
    message,
  }));
  const counts = countsOf(config);
  if (json === true) {
    context.output(jsonOf({ config: file, valid: true, counts, errors: [], warnings }));
    return 0;
  }
  const { systems, projects, targets, nodes } = counts;
  context.output(
    `${file} is right: systems ${systems}, projects ${projects}, targets ${targets}, nodes ${nodes}.`,
  );
  for (const { path, line, message } of warnings.slice(0, maxShown))
    context.log(`Warning: ${path}: ${message} (line ${line}).`);
  if (warnings.length > maxShown)
    context.log(`Warnings not shown: ${warnings.length - maxShown}; --json has all of them.`);
  if (warnings.some(({ code }) => code === "client")) context.log(`${jcb.name} reads URLs in ${jcb.source}.`);
  return 0;
}

function countsOf(config: Config): { systems: number; projects: number; targets: number; nodes: number } {
  const places = placesOf(config.systems);
  const count = (level: Place["level"]): number => places.filter((place) => place.level === level).length;
  return {
    systems: count("system"),
    projects: count("project"),
    targets: count("target"),
    nodes: listNodes(config).length,
  };
}

function jsonOf(result: object): string {
  return visibleJson(JSON.stringify(result, null, 2));
}
