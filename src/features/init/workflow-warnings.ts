import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { receivingChannels } from "../../core/config/nodes.ts";
import type { Config } from "../../core/config/config-schema.ts";
import type { ConfigWarning } from "../../core/config/warnings.ts";
import { errorCode } from "../../core/base/errors.ts";
import { readText } from "../../core/base/files/read-text.ts";
import { variablesOf } from "../../core/config/channels.ts";
import { scheduleWarning } from "./cron-schedule.ts";
import { workflowPath } from "./workflow.ts";

/** Matches the command `mirrorfeed notify` and the option `--notify`. */
const sends = /(?:cli\.js|mirrorfeed|\$MIRRORFEED)"? notify\b|\s--notify\b/;

/**
 * Returns warnings if a repository's workflows cannot keep `site.interval` or send the configured notifications.
 * `workflows` maps paths to contents. Returns no warnings if there is no refresh workflow, because the feed is then
 * made elsewhere.
 */
export function workflowWarnings(config: Config, workflows: ReadonlyMap<string, string>): ConfigWarning[] {
  const refresh = workflows.get(workflowPath);
  if (refresh === undefined) return [];
  const message = scheduleWarning(refresh, config.site.interval, workflowPath);
  const path = ["site", "interval"];
  return [
    ...(message === undefined ? [] : [{ code: "workflow" as const, path, message }]),
    ...sendWarnings(config, workflows),
  ];
}

function sendWarnings(config: Config, workflows: ReadonlyMap<string, string>): ConfigWarning[] {
  const channels = receivingChannels(config);
  if (channels.size === 0) return [];
  const sending = [...workflows.values()].filter((text) => sends.test(text)).join("\n");
  if (sending === "") {
    const message = `sends nothing, because no workflow calls "mirrorfeed notify"; copy the notify job from the workflow that "mirrorfeed init" writes in a new folder`;
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
  const message = `needs the variable ${variable}, which no workflow passes on; add ${variable}: \${{ secrets.${variable} }} to the env of the step that sends notifications in ${workflowPath}`;
  return { code: "workflow", path, message };
}

function permissionWarning(path: readonly string[]): ConfigWarning {
  const message = `uses the workflow's token, which isn't allowed to write issues; add "issues: write" to the permissions of the notify job in ${workflowPath}`;
  return { code: "workflow", path, message };
}

const maxBytes = 1024 * 1024;

/** Returns the contents of a repository's workflows, by path. Throws InputError if one cannot be read. */
export async function loadWorkflows(folder: string): Promise<Map<string, string>> {
  const below = dirname(workflowPath);
  const names = await namesIn(join(folder, below));
  const paths = names.filter((name) => /\.ya?ml$/.test(name)).map((name) => `${below}/${name}`);
  const texts = paths.map(async (path): Promise<[string, string]> => {
    return [path, await readText(join(folder, path), maxBytes, "make it readable")];
  });
  return new Map(await Promise.all(texts));
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) return [];
    throw error;
  }
}
