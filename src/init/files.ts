import { configJsonSchema } from "../config/schema.ts";
import { validateConfig } from "../config/validate.ts";
import type { SiteFile } from "../files/site-file.ts";
import type { Answers } from "./answers.ts";
import type { FeedProgram } from "./program.ts";
import { validateWorkflow } from "./validate-workflow.ts";
import { refreshWorkflow, summaryPath, validatePath, workflowPath } from "./workflow.ts";

/** What never belongs into the repository of a feed. */
export const ignored = ["_site/", ".mirrorfeed/", "node_modules/"] as const;

/** The files of a new feed, but for .gitignore. Throws InputError where mirrors.json would not be right. */
export function initFiles(answers: Answers, { pin, files, summary }: FeedProgram): SiteFile[] {
  const { workflow } = answers.host.delivery;
  const mirrors = mirrorsJson(answers);
  validateConfig(mirrors, "mirrors.json");
  return [
    { path: "mirrors.json", content: mirrors },
    // Beside it, since an editor without a network finds no other: the package is somewhere in npm's cache, or not
    // there at all once the repository is cloned.
    { path: "mirrors.schema.json", content: `${JSON.stringify(configJsonSchema(), null, 2)}\n` },
    ...(workflow === undefined
      ? []
      : [
          {
            path: workflowPath,
            content: refreshWorkflow({ parts: workflow, schedule: answers.schedule, pin }),
          },
          { path: summaryPath, content: summary },
          { path: validatePath, content: validateWorkflow(pin) },
        ]),
    ...files,
  ];
}

/** A node a line, as people write them; mirrorfeed add goes on so. */
function mirrorsJson(answers: Answers): string {
  const { mirrors, system, project, target, title, url, schedule, host, control, allowPrivate } = answers;
  const primary = answers.primary === undefined ? undefined : mirrors.indexOf(answers.primary) + 1;
  const probe = {
    ...(allowPrivate ? { allowPrivate } : {}),
    ...(control.length === 0 ? {} : { control }),
  };
  const feed = {
    $schema: "./mirrors.schema.json",
    systems: [{ system, projects: [{ project, targets: [{ target, primary, network: [] }] }] }],
    probe: Object.keys(probe).length === 0 ? undefined : probe,
    site: { title, url, intervalMinutes: schedule.minutes, host: host.name },
  };
  const nodes = mirrors.map((mirror, index) => `{ "id": ${index + 1}, "url": ${JSON.stringify(mirror)} }`);
  const indent = "\n".padEnd(15);
  const network = `"network": [${nodes.map((node) => `${indent}  ${node}`).join(",")}${indent}]`;
  return `${JSON.stringify(feed, null, 2).replace('"network": []', () => network)}\n`;
}
