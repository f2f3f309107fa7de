import type { Answers } from "./answers.ts";
import { shellWord } from "../../base/text/quote.ts";

/** Where the folder of the feed is: at the top of a Git repository, below the top, or in none. */
export type Repository = "top" | "below" | "none";

/** Returns what the user does next, one line for each step, with the exact commands. */
export function nextSteps(answers: Answers, folder: string, repository: Repository, pin: string): string[] {
  const npx = pin.startsWith("mirrorfeed@") ? "npx mirrorfeed" : `npx --yes ${shellWord(pin)}`;
  const enter = folder === "." ? [] : [`cd ${shellWord(folder)}`];
  const { host, schedule, url } = answers;
  const begin = repository === "none" ? "git init -b main && " : "";
  const commit = `${begin}git add . && git commit -m "Mirror feed"    # then push it to GitHub`;
  const profile = host.profile === undefined ? "" : ` --profile ${host.profile}`;
  return [
    ...enter,
    `${npx} run      # probes the mirrors and writes _site/`,
    `${npx} serve    # shows the site at http://127.0.0.1:8080`,
    ...host.delivery.steps({ host, command: npx, commit, every: schedule.text }),
    ...(url === undefined ? [] : [`${npx} verify ${shellWord(url)}${profile}`]),
  ];
}
