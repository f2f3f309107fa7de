import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { receivingChannels } from "../../core/config/nodes.ts";
import type { Config } from "../../core/config/config-schema.ts";
import type { JsonPath } from "../../core/config/json-document.ts";
import type { ConfigWarning } from "../../core/config/warnings.ts";
import { parseDuration } from "../../core/base/text/time.ts";
import { quote } from "../../core/base/text/quote.ts";
import { readText } from "../../core/base/files/read-text.ts";
import { variablesOf } from "../../core/config/channels.ts";
import { deployingWorkflows } from "./repository.ts";
import { schedules } from "./answers.ts";
import { workflowPath } from "./files.ts";

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
  return [
    ...scheduleWarnings(refresh, config.site.interval),
    ...(/^ +PUBLISH: "?branch/m.test(refresh) ? [] : siteWarnings(workflows)),
    ...sendWarnings(config, workflows),
  ];
}

/** Warns of the schedule that `init` writes for another interval. Others show in the time between runs. */
function scheduleWarnings(refresh: string, interval: string): ConfigWarning[] {
  const [cron, ...more] = Array.from(refresh.matchAll(/^\s*- cron: *["']?([^"'#\n]+)/gm), ([, text = ""]) =>
    text.trim(),
  );
  const kept = [...schedules.keys()].find((known) => schedules.get(known) === cron);
  const isKept = kept === undefined || parseDuration(kept) === parseDuration(interval);
  if (isKept || more.length > 0) return [];
  const fitting = schedules.get(interval);
  const remedy = fitting === undefined ? "" : `, or write ${quote(fitting)} there`;
  const message = `is ${interval}, but ${workflowPath} starts a run every ${kept}; write ${kept} here${remedy}`;
  return [warning(["site", "interval"], message)];
}

function siteWarnings(workflows: ReadonlyMap<string, string>): ConfigWarning[] {
  return deployingWorkflows(workflows).map((path) => {
    const message = `is replaced whenever ${path} deploys GitHub Pages, and replaces its site; let one workflow deploy both, as "Beside another site" in feed-on-github.md shows`;
    return warning(["site"], message);
  });
}

function sendWarnings(config: Config, workflows: ReadonlyMap<string, string>): ConfigWarning[] {
  const channels = receivingChannels(config);
  if (channels.size === 0) return [];
  const sending = [...workflows.values()].filter((text) => sends.test(text)).join("\n");
  if (sending === "") {
    const message = `sends nothing, because no workflow calls "mirrorfeed notify"; copy the notify job from the workflow that "mirrorfeed init" writes in a new folder`;
    return [warning(["notify"], message)];
  }
  return [...channels].flatMap(([name, channel]) => {
    const variables = variablesOf(channel);
    const missing = variables.filter((variable) => !new RegExp(`^ +${variable}:`, "m").test(sending));
    const messages = missing.map(
      (variable) =>
        `needs the variable ${variable}, which no workflow passes on; add ${variable}: \${{ secrets.${variable} }} to the env of the step that sends notifications in ${workflowPath}`,
    );
    const usesToken = channel.type === "github" && variables.includes("GITHUB_TOKEN");
    const readOnly = `uses the workflow's token, which isn't allowed to write issues; add "issues: write" to the permissions of the notify job in ${workflowPath}`;
    if (usesToken && !/^ +issues: write\b/m.test(sending)) messages.push(readOnly);
    return messages.map((message) => warning(["channels", name], message));
  });
}

function warning(path: JsonPath, message: string): ConfigWarning {
  return { code: "workflow", path, message };
}

/** Returns the contents of a repository's workflows, by path. Throws InputError if one cannot be read. */
export async function loadWorkflows(folder: string): Promise<Map<string, string>> {
  const below = dirname(workflowPath);
  const names = await readdir(join(folder, below)).catch(() => []);
  const paths = names.filter((name) => /\.ya?ml$/.test(name)).map((name) => `${below}/${name}`);
  const load = (path: string): Promise<string> =>
    readText(join(folder, path), 1024 * 1024, "make it readable");
  return new Map(await Promise.all(paths.map(async (path) => [path, await load(path)] as const)));
}
