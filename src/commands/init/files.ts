import { configJsonSchema } from "../../config/schema.ts";
import { validateConfig } from "../../config/validate.ts";
import type { SiteFile } from "../../base/files/site-file.ts";
import type { Answers } from "./answers.ts";
import type { FeedProgram } from "./program.ts";
import { refreshWorkflow, summaryPath, validatePath, validateWorkflow, workflowPath } from "./workflow.ts";

/** The lines of .gitignore. */
export const ignoredPaths = ["_site/", ".mirrorfeed/", "node_modules/"] as const;

/** Returns the files of a new feed, except .gitignore. Throws InputError if mirrors.json would not be valid. */
export function initFiles(answers: Answers, { pin, files, workflows }: FeedProgram): SiteFile[] {
  const { workflow: delivery } = answers.host.delivery;
  const mirrors = mirrorsJson(answers);
  validateConfig(mirrors, "mirrors.json");
  return [
    { path: "mirrors.json", content: mirrors },
    // A copy, since an editor finds the schema neither in npm's cache nor, without a network, on the web.
    { path: "mirrors.schema.json", content: `${JSON.stringify(configJsonSchema(), null, 2)}\n` },
    ...(delivery === undefined
      ? []
      : [
          {
            path: workflowPath,
            content: refreshWorkflow(workflows[workflowPath], { delivery, schedule: answers.schedule, pin }),
          },
          { path: summaryPath, content: workflows[summaryPath] },
          {
            path: validatePath,
            content: validateWorkflow(workflows[validatePath], pin, answers.allowPrivate),
          },
        ]),
    ...files,
  ];
}

/** Returns mirrors.json with one line for each node, which `mirrorfeed add` continues. */
function mirrorsJson(answers: Answers): string {
  const { mirrors, system, project, target, title, url, schedule, host, control, allowPrivate } = answers;
  const primary = answers.primary === undefined ? undefined : mirrors.indexOf(answers.primary) + 1;
  const probe = {
    ...(allowPrivate ? { allowPrivate } : {}),
    ...(control.length === 0 ? {} : { controls: control }),
  };
  const feed = {
    $schema: "./mirrors.schema.json",
    systems: [{ system, projects: [{ project, targets: [{ target, primary, network: [] }] }] }],
    probe: Object.keys(probe).length === 0 ? undefined : probe,
    site: { title, url, interval: schedule.text, host: host.name },
  };
  const nodes = mirrors.map((mirror, index) => `{ "id": ${index + 1}, "url": ${JSON.stringify(mirror)} }`);
  const indent = "\n".padEnd(15);
  const network = `"network": [${nodes.map((node) => `${indent}  ${node}`).join(",")}${indent}]`;
  return `${JSON.stringify(feed, null, 2).replace('"network": []', () => network)}\n`;
}
