import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import { addAnswerOptions, type Answers, parseAnswers } from "./answers.ts";
import { branchDelivery, type Delivery, siteBranch } from "../hosts/host.ts";
import {
  feedProgram,
  type FeedProgram,
  ignoredPaths,
  initFiles,
  workflowFiles,
  workflowPath,
} from "./files.ts";
import { refuseExisting, writeNewFiles } from "../../core/base/files/folders.ts";
import { askMissing } from "./questions.ts";
import { askGitIn, defaultBranchOf, ignoredOf, otherSites } from "./repository.ts";
import { loadWorkflows } from "./workflow-warnings.ts";
import type { CommandContext, ExitCode, Terminal } from "../../core/base/terminal/context.ts";
import { privateUrlsProblem } from "../../core/config/warnings.ts";
import { formatList } from "../../core/base/text/count.ts";
import { quote, shellWord } from "../../core/base/text/quote.ts";
import { type Execute, type Notes, type OptionsOf, sharedOptions } from "../../core/command/command.ts";

export const notes: Notes = {
  examples: [
    "mirrorfeed init status --host nginx --kind apt --suite bookworm",
    "mirrorfeed init --yes --mirror https://git.example.org/a/b --mirror https://github.com/a/b --system community --project a --target b",
  ],
  exitCodes: { 0: "the files are written", 130: "you cancelled" },
};

export function declare(command: Command, execute: Execute): void {
  addOptions(command).action((folder = ".", options) =>
    execute((context) => init(folder, options, context, context.terminal)),
  );
}

function addOptions(command: Command) {
  return addAnswerOptions(command)
    .argument("[folder]", "where to write the files; created if missing (default: .)")
    .option("--yes", "ask nothing");
}

const overwritesNothing = "init overwrites nothing; add mirrors with mirrorfeed add, or name another folder";

export type InitOptions = OptionsOf<typeof addOptions>;

/**
 * Creates mirrors.json and its workflows in a folder. On a terminal, asks for the flags that are missing. Overwrites
 * nothing, and writes either all files or none.
 */
export async function init(
  folder: string,
  { yes, ...flags }: InitOptions,
  context: CommandContext,
  terminal: Terminal | undefined,
  findProgram: (context: CommandContext) => Promise<FeedProgram> = feedProgram,
): Promise<ExitCode> {
  // Refuse an existing feed before asking any questions.
  refuseExisting(join(folder, "mirrors.json"), overwritesNothing);
  const isRepository = existsSync(join(folder, ".git"));
  const isAsking = terminal !== undefined && yes !== true;
  const ask = askGitIn(folder, context);
  const [remote] = isAsking && isRepository ? await ask("remote", "get-url", "origin") : [];
  const given = isAsking ? await askMissing(flags, terminal, context.interrupt, remote) : flags;
  const answers = parseAnswers(given);
  const isForPages = answers.host.delivery.workflow === "pages";
  const others = isForPages ? await otherSites(folder, await loadWorkflows(folder), ask) : [];
  const delivery = others.length === 0 ? answers.host.delivery : besideOthers;
  const { pin, files } = await findProgram(context);
  const { greatestUsedId } = await import("../add/config-file.ts");
  const usedId = await greatestUsedId(folder, join(folder, sharedOptions.state[2]), context);
  const gitignore = join(folder, ".gitignore");
  const isIgnoring = lstatSync(gitignore, { throwIfNoEntry: false }) !== undefined;
  const written = [
    ...initFiles(answers, usedId),
    ...(await workflowFiles(answers, { pin }, delivery, await defaultBranchOf(ask))),
    ...files,
    ...(isIgnoring ? [] : [{ path: ".gitignore", content: `${ignoredPaths.join("\n")}\n` }]),
  ];
  writeNewFiles(folder, written, overwritesNothing);
  const paths = written.map(({ path }) => path);
  const places = paths.map((path) => join(folder, path));
  context.output(`Wrote ${formatList(places, "and")}.`);
  if (isIgnoring)
    context.log(`${gitignore} already exists; add ${formatList(ignoredPaths, "and")}, if missing.`);
  for (const warning of warningsOf(answers, others, await ignoredOf(paths, ask)))
    context.log(`Warning: ${warning}.`);
  context.log(["Next:", ...nextSteps(answers, delivery, folder, isRepository, pin)].join("\n  "));
  return 0;
}

function warningsOf(
  { allowPrivate, mirrors }: Answers,
  others: readonly string[],
  hidden: readonly [path: string, pattern: string][],
): string[] {
  const ignored = hidden.map(
    ([path, pattern]) =>
      `Git ignores ${path}, because of the pattern ${quote(pattern)}; add the line !/${path} to .gitignore`,
  );
  const besides = `${formatList(others, "and")} can mean that this repository already has a site on GitHub Pages, which the feed would replace; so the workflow only pushes the feed to the branch ${siteBranch}; if there is no other site, set PUBLISH: pages in ${workflowPath}`;
  const urls = privateUrlsProblem(allowPrivate ? [] : mirrors);
  return [...ignored, ...(others.length > 0 ? [besides] : []), ...(urls === undefined ? [] : [urls])];
}

/** The steps of a feed whose repository already has a site. */
const besideOthers: Delivery = {
  ...branchDelivery,
  steps: (input) => [
    ...branchDelivery.steps(input).slice(0, -1),
    `Let the workflow of your site add that branch: see "Beside another site" in feed-on-github.md.`,
  ],
};

function nextSteps(
  { host, interval, url }: Answers,
  delivery: Delivery,
  folder: string,
  isRepository: boolean,
  pin: string,
): string[] {
  const npx = pin.startsWith("mirrorfeed@") ? "npx mirrorfeed" : `npx --yes ${shellWord(pin)}`;
  const enter = folder === "." ? [] : [`cd ${shellWord(folder)}`];
  const begin = isRepository ? "" : "git init -b main && ";
  const commit = `${begin}git add . && git commit -m "Mirror feed"    # then push it to GitHub`;
  const profile = host.profile === undefined ? "" : ` --profile ${host.profile}`;
  return [
    ...enter,
    `${npx} run      # probes the mirrors and writes _site/`,
    `${npx} serve    # shows the site at http://127.0.0.1:8080`,
    ...delivery.steps({ host, command: npx, commit, every: interval }),
    ...(url === undefined ? [] : [`${npx} verify ${shellWord(url)}${profile}`]),
  ];
}
