import { dirname } from "node:path";
import { type Command, Option } from "@commander-js/extra-typings";
import { formatPath } from "../config/json.ts";
import { checkConfigFile } from "../config/load.ts";
import { listNodes } from "../config/nodes.ts";
import type { Config } from "../config/schema.ts";
import { formatProblems } from "../config/validate.ts";
import { InputError } from "../base/errors.ts";
import { loadNotices } from "../run/notices.ts";
import type { ProbedChange } from "../run/probe-new.ts";
import { quote, visibleJson } from "../base/text/quote.ts";
import { jcb, configWarnings } from "../config/warnings.ts";
import { type Place, placesOf } from "../contract/contract.ts";
import { loadWorkflows, remoteOf, workflowWarnings } from "./init/repository.ts";
import { type CommandContext, type ExitCode, logSome } from "../base/terminal/context.ts";
import { type Execute, type Notes, offline, type OptionsOf, sharedOptions } from "./command.ts";

export const notes: Notes = {
  examples: [
    "mirrorfeed validate --config feeds/mirrors.json --json",
    "mirrorfeed validate --probe-new origin/main",
  ],
  exitCodes: { 1: "a new mirror is not reachable", 3: offline },
};

export function declare(command: Command, execute: Execute): void {
  addOptions(command).action((options) => execute((context) => validate(options, context)));
}

function addOptions(command: Command) {
  return command
    .option(...sharedOptions.config)
    .option(
      "--probe-new <base>",
      "probe the mirrors that are new since a revision of Git, such as origin/main, or since another file",
    )
    .option(...sharedOptions.allowPrivate)
    .option(...sharedOptions.dns)
    .addOption(
      new Option(
        "--client <name>",
        "warn of URLs that a client reads differently; jcb is Joomla Component Builder",
      ).choices(["jcb"] as const),
    )
    .option(...sharedOptions.json);
}

export type ValidateOptions = OptionsOf<typeof addOptions>;

/** What may be a mistake. A file of its own has no line. */
interface Warning {
  readonly code: string;
  readonly path: string;
  readonly line?: number;
  readonly message: string;
}

/**
 * Checks mirrors.json, without a network unless `probeNew` names what its mirrors are compared with. Returns 0 if it is
 * valid, 1 if a new mirror is not reachable, 2 if it is not valid, 3 if the prober is offline. With `json` it prints an
 * object with `config`, `valid`, `counts` (if it is valid), `errors`, `warnings` and `probed` (with `probeNew`).
 */
export async function validate(options: ValidateOptions, context: CommandContext): Promise<ExitCode> {
  const { config: file, client, json } = options;
  refuseMisplaced(options);
  // Git is slow to start, so it runs meanwhile.
  const [remote, checked] = await Promise.all([remoteOf(dirname(file), context), checkConfigFile(file)]);
  if ("problems" in checked) {
    if (json !== true) throw new InputError(formatProblems(checked.problems, file));
    context.output(jsonOf({ config: file, valid: false, errors: checked.problems, warnings: [] }));
    return 2;
  }
  const { config, locate } = checked;
  const notices = await loadNotices(dirname(file), listNodes(config), context.now());
  const workflows = await loadWorkflows(dirname(file));
  const found = [...configWarnings(config, { remote, client }), ...workflowWarnings(config, workflows)];
  const warnings: Warning[] = found.map(({ code, path, message }) => ({
    code,
    path: formatPath(path),
    line: locate(path),
    message,
  }));
  for (const { name, gone } of notices) {
    const path = `public/incidents/${name}.md`;
    for (const one of gone) {
      const message = `${quote(String(one))} is not in mirrors.json; the page of this notice names it as text`;
      warnings.push({ code: "notice", path, message });
    }
  }
  const counts = countsOf(config);
  if (json === true) {
    const probed = await probeNewMirrors(config, options, context);
    context.output(
      jsonOf({ config: file, valid: true, counts, errors: [], warnings, probed: probed?.record }),
    );
    return probed?.exitCode ?? 0;
  }
  const { systems, projects, targets, nodes } = counts;
  context.output(
    `${file} is right: systems ${systems}, projects ${projects}, targets ${targets}, nodes ${nodes}.`,
  );
  const lines = warnings.map(({ path, line, message }) => {
    return `Warning: ${path}: ${message}${line === undefined ? "" : ` (line ${line})`}.`;
  });
  logSome("Warnings", lines, context);
  if (warnings.some(({ code }) => code === "client")) context.log(`${jcb.name} reads URLs in ${jcb.source}.`);
  const probed = await probeNewMirrors(config, options, context);
  if (probed !== undefined) context.output(probed.text);
  return probed?.exitCode ?? 0;
}

/** Throws InputError for an option that only a probe has. */
function refuseMisplaced({ probeNew, allowPrivate, dns }: ValidateOptions): void {
  const misplaced = allowPrivate === true ? "--allow-private" : dns === undefined ? undefined : "--dns";
  if (probeNew === undefined && misplaced !== undefined)
    throw new InputError(`${misplaced} is for a probe; add --probe-new, or leave it out.`);
}

/** Returns undefined if no probe is asked for. Only then are the modules of a probe not loaded. */
async function probeNewMirrors(
  config: Config,
  options: ValidateOptions,
  context: CommandContext,
): Promise<ProbedChange | undefined> {
  if (options.probeNew === undefined) return undefined;
  const { probeNew } = await import("../run/probe-new.ts");
  return probeNew(options.probeNew, options.config, config, options, context);
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
