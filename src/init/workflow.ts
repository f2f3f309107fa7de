import type { WorkflowParts } from "../hosts/delivery.ts";
import { notifyJob } from "./notify-job.ts";
import type { Schedule } from "./schedule.ts";
import { summaryPath, workflowPath } from "./workflow-paths.ts";

/** What the workflow of a feed depends on. */
export interface WorkflowInput {
  readonly parts: WorkflowParts;
  readonly schedule: Schedule;
  /** The package of this program as an argument for npx, with its version or commit. */
  readonly pin: string;
}

/** Returns the workflow that refreshes a feed, as .github/workflows/refresh.yml does in this repository. */
export function refreshWorkflow({ parts, schedule, pin }: WorkflowInput): string {
  const { action, verb, participle, pushedBranches, permissions = "", outputs = "" } = parts;
  const { urlStep = "", urlVariable = "", urlOption = "", onSuccess, lastStep, lastJob = "" } = parts;
  return `# Probes every mirror of mirrors.json, saves the state on the branch mirrorfeed-state, and ${action}.
# If nothing answers, the run is void: it ends with a warning, and saves and ${verb} nothing.
# If mirrors.json names receivers of messages, a job of its own sends them, so that the prober sees no secret.
name: Refresh the feed

on:
  schedule:
    # GitHub is busy at the start of an hour and starts runs late. Change site.interval in mirrors.json too.
    - cron: "${schedule.cron}"
  workflow_dispatch:
  push:
    branches: [main, master]
    paths: [mirrors.json, "public/**", ${workflowPath}]

permissions: {}

# One run at a time, and none is cancelled. Of those that wait, GitHub keeps the newest.
concurrency:
  group: refresh
  cancel-in-progress: false

defaults:
  run:
    shell: bash

env:
  # The version that wrote this file. Every job runs this one; change it here to update.
  MIRRORFEED: "${pin}"

jobs:
  refresh:
    name: Probe and build
    runs-on: ubuntu-latest
    timeout-minutes: 15
    permissions:
      contents: write # to push ${pushedBranches}
${permissions}    outputs:
${outputs}      receivers: \${{ steps.receivers.outputs.named }}
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          persist-credentials: false
      - name: Look for receivers in mirrors.json
        id: receivers
        # Before anything that can fail. Without receivers the job notify is skipped.
        run: if grep -q '"notify"[[:space:]]*:' mirrors.json; then echo "named=true" >> "$GITHUB_OUTPUT"; fi
      - uses: actions/setup-node@820762786026740c76f36085b0efc47a31fe5020 # v7.0.0
        with:
          node-version: 24
          package-manager-cache: false # A job that may write must not trust a cache.
      - name: Install mirrorfeed
        # A step of its own, so that no install script sees the token.
        run: npx --yes "$MIRRORFEED" --version
${urlStep}      - name: Probe, save the state, write the site
        id: run
        env:
          GITHUB_TOKEN: \${{ secrets.GITHUB_TOKEN }}
${urlVariable}        run: |
          # Between the two markers the runner obeys no command in the output, whatever the names in mirrors.json are.
          # Everything goes through one pipe, since the runner does not keep stdout and stderr in order.
          resume="$(od -An -N16 -tx1 /dev/urandom | tr -dc 0-9a-f)"
          echo "::stop-commands::$resume"
          code=0
          npx --yes "$MIRRORFEED" run --state branch:mirrorfeed-state --run-id "$GITHUB_RUN_ID.$GITHUB_RUN_ATTEMPT" \\
            ${urlOption}--json 2>&1 > "$RUNNER_TEMP/run.json" || code=$?
          echo "::$resume::"
          case "$code" in
${onSuccess}
            3) echo "::warning title=The prober is offline::No mirror and no control answered, so this run is void: nothing was saved, and nothing is ${participle}." ;;
            *) exit "$code" ;;
          esac
      - name: Summarize what changed
        run: node ${summaryPath} "$RUNNER_TEMP/run.json" >> "$GITHUB_STEP_SUMMARY"
${lastStep}${lastJob}${notifyJob(parts)}`;
}
