import { dirname } from "node:path";
import { type Command, Option } from "@commander-js/extra-typings";
import { formatPath, type JsonPath } from "../../core/config/json-document.ts";
import { listNodes, type Node } from "../../core/config/nodes.ts";
import type { Config } from "../../core/config/config-schema.ts";
import { formatProblems, locate } from "../../core/config/validate.ts";
import { InputError } from "../../core/base/errors.ts";
import { formatCount } from "../../core/base/text/count.ts";
import { jcb, jcbWarnings } from "../jcb/jcb.ts";
import { configWarnings } from "../../core/config/warnings.ts";
import { type CommandContext, type ExitCode, logSome } from "../../core/base/terminal/context.ts";
import {
  type CommandFile,
  type Notes,
  offline,
  type OptionsOf,
  sharedOptions,
} from "../../core/command/command.ts";

const notes: Notes = {
  examples: [
    "mirrorfeed validate --config feeds/mirrors.json --json",
    "mirrorfeed validate --probe-new origin/main",
  ],
  exitCodes: { 1: "a new mirror is not reachable", 3: offline },
};

/** What other features have to say about a configuration. */
export interface ConfigChecks {
  /** Returns problems that only the values of environment variables show. */
  readonly problemsOf: (
    config: Config,
    environment: CommandContext["environment"],
  ) => Promise<readonly { readonly path: JsonPath; readonly message: string }[]>;
  /** Returns why `site.interval` does not suit the runs of the site in `out`, if so. */
  readonly intervalProblemOf: (config: Config, out: string) => string | undefined;
  /** Rejects with InputError if a file in `public/` cannot be published. */
  readonly loadOwnFiles: (configFolder: string, nodes: readonly Node[]) => Promise<unknown>;
}

export function validateWith(checks: ConfigChecks): CommandFile {
  return {
    notes,
    declare: (command, execute) => {
      addOptions(command).action((options) => execute((context) => validate(options, checks, context)));
    },
  };
}

function addOptions(command: Command) {
  return command
    .option(...sharedOptions.config)
    .option(...sharedOptions.out)
    .option(
      "--probe-new <base>",
      "probe the mirrors added since a Git revision, such as origin/main, or since an older file, such as before.json",
    )
    .option(...sharedOptions.allowPrivate)
    .option(...sharedOptions.dns)
    .addOption(
      new Option(
        "--client <name>",
        "warn about anything this client misreads or can't read; jcb is Joomla Component Builder",
      ).choices(["jcb"] as const),
    )
    .option(...sharedOptions.json);
}

export type ValidateOptions = OptionsOf<typeof addOptions>;

/**
 * Checks mirrors.json. Only `probeNew` uses the network. Returns 0 if the file is valid, 1 if a new mirror is
 * unreachable, 2 if the file is not valid, 3 if this machine is offline. With `json`, prints an object with `config`,
 * `valid`, `counts` (if valid), `errors`, `warnings` and `probed` (with `probeNew`).
 */
export async function validate(
  options: ValidateOptions,
  checks: ConfigChecks,
  context: CommandContext,
): Promise<ExitCode> {
  const { config: file, json, allowPrivate, dns, probeNew: base } = options;
  const misplaced = allowPrivate === true ? "--allow-private" : dns === undefined ? undefined : "--dns";
  if (base === undefined && misplaced !== undefined)
    throw new InputError(`${misplaced} needs --probe-new; add --probe-new or leave out ${misplaced}.`);
  const printJson = (result: object): void => {
    context.output(JSON.stringify({ config: file, ...result }, null, 2));
  };
  const { checkConfigFile } = await import("../../core/config/load.ts");
  // With --probe-new, mirrors.json may be a stranger's proposal, so the files that it names are not read.
  const checked = await checkConfigFile(file, base === undefined);
  const problems =
    "problems" in checked
      ? checked.problems
      : locate(await checks.problemsOf(checked.config, context.environment), checked.lineOf);
  if ("problems" in checked || problems.length > 0) {
    if (json !== true) throw new InputError(formatProblems(problems, file));
    printJson({ valid: false, errors: problems, warnings: [] });
    return 2;
  }
  const { config, lineOf } = checked;
  const nodes = listNodes(config);
  const found = await warningsOf(config, nodes, options, checks);
  const warnings = found.map(({ code, path, message }) =>
    typeof path === "string"
      ? { code, path, line: undefined, message }
      : { code, path: formatPath(path), line: lineOf(path), message },
  );
  const projects = config.systems.flatMap((system) => system.projects);
  const targets = projects.flatMap((project) => project.targets).length;
  const counts = { systems: config.systems.length, projects: projects.length, targets, nodes: nodes.length };
  if (json !== true) {
    const counted = [formatCount(counts.systems, "system"), formatCount(counts.projects, "project")];
    counted.push(formatCount(targets, "target"), formatCount(nodes.length, "mirror"));
    context.output(`${file} is valid: ${counted.join(", ")}.`);
    const lines = warnings.map(({ path, line, message }) => {
      return `Warning: ${path}: ${message}${line === undefined ? "" : ` (line ${line})`}.`;
    });
    logSome("Warnings", lines, context);
    if (warnings.some(({ code }) => code === "client"))
      context.log(`Source code of ${jcb.name}'s client: ${jcb.source}.`);
  }
  const probe = async (from: string) =>
    (await import("./probe-new.ts")).probeNew(from, file, config, options, context);
  const probed = base === undefined ? undefined : await probe(base);
  if (json === true) printJson({ valid: true, counts, errors: [], warnings, probed: probed?.record });
  else if (probed !== undefined) context.output(probed.text);
  return probed?.exitCode ?? 0;
}

/** A warning about a notice has the notice's file as its path. */
async function warningsOf(
  config: Config,
  nodes: readonly Node[],
  { config: file, out, client, probeNew }: ValidateOptions,
  { intervalProblemOf, loadOwnFiles }: ConfigChecks,
): Promise<{ readonly code: string; readonly path: JsonPath | string; readonly message: string }[]> {
  const { goneWarnings, loadNotices } = await import("../incidents/notices.ts");
  const { loadWorkflows, workflowWarnings } = await import("../init/workflow-warnings.ts");
  const folder = dirname(file);
  await loadOwnFiles(folder, nodes);
  const notices = await loadNotices(folder, nodes);
  const interval = intervalProblemOf(config, out);
  return [
    ...(interval === undefined ? [] : [{ code: "interval", path: ["site", "interval"], message: interval }]),
    // With --probe-new, the probe itself reports new mirrors with private addresses.
    ...configWarnings(config).filter(({ code }) => probeNew === undefined || code !== "private_address"),
    ...(client === undefined ? [] : jcbWarnings(config)),
    ...workflowWarnings(config, await loadWorkflows(folder)),
    ...goneWarnings(notices).map((warning) => ({ code: "notice", ...warning })),
  ];
}
