import { parseRunId, parseSiteUrl, parseVantage, repeated } from "./option-values.ts";
import type { ExitCode } from "../../base/terminal/context.ts";

// The shared options of several commands, as arguments of commander's option().

export const config = ["--config <file>", "the mirrors and the settings", "mirrors.json"] as const;
export const out = ["--out <folder>", "the folder of the site", "_site"] as const;
export const state = [
  "--state <location>",
  "where runs are remembered: a file, or branch:NAME",
  ".mirrorfeed/state.json",
] as const;
export const stateRemote = [
  "--state-remote <url>",
  "the remote of the branch of the state (default: origin)",
] as const;
export const vantage = [
  "--vantage <name>",
  "the name of this vantage, where the probes run from",
  parseVantage,
] as const;
export const siteUrl = [
  "--site-url <url>",
  "where the site is published (default: site.url of mirrors.json)",
  parseSiteUrl,
] as const;
export const json = ["--json", "print JSON on stdout and nothing else"] as const;
export const results = ["--results <file>", "write the observations as a file for mirrorfeed build"] as const;
export const runId = ["--run-id <id>", "the id of the run (default: a random one)", parseRunId] as const;
export const allowPrivate = [
  "--allow-private",
  "probe loopback, private and link-local addresses too",
] as const;
export const dns = [
  "--dns <address>",
  "a name server to ask; repeat it for more (default: those of the system)",
  repeated,
] as const;
export const notify = ["--notify", "send the messages that wait, after the run"] as const;

/** Takes the exit code of a command. */
export type Finish = (exitCode: ExitCode) => void;
