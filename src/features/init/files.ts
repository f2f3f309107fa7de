import { configJsonSchema } from "../../core/config/config-schema.ts";
import { renderConfig } from "../add/new-config.ts";
import { defaultKind } from "../../core/kinds/kinds.ts";
import { validateConfig } from "../../core/config/validate.ts";
import type { SiteFile } from "../../core/base/files/site-file.ts";
import type { Answers } from "./answers.ts";
import type { FeedProgram } from "./feed-program.ts";
import { workflowFiles } from "./workflow.ts";

export const ignoredPaths = ["_site/", ".mirrorfeed/", "mirrorfeed.key", "node_modules/"] as const;

/**
 * Returns the files of a new feed, except .gitignore. Ids follow `usedId`. Throws InputError if mirrors.json would not be
 * valid.
 */
export async function initFiles(
  answers: Answers,
  { pin, files }: FeedProgram,
  usedId = 0,
): Promise<SiteFile[]> {
  const mirrors = mirrorsJson(answers, usedId);
  validateConfig(mirrors, "mirrors.json");
  return [
    { path: "mirrors.json", content: mirrors },
    // A copy, so that editors find the schema offline.
    { path: "mirrors.schema.json", content: `${JSON.stringify(configJsonSchema(), null, 2)}\n` },
    ...(await workflowFiles(answers, pin)),
    ...files,
  ];
}

function mirrorsJson(answers: Answers, usedId: number): string {
  const { kind, suite, mirrors, title, url, interval, host, control, allowPrivate } = answers;
  const primary = answers.primary === undefined ? undefined : usedId + mirrors.indexOf(answers.primary) + 1;
  const probe = {
    ...(allowPrivate ? { allowPrivate } : {}),
    ...(control.length === 0 ? {} : { controls: control }),
  };
  const network = mirrors.map((mirror, index) => ({ id: usedId + index + 1, url: mirror }));
  return renderConfig(
    answers,
    network,
    { primary, probe: kind === defaultKind ? undefined : { kind, [kind]: suite && { suite } } },
    {
      $schema: "./mirrors.schema.json",
      probe: Object.keys(probe).length === 0 ? undefined : probe,
      site: { title, url, interval, host: host.name },
    },
  );
}
