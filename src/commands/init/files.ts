import { type HostName, configJsonSchema } from "../../config/schema.ts";
import { validateConfig } from "../../config/validate.ts";
import type { SiteFile } from "../../site-file.ts";
import type { Answers } from "./answers.ts";
import { type Delivery, refreshWorkflow, workflowPath } from "./workflow.ts";

/** What never belongs into the repository of a feed. */
export const ignored = ["_site/", ".mirrorfeed/", "node_modules/"] as const;

/** How a host gets the site; `server` where it runs mirrorfeed itself or is uploaded to, without any workflow. */
export const deliveries: Readonly<Record<HostName, Delivery | "server">> = {
  "github-pages": "pages",
  cloudflare: "branch",
  netlify: "branch",
  vercel: "branch",
  nginx: "server",
  apache: "server",
  caddy: "server",
  lighttpd: "server",
  cloudfront: "server",
};

/** The files of a new feed, but for .gitignore. Throws InputError where mirrors.json would not be right. */
export function initFiles(answers: Answers, pin: string): SiteFile[] {
  const delivery = deliveries[answers.host];
  const mirrors = mirrorsJson(answers);
  validateConfig(mirrors, "mirrors.json");
  return [
    { path: "mirrors.json", content: mirrors },
    // Beside it, since an editor without a network finds no other: the package is somewhere in npm's cache, or not
    // there at all once the repository is cloned.
    { path: "mirrors.schema.json", content: `${JSON.stringify(configJsonSchema(), null, 2)}\n` },
    ...(delivery === "server"
      ? []
      : [{ path: workflowPath, content: refreshWorkflow({ ...answers, delivery, pin }) }]),
  ];
}

/** A node a line, as people write them; mirrorfeed add goes on so. */
function mirrorsJson({ mirrors, system, project, target, title, url, schedule, host }: Answers): string {
  const feed = {
    $schema: "./mirrors.schema.json",
    systems: [{ system, projects: [{ project, targets: [{ target, network: [] }] }] }],
    site: { title, url, intervalMinutes: schedule.minutes, host },
  };
  const nodes = mirrors.map((mirror, index) => `{ "id": ${index + 1}, "url": ${JSON.stringify(mirror)} }`);
  const indent = "\n".padEnd(15);
  const network = `"network": [${nodes.map((node) => `${indent}  ${node}`).join(",")}${indent}]`;
  return `${JSON.stringify(feed, null, 2).replace('"network": []', () => network)}\n`;
}
