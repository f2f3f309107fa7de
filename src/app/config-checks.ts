import { channelProblems } from "../features/notify/secrets.ts";
import type { ConfigChecks } from "../features/validate/validate-command.ts";
import { loadOwnFiles } from "./own-files.ts";

export const configChecks: ConfigChecks = { problemsOf: channelProblems, loadOwnFiles };
