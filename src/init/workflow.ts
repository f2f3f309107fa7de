import type { WorkflowParts } from "../hosts/delivery.ts";
import type { Schedule } from "./schedule.ts";

/** What the workflow of a feed is made from. */
export interface WorkflowInput {
  readonly parts: WorkflowParts;
  readonly schedule: Schedule;
  /** The package of this program as npx takes it, of one version or commit. */
  readonly pin: string;
}

/** Where GitHub looks for the workflow. */
export const workflowPath = ".github/workflows/refresh.yml";
export const validatePath = ".github/workflows/validate.yml";
export const summaryPath = ".github/workflows/summary.js";

/** The workflow that refreshes a feed in a repository of its own, as .github/workflows/refresh.yml does in this one. */
export function refreshWorkflow({ parts, schedule, pin }: WorkflowInput): string {
  const {
    does,
    never,
    done,
    pushes,
    rightsAndOutputs,
    address,
    siteUrl,
    siteUrlOption,
    success,
    lastStep,
    lastJob,
  } = parts;
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
${rightsAndOutputs}    steps:
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
${address}      - name: Probe, decide, remember, write the site
        id: run
        env:
          GITHUB_TOKEN: \${{ secrets.GITHUB_TOKEN }}
${siteUrl}        run: |
          # Between the two markers nothing is a command to the runner, whatever the names in mirrors.json are. All of
          # it goes through one pipe, since the runner does not keep stdout and stderr in order.
          resume="$(node -p 'crypto.randomUUID()')"
          echo "::stop-commands::$resume"
          code=0
          npx --yes "$MIRRORFEED" run --state branch:mirrorfeed-state --run "$GITHUB_RUN_ID.$GITHUB_RUN_ATTEMPT" \\
            ${siteUrlOption}--json 2>&1 > "$RUNNER_TEMP/run.json" || code=$?
          echo "::$resume::"
          case "$code" in
${success}
            3) echo "::warning title=The prober is offline::No mirror and no control answered, so this run is void: nothing was saved, and nothing is ${done}." ;;
            *) exit "$code" ;;
          esac
      - name: Tell what changed
        run: node ${summaryPath} "$RUNNER_TEMP/run.json" >> "$GITHUB_STEP_SUMMARY"
${lastStep}${lastJob}`;
}
