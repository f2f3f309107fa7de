import type { Answers } from "./answers.ts";
import { hosts } from "../../hosts/registry.ts";
import { deliveries } from "./files.ts";
import { siteBranch } from "./workflow.ts";
import { shellWord } from "../shell-word.ts";

/** Whether the folder of the feed is the top of a git repository, below one, or in none. */
export type Repository = "top" | "below" | "none";

/** What a person does next, a line each, with the exact commands. */
export function nextSteps(answers: Answers, folder: string, repository: Repository): string[] {
  const place = folder === "." ? [] : [`cd ${shellWord(folder)}`];
  const { url } = answers;
  const profile = answers.host === "github-pages" ? " --profile pages" : "";
  return [
    ...place,
    "npx mirrorfeed run      # probes the mirrors and writes _site/",
    "npx mirrorfeed serve    # shows it at http://127.0.0.1:8080",
    ...publishing(answers, repository),
    ...(url === undefined ? [] : [`npx mirrorfeed verify ${shellWord(url)}${profile}`]),
  ];
}

function publishing({ host, schedule }: Answers, repository: Repository): string[] {
  const begin = repository === "none" ? "git init -b main && " : "";
  const commit = `${begin}git add . && git commit -m "Mirror feed"    # then push it to GitHub`;
  switch (deliveries[host]) {
    case "pages":
      return [
        commit,
        "On GitHub: Settings → Pages → Source: GitHub Actions; then Actions → Refresh the feed → Run workflow.",
      ];
    case "branch":
      return [
        commit,
        `On GitHub: Actions → Refresh the feed → Run workflow. It makes the branch ${siteBranch}.`,
        `At ${hosts[host].title}: deploy that branch as it is, without a build command, from its top folder.`,
      ];
    case "server":
      return [
        `npx mirrorfeed host ${host} --root /srv/site --out server    # writes the configuration of the server`,
        `npx mirrorfeed watch --every ${schedule.text} --out /srv/site    # there, for ever`,
      ];
  }
}
