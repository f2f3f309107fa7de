import { receivingChannels } from "../config/receiving-channels.ts";
import type { Config } from "../config/schema.ts";
import type { ConfigWarning } from "../config/warnings.ts";
import { variablesOf } from "../notify/secrets.ts";
import { workflowPath } from "./workflow-paths.ts";

/** A call of `mirrorfeed notify`, or a run with `--notify`. */
const sends = /(?:cli\.js|mirrorfeed|\$MIRRORFEED)"? notify\b|\s--notify\b/;

/**
 * Returns what the workflows of a repository lack to send the messages of a configuration. `workflows` has their texts, by
 * path. A repository without the workflow that refreshes a feed sends them elsewhere.
 */
export function workflowWarnings(config: Config, workflows: ReadonlyMap<string, string>): ConfigWarning[] {
  const channels = receivingChannels(config);
  if (channels.size === 0 || !workflows.has(workflowPath)) return [];
  const sending = [...workflows.values()].filter((text) => sends.test(text)).join("\n");
  if (sending === "") {
    const message = `sends nothing, because no workflow calls "mirrorfeed notify"; copy the job notify of the workflow that "mirrorfeed init" writes in a new folder`;
    return [{ code: "workflow", path: ["notify"], message }];
  }
  return [...channels].flatMap(([name, channel]) => {
    const path = ["channels", name];
    const variables = variablesOf(channel);
    const lacksPermission =
      channel.type === "github" && variables.includes("GITHUB_TOKEN") && !/^ +issues: write\b/m.test(sending);
    return [
      ...variables
        .filter((variable) => !new RegExp(`^ +${variable}:`, "m").test(sending))
        .map((variable) => variableWarning(path, variable)),
      ...(lacksPermission ? [permissionWarning(path)] : []),
    ];
  });
}

function variableWarning(path: readonly string[], variable: string): ConfigWarning {
  const message = `needs the variable ${variable}, which no workflow passes on; add ${variable}: \${{ secrets.${variable} }} to the env of the step that sends messages in ${workflowPath}`;
  return { code: "workflow", path, message };
}

function permissionWarning(path: readonly string[]): ConfigWarning {
  const message = `uses the token of the workflow, which may not write issues; add "issues: write" to the permissions of the job notify in ${workflowPath}`;
  return { code: "workflow", path, message };
}
