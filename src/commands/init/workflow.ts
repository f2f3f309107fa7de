import type { Schedule } from "./schedule.ts";

/** How the site gets to its host: deployed to GitHub Pages, or as a branch from which the host takes it. */
export type Delivery = "pages" | "branch";

/** What the workflow of a feed is made from. */
export interface WorkflowInput {
  readonly delivery: Delivery;
  readonly schedule: Schedule;
  /** The package of this program as npx takes it, of one version or commit. */
  readonly pin: string;
}

/** Where GitHub looks for the workflow. */
export const workflowPath = ".github/workflows/refresh.yml";

/** The branch from which a host other than GitHub Pages takes the site. */
export const siteBranch = "mirrorfeed-site";

/** In what the two deliveries differ. */
interface Variation {
  readonly does: string;
  readonly never: string;
  readonly pushes: string;
  readonly jobOutputs: string;
  readonly success: string;
  readonly lastStep: string;
  readonly lastJob: string;
}

/** The workflow that refreshes a feed in a repository of its own, as .github/workflows/refresh.yml does in this one. */
export function refreshWorkflow({ delivery, schedule, pin }: WorkflowInput): string {
  const { does, never, pushes, jobOutputs, success, lastStep, lastJob } = variations[delivery];
  return `# Probes every mirror of mirrors.json, remembers what was seen on the branch mirrorfeed-state, and ${does}.
# A run in which nothing answered is void: it ends with a warning, and saves and ${never} nothing.
name: Refresh the feed

on:
  schedule:
    # GitHub is busiest, and latest, at the start of an hour. Change site.intervalMinutes in mirrors.json with it.
    - cron: "${schedule.cron}"
  workflow_dispatch:
  push:
    branches: [main, master]
    paths: [mirrors.json, "public/**", ${workflowPath}]

permissions: {}

# One at a time, and none is cut off: of those that wait, the newest comes next.
concurrency:
  group: refresh
  cancel-in-progress: false

defaults:
  run:
    shell: bash

env:
  # What wrote this file. No other version is run until somebody names it here.
  MIRRORFEED: "${pin}"

jobs:
  refresh:
    name: Probe and build
    runs-on: ubuntu-latest
    timeout-minutes: 15
    permissions:
      contents: write # to push ${pushes}
${jobOutputs}    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          persist-credentials: false
      - uses: actions/setup-node@820762786026740c76f36085b0efc47a31fe5020 # v7.0.0
        with:
          node-version: 24
          package-manager-cache: false # A job that may write takes nothing from a cache.
      - name: Install mirrorfeed
        # By itself, so that no script of an installation sees the token.
        run: npx --yes "$MIRRORFEED" --version
      - name: Probe, decide, remember, write the site
        id: run
        env:
          GITHUB_TOKEN: \${{ secrets.GITHUB_TOKEN }}
        run: |
          # Between the two markers nothing is a command to the runner, whatever the names in mirrors.json are. All of
          # it goes through one pipe, since the runner does not keep stdout and stderr in order.
          resume="$(node -p 'crypto.randomUUID()')"
          echo "::stop-commands::$resume"
          code=0
          npx --yes "$MIRRORFEED" run --state branch:mirrorfeed-state --run "$GITHUB_RUN_ID.$GITHUB_RUN_ATTEMPT" \\
            2>&1 > "$RUNNER_TEMP/run.txt" || code=$?
          echo "::$resume::"
          case "$code" in
${success}
            3) echo "::warning title=The prober is offline::No mirror and no control answered, so this run is void: it saves and ${never} nothing." ;;
            *) exit "$code" ;;
          esac
      - name: Tell what was seen
        # Four spaces make it plain text: no name in it is Markdown or HTML.
        run: sed 's/^/    /' "$RUNNER_TEMP/run.txt" >> "$GITHUB_STEP_SUMMARY"
${lastStep}${lastJob}`;
}

const variations: Readonly<Record<Delivery, Variation>> = {
  pages: {
    does: "deploys the site to\n# GitHub Pages",
    never: "deploys",
    pushes: "the branch of the state",
    jobOutputs: `    outputs:
      artifact: \${{ steps.run.outputs.artifact }}
`,
    success: `            # An artifact outlives the attempt it is of, and two of one name cannot be deployed.
            0) echo "artifact=github-pages-$GITHUB_RUN_ATTEMPT" >> "$GITHUB_OUTPUT" ;;`,
    lastStep: `      - uses: actions/upload-pages-artifact@fc324d3547104276b827a68afc52ff2a11cc49c9 # v5.0.0
        if: steps.run.outputs.artifact != ''
        with:
          name: \${{ steps.run.outputs.artifact }}
          path: _site
`,
    lastJob: `
  deploy:
    name: Deploy
    needs: refresh
    if: needs.refresh.outputs.artifact != ''
    runs-on: ubuntu-latest
    timeout-minutes: 15
    permissions:
      pages: write
      id-token: write
    environment:
      name: github-pages
      url: \${{ steps.deployment.outputs.page_url }}
    steps:
      - uses: actions/deploy-pages@cd2ce8fcbc39b97be8ca5fce6e763baed58fa128 # v5.0.0
        id: deployment
        with:
          artifact_name: \${{ needs.refresh.outputs.artifact }}
`,
  },
  branch: {
    does: `makes the site the\n# branch ${siteBranch}, one commit`,
    never: "publishes",
    pushes: "the branches of the state and the site",
    jobOutputs: "",
    success: `            0) echo "observed=true" >> "$GITHUB_OUTPUT" ;;`,
    lastStep: `      - name: Publish
        if: steps.run.outputs.observed != ''
        env:
          GITHUB_TOKEN: \${{ secrets.GITHUB_TOKEN }}
        run: npx --yes "$MIRRORFEED" publish --branch ${siteBranch}
`,
    lastJob: "",
  },
};
