import { parseDuration } from "../core/base/text/duration.ts";
import type { Config } from "../core/config/config-schema.ts";
import { heartbeatOf } from "../core/site/heartbeat.ts";
import type { ConfigChecks } from "../features/validate/validate-command.ts";
import { loadOwnFiles } from "./own-files.ts";
import { intervalProblem } from "./interval-note.ts";

/** Loads the channels only if there are any, because that takes long. */
const problemsOf: ConfigChecks["problemsOf"] = async (config, environment) => {
  if (Object.keys(config.channels).length === 0) return [];
  const { channelProblems } = await import("../features/notify/secrets.ts");
  return channelProblems(config, environment);
};

/** Returns a warning if the runs of the site in `out` are much rarer than the configuration says. */
function intervalProblemOf({ site }: Config, out: string): string | undefined {
  return intervalProblem(parseDuration(site.interval), heartbeatOf(out)?.interval.median_seconds);
}

export const configChecks: ConfigChecks = { problemsOf, intervalProblemOf, loadOwnFiles };
