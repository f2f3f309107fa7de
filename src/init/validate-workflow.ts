/**
 * Returns the workflow that checks pull requests, as .github/workflows/validate.yml does in this repository. With
 * `allowPrivate` it probes private addresses, which a pull request cannot allow itself.
 */
export function validateWorkflow(pin: string, allowPrivate: boolean): string {
  return `# Checks the mirrors.json of a pull request, and probes the mirrors that are new in it. It has no secret and writes nothing.
name: Validate mirrors.json

on:
  pull_request:
    paths: [mirrors.json]

permissions: {}

concurrency:
  group: validate-\${{ github.ref }}
  cancel-in-progress: true

defaults:
  run:
    shell: bash

env:
  # The version that wrote this file. Every job runs this one; change it here to update.
  MIRRORFEED: "${pin}"

jobs:
  validate:
    name: Validate mirrors.json
    runs-on: ubuntu-latest
    timeout-minutes: 10
    permissions:
      contents: read
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          persist-credentials: false
          fetch-depth: 2 # HEAD merges the pull request into HEAD^1.
      - uses: actions/setup-node@820762786026740c76f36085b0efc47a31fe5020 # v7.0.0
        with:
          node-version: 24
          package-manager-cache: false
      - name: Install mirrorfeed
        run: npx --yes "$MIRRORFEED" --version
      - name: Validate
        run: |
          # The markers are explained in refresh.yml.
          resume="$(od -An -N16 -tx1 /dev/urandom | tr -dc 0-9a-f)"
          echo "::stop-commands::$resume"
          code=0
          npx --yes "$MIRRORFEED" validate 2>&1 || code=$?
          echo "::$resume::"
          if [ "$code" -ne 0 ]; then
            echo "::error file=mirrors.json,title=mirrors.json is not valid::The log of the step Validate names every problem, with its line and the remedy."
          fi
          exit "$code"
      - name: Probe the new mirrors
        run: |
          # Private addresses ${allowPrivate ? "are probed" : "are not probed"}, whatever the pull request says.
          resume="$(od -An -N16 -tx1 /dev/urandom | tr -dc 0-9a-f)"
          echo "::stop-commands::$resume"
          code=0
          npx --yes "$MIRRORFEED" validate --probe-new HEAD^1 ${allowPrivate ? "--allow-private " : ""}--json 2>&1 > "$RUNNER_TEMP/new.json" || code=$?
          echo "::$resume::"
          case "$code" in
            1) echo "::error file=mirrors.json,title=A new mirror is not reachable::The summary of this run has the code of each new mirror." ;;
            2) echo "::error file=mirrors.json,title=The new mirrors were not probed::The log of the step Probe the new mirrors says why." ;;
            3) echo "::error title=The prober is offline::No mirror and no control answered, so the new mirrors are not known. Run this job again." ;;
          esac
          if [ -s "$RUNNER_TEMP/new.json" ]; then
            node .github/workflows/summary.js "$RUNNER_TEMP/new.json" >> "$GITHUB_STEP_SUMMARY"
          fi
          exit "$code"
`;
}
