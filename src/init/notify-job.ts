import type { WorkflowParts } from "../hosts/delivery.ts";
import { summaryPath } from "./workflow-paths.ts";

/** Returns the job that sends messages. Only its one step sees the secrets. It is skipped if mirrors.json names no receiver. */
export function notifyJob({ laterUrlVariable = "", urlOption = "" }: WorkflowParts): string {
  return `
  notify:
    name: Notify
    needs: refresh
    # After a void or failed run too: then the age of the state says whether the feed is stale.
    if: \${{ !cancelled() && needs.refresh.outputs.receivers != '' }}
    runs-on: ubuntu-latest
    timeout-minutes: 15
    permissions:
      contents: write # to push the branch of the state
      # issues: write # for a channel of type \`github\` that uses GITHUB_TOKEN
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          persist-credentials: false
      - uses: actions/setup-node@820762786026740c76f36085b0efc47a31fe5020 # v7.0.0
        with:
          node-version: 24
          package-manager-cache: false # A job that may write must not trust a cache.
      - name: Install mirrorfeed
        run: npx --yes "$MIRRORFEED" --version
      - name: Send the messages that wait
        env:
          GITHUB_TOKEN: \${{ secrets.GITHUB_TOKEN }}
${laterUrlVariable}          # What the channels of mirrors.json name: one line for each variable. Without a secret of that name it is empty.
          OPS_EMAIL: \${{ secrets.OPS_EMAIL }}
          SMTP_USER: \${{ secrets.SMTP_USER }}
          SMTP_PASSWORD: \${{ secrets.SMTP_PASSWORD }}
          HOOK_URL: \${{ secrets.HOOK_URL }}
          HOOK_SECRET: \${{ secrets.HOOK_SECRET }}
        run: |
          # The markers are explained above.
          resume="$(od -An -N16 -tx1 /dev/urandom | tr -dc 0-9a-f)"
          echo "::stop-commands::$resume"
          code=0
          npx --yes "$MIRRORFEED" notify --state branch:mirrorfeed-state \\
            ${urlOption}--json 2>&1 > "$RUNNER_TEMP/notify.json" || code=$?
          echo "::$resume::"
          case "$code" in
            0) ;;
            1) echo "::warning title=Not every message was accepted::The summary of this run names the channel and the reason. What may work later is tried again." ;;
            *) exit "$code" ;;
          esac
      - name: Summarize what was sent
        run: node ${summaryPath} "$RUNNER_TEMP/notify.json" >> "$GITHUB_STEP_SUMMARY"
`;
}
