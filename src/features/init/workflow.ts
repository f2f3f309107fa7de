import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { packageFolder } from "../../core/base/files/package.ts";
import type { SiteFile } from "../../core/base/files/site-file.ts";
import { type Delivery, siteBranch } from "../hosts/host.ts";
import type { Answers } from "./answers.ts";
import { cronOf } from "./cron-schedule.ts";

export const workflowPath = ".github/workflows/refresh.yml";
export const validatePath = ".github/workflows/validate.yml";
const summaryPath = ".github/workflows/summary.js";

/**
 * Returns a feed's workflows, adapted from those of this repository, and the script that they run. Returns an empty
 * array if the host needs no workflows.
 */
export async function workflowFiles(
  { host, interval, allowPrivate }: Answers,
  pin: string,
): Promise<SiteFile[]> {
  const { workflow: delivery } = host.delivery;
  if (delivery === undefined) return [];
  const own = (path: string): Promise<string> => readFile(join(packageFolder, path), "utf8");
  const refresh = refreshWorkflow(await own(workflowPath), { delivery, interval, pin });
  return [
    { path: workflowPath, content: refresh },
    { path: summaryPath, content: await own(summaryPath) },
    { path: validatePath, content: validateWorkflow(await own(validatePath), pin, allowPrivate) },
  ];
}

interface RefreshValues {
  readonly delivery: NonNullable<Delivery["workflow"]>;
  /** An interval that a cron expression can express. */
  readonly interval: string;
  /** The package that npx runs: a version, a commit or a tarball. */
  readonly pin: string;
}

/** Adapts this repository's refresh.yml to a feed. */
export function refreshWorkflow(own: string, { delivery, interval, pin }: RefreshValues): string {
  const scheduled = replace(own, /(?<= - cron: )".*"/g, JSON.stringify(cronOf(interval)));
  const pinned = pinProgram(scheduled, pin, 3);
  return delivery === "branch" ? publishBranch(pinned) : pinned;
}

/**
 * Adapts this repository's validate.yml to a feed. With `allowPrivate`, the workflow probes private addresses. A pull
 * request cannot turn this on by changing mirrors.json.
 */
export function validateWorkflow(own: string, pin: string, allowPrivate: boolean): string {
  const pinned = pinProgram(own, pin, 1);
  if (!allowPrivate) return pinned;
  const probing = replace(pinned, /(?<=--probe-new HEAD\^1)(?= )/g, " --allow-private");
  return replace(probing, /(?<=# Private addresses are )not (?=probed)/g, "");
}

/** Makes each job run the pinned package instead of building mirrorfeed. */
function pinProgram(workflow: string, pin: string, jobs: number): string {
  const called = replace(workflow, /(?<=^ {2}MIRRORFEED: ).*$/gm, JSON.stringify(`npx --yes ${pin}`));
  return replace(called, /(?<=^ +run: )npm ci$/gm, "$MIRRORFEED --version", jobs);
}

/**
 * Replaces the deployment to GitHub Pages with a step that pushes the site to a branch. The site isn't signed, because
 * this step is in the job that probes, and that job must not see the key.
 */
function publishBranch(workflow: string): string {
  const publish = `      - name: Publish
        if: steps.run.outputs.attempt != ''
        env:
          GITHUB_TOKEN: \${{ secrets.GITHUB_TOKEN }}
        run: $MIRRORFEED publish --branch ${siteBranch}

`;
  const uploadAndDeploy = /^ {6}- name: Upload the site\n[^]*?(?=^ {2}notify:$)/gm;
  const published = replace(workflow, uploadAndDeploy, publish);
  const ofOtherJobs = /^ {6}- name: (?:Find the URL of the site|Look for a public key)\n[^]*?(?=^ {6}- )/gm;
  const unlinked = replace(published, ofOtherJobs, "", 2);
  // Also remove the lines that only the removed steps needed: a comment, a permission, outputs, and variables and
  // options with the site's URL.
  const ofPages =
    /^ +(?:pages: read|attempt: |url: |key: |SITE_URL: |--site-url ).*\n|^# If mirrorfeed.pub .*\n/gm;
  return replace(unlinked, ofPages, "", 9);
}

/**
 * Replaces all matches of the pattern. Throws unless there are `times` matches, because any other number means that
 * this package's workflow has changed.
 */
function replace(text: string, pattern: RegExp, replacement: string, times = 1): string {
  const found = text.match(pattern)?.length ?? 0;
  if (found !== times)
    throw new Error(`A workflow of this package matches ${pattern.source} ${found} times, not ${times}.`);
  return text.replace(pattern, () => replacement);
}
