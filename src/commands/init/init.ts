import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readText } from "../../config/load.ts";
import type { SiteFile } from "../../site-file.ts";
import { type Answers, type InitFlags, readAnswers, refuseFaults, sentenceList } from "./answers.ts";
import { ignored, initFiles } from "./files.ts";
import { packagePin } from "./pin.ts";
import { askMissing, type Terminal } from "./questions.ts";
import { nextSteps, type Repository } from "./steps.ts";
import { workflowPath } from "./workflow.ts";
import { isThere, refuseExisting, writeNew } from "./write.ts";
import type { ExitCode, Setting } from "../setting.ts";

export interface InitOptions extends InitFlags {
  /** Whether nothing is asked, be there a terminal or not. */
  readonly yes?: boolean | undefined;
}

/**
 * Makes mirrors.json and what refreshes it in a folder, from flags and, on a terminal, from questions. Nothing that is
 * there is overwritten, and where one file cannot be written none is.
 */
export async function init(
  folder: string,
  { yes, ...flags }: InitOptions,
  setting: Setting,
  terminal: Terminal | undefined,
): Promise<ExitCode> {
  refuseFaults(flags);
  // Before anybody answers questions for nothing.
  await refuseExisting(folder, ["mirrors.json", "mirrors.schema.json"]);
  const answers = await findAnswers(flags, yes === true, setting, terminal);
  const files = initFiles(answers, await packagePin());
  await refuseExisting(
    folder,
    files.map(({ path }) => path),
  );
  const { file, lacking } = await gitignore(folder);
  const written = [...files, ...file];
  await writeNew(folder, written);
  setting.print(`Wrote ${sentenceList(written.map(({ path }) => join(folder, path)))}.`);
  if (lacking.length > 0)
    setting.tell(`${join(folder, ".gitignore")} is left as it is; add ${sentenceList(lacking)} to it.`);
  const repository = repositoryOf(folder);
  if (repository === "below" && files.some(({ path }) => path === workflowPath))
    setting.tell(`${folder} is below the top of a git repository, and GitHub finds workflows only there.`);
  setting.tell(["Next:", ...nextSteps(answers, folder, repository)].join("\n  "));
  return 0;
}

async function findAnswers(
  flags: InitFlags,
  asksNothing: boolean,
  { interrupt }: Setting,
  terminal: Terminal | undefined,
): Promise<Answers> {
  if (asksNothing) return readAnswers(flags, "With --yes nothing is asked");
  if (terminal === undefined) return readAnswers(flags, "Without a terminal nothing is asked");
  return readAnswers(await askMissing(flags, terminal, interrupt), "Something was not answered");
}

/** The .gitignore of a folder that has none; else the lines that the one it has lacks. */
async function gitignore(
  folder: string,
): Promise<{ readonly file: readonly SiteFile[]; readonly lacking: readonly string[] }> {
  const path = join(folder, ".gitignore");
  if (!(await isThere(path)))
    return { file: [{ path: ".gitignore", content: `${ignored.join("\n")}\n` }], lacking: [] };
  const text = await readText(path, 1024 * 1024, "mend it");
  const lines = new Set(text.split(/\r?\n/).map((line) => line.trim().replaceAll(/^\/|\/$/g, "")));
  return { file: [], lacking: ignored.filter((line) => !lines.has(line.slice(0, -1))) };
}

function repositoryOf(folder: string): Repository {
  const top = resolve(folder);
  if (existsSync(join(top, ".git"))) return "top";
  for (let above = dirname(top), below = top; above !== below; below = above, above = dirname(above))
    if (existsSync(join(above, ".git"))) return "below";
  return "none";
}
