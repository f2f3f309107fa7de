import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { packageFolder } from "../../core/base/files/package.ts";
import type { SiteFile } from "../../core/base/files/site-file.ts";
import type { Answers } from "./answers.ts";
import { cronOf } from "./cron-schedule.ts";

export const workflowPath = ".github/workflows/refresh.yml";
const paths = [workflowPath, ".github/workflows/summary.js", ".github/workflows/validate.yml"];

/**
 * Returns a feed's workflows and the script that they run: those of this repository, with other values. Returns an
 * empty array if the host needs no workflows. `pin` is the package that npx runs: a version, a commit or a tarball.
 */
export async function workflowFiles(
  { host, interval, allowPrivate }: Pick<Answers, "host" | "interval" | "allowPrivate">,
  pin: string,
): Promise<SiteFile[]> {
  const { workflow: publish } = host.delivery;
  if (publish === undefined) return [];
  const values = {
    "- cron": cronOf(interval),
    MIRRORFEED: `npx --yes ${pin}`,
    PUBLISH: publish,
    PROBE_OPTIONS: allowPrivate ? "--allow-private" : "",
  };
  return Promise.all(
    paths.map(async (path) => {
      let content = await readFile(join(packageFolder, path), "utf8");
      for (const [key, value] of Object.entries(values))
        content = content.replace(new RegExp(`(?<=^ +${key}: ).*`, "m"), () => JSON.stringify(value));
      // npx installs the package before a later step sees the token.
      return { path, content: content.replaceAll("run: npm ci", "run: $MIRRORFEED --version") };
    }),
  );
}
