import { parseDuration } from "../core/base/text/time.ts";
import { heartbeatOf, intervalProblem } from "./run-notes.ts";
import type { ConfigChecks } from "../features/validate/validate-command.ts";
import { loadOwnFiles } from "./own-files.ts";

export const configChecks: ConfigChecks = {
  /** Loads the channels only if there are any, because that takes long. */
  problemsOf: async (config, environment) => {
    if (Object.keys(config.channels).length === 0) return [];
    const { channelProblems } = await import("../features/notify/secrets.ts");
    return channelProblems(config, environment);
  },
  intervalProblemOf: ({ site }, out) =>
    intervalProblem(parseDuration(site.interval), heartbeatOf(out)?.interval.median_seconds),
  loadOwnFiles,
};
