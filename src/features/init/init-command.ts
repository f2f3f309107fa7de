import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import { pathExists, refuseExisting, writeNewFiles } from "../../core/base/files/new-files.ts";
import type { SiteFile } from "../../core/base/files/site-file.ts";
import {
  addAnswerOptions,
  type Answers,
  defaultAnswers,
  type InitFlags,
  parseAnswers,
  refuseInvalidFlags,
} from "./answers.ts";
import { ignoredPaths, initFiles } from "./files.ts";
import { feedProgram, type FeedProgram, remoteOf } from "./feed-program.ts";
import { askMissing } from "./questions.ts";
import { workflowPath } from "./workflow.ts";
import type { ExitCode, CommandContext, Terminal } from "../../core/base/terminal/context.ts";
import { findHost } from "../hosts/host-registry.ts";
import { privateUrlsProblem } from "../../core/config/warnings.ts";
import { formatList } from "../../core/base/text/count.ts";
import { shellWord } from "../../core/base/text/quote.ts";
import { type Execute, type Notes, type OptionsOf, sharedOptions } from "../../core/command/command.ts";
import { readText } from "../../core/base/files/read-text.ts";

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
  refuseInvalidFlags(flags);
  // Refuse an existing feed before asking any questions.
  await refuseExisting(folder, ["mirrors.json", "mirrors.schema.json"], overwritesNothing);
  const repository = repositoryOf(folder);
  const remote = repository === "top" ? await remoteOf(folder, context) : undefined;
  const asked = yes === true ? undefined : terminal;
  const why = yes === true ? "With --yes, nothing is asked" : "Without a terminal, nothing is asked";
  const answers = await findAnswers(flags, remote, context, asked, why);
  const program = await findProgram(context);
  const { greatestUsedId } = await import("../add/used-ids.ts");
  const usedId = await greatestUsedId(folder, join(folder, sharedOptions.state[2]), context);
  const files = await initFiles(answers, program, usedId);
  await refuseExisting(
    folder,
    files.map(({ path }) => path),
    overwritesNothing,
  );
  const { file, lacking } = await gitignore(folder);
  const written = [...files, ...file];
  await writeNewFiles(folder, written, overwritesNothing);
  context.output(
    `Wrote ${formatList(
      written.map(({ path }) => join(folder, path)),
      "and",
    )}.`,
  );
  if (lacking.length > 0)
    context.log(`${join(folder, ".gitignore")} already exists; add ${formatList(lacking, "and")} to it.`);
  logUrlWarnings(answers, flags, remote, context);
  if (repository === "below" && files.some(({ path }) => path === workflowPath))
    context.log(
      `${folder} is not the top folder of its Git repository, and GitHub finds workflows only there.`,
    );
  context.log(["Next:", ...nextSteps(answers, folder, repository, program.pin)].join("\n  "));
  return 0;
}

async function findAnswers(
  flags: InitFlags,
  remote: string | undefined,
  { interrupt }: CommandContext,
  terminal: Terminal | undefined,
  why: string,
): Promise<Answers> {
  if (terminal !== undefined)
    return parseAnswers(await askMissing(flags, terminal, interrupt, remote), "A question was not answered");
  const url = flags.url ?? findHost(flags.host ?? defaultAnswers.host)?.urlOfRemote?.(remote ?? "");
  return parseAnswers({ ...flags, url }, why);
}

/** Warns about a site URL guessed from the remote, and about private URLs that will not be probed. */
function logUrlWarnings(
  answers: Answers,
  flags: InitFlags,
  remote: string | undefined,
  context: CommandContext,
): void {
  const { url, host } = answers;
  if (url !== undefined && flags.url === undefined && url === host.urlOfRemote?.(remote ?? ""))
    context.log(
      `The site will be at ${url}, according to the remote origin; if you use your own domain, change site.url in mirrors.json.`,
    );
  const problem = answers.allowPrivate
    ? undefined
    : privateUrlsProblem([...answers.mirrors, ...answers.control]);
  if (problem !== undefined) context.log(`Warning: ${problem}.`);
}

/** Returns a new .gitignore, or the lines missing from the existing one. */
async function gitignore(
  folder: string,
): Promise<{ readonly file: readonly SiteFile[]; readonly lacking: readonly string[] }> {
  const path = join(folder, ".gitignore");
  if (!(await pathExists(path)))
    return { file: [{ path: ".gitignore", content: `${ignoredPaths.join("\n")}\n` }], lacking: [] };
  const text = await readText(path, 1024 * 1024, "repair it");
  const lines = new Set(text.split(/\r?\n/).map((line) => line.trim().replaceAll(/^\/|\/$/g, "")));
  return { file: [], lacking: ignoredPaths.filter((line) => !lines.has(line.replace(/\/$/, ""))) };
}

/** Whether the feed's folder is the top folder of a Git repository, is below the top, or is in no repository. */
type Repository = "top" | "below" | "none";

function repositoryOf(folder: string): Repository {
  const top = resolve(folder);
  if (existsSync(join(top, ".git"))) return "top";
  for (let above = dirname(top), below = top; above !== below; below = above, above = dirname(above))
    if (existsSync(join(above, ".git"))) return "below";
  return "none";
}

function nextSteps(answers: Answers, folder: string, repository: Repository, pin: string): string[] {
  const npx = pin.startsWith("mirrorfeed@") ? "npx mirrorfeed" : `npx --yes ${shellWord(pin)}`;
  const enter = folder === "." ? [] : [`cd ${shellWord(folder)}`];
  const { host, interval, url } = answers;
  const begin = repository === "none" ? "git init -b main && " : "";
  const commit = `${begin}git add . && git commit -m "Mirror feed"    # then push it to GitHub`;
  const profile = host.profile === undefined ? "" : ` --profile ${host.profile}`;
  return [
    ...enter,
    `${npx} run      # probes the mirrors and writes _site/`,
    `${npx} serve    # shows the site at http://127.0.0.1:8080`,
    ...host.delivery.steps({ host, command: npx, commit, every: interval }),
    ...(url === undefined ? [] : [`${npx} verify ${shellWord(url)}${profile}`]),
  ];
}
