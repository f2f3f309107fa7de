import { parseDuration } from "../core/base/text/duration.ts";
import type { Config } from "../core/config/config-schema.ts";
import { heartbeatOf } from "../core/site/heartbeat.ts";
import { channelProblems } from "../features/notify/secrets.ts";
import type { ConfigChecks } from "../features/validate/validate-command.ts";
import { loadOwnFiles } from "./own-files.ts";
import { intervalProblem } from "./state-notes.ts";

export const configChecks: ConfigChecks = { problemsOf: channelProblems, intervalProblemOf, loadOwnFiles };

/** Returns a warning if the runs of the site in `out` are much rarer than the configuration says. */
function intervalProblemOf({ site }: Config, out: string): string | undefined {
  return intervalProblem(parseDuration(site.interval), heartbeatOf(out)?.interval.median_seconds);
}
