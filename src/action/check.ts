import { spawnSync } from "node:child_process";
import { appendFileSync, writeSync } from "node:fs";
import { env, execPath, exit } from "node:process";
import { check, pick } from "../client/index.ts";
import { parseDuration } from "../base/text/duration.ts";

// The entry point of the action "Check mirrors". Exit codes: 0 enough mirrors are reachable, 1 too few, 2 the inputs are
// invalid or the feed has no such target, 4 nothing is known.

/**
 * Ends the step with a message. The message must not contain text of a feed, because the runner executes commands that
 * it finds in the log: https://docs.github.com/actions/reference/workflow-commands-for-github-actions
 */
function end(
  exitCode: number,
  message: string,
  outputs: Readonly<Record<string, string | number>> = {},
): never {
  const lines = Object.entries(outputs).map(([name, value]) => `${name}=${value}\n`);
  const file = env["GITHUB_OUTPUT"];
  if (file !== undefined) appendFileSync(file, lines.join(""));
  // Synchronous, because exit() does not wait for a pipe.
  writeSync(1, `${message}\n`);
  return exit(exitCode);
}

function refuse(sentence: string): never {
  return end(2, `::error title=The mirrors were not checked::${sentence}`);
}

/** The runner hands over an input as INPUT_NAME: https://docs.github.com/actions/reference/metadata-syntax-for-github-actions */
function input(name: string): string {
  return (env[`INPUT_${name.toUpperCase()}`] ?? "").trim();
}

function readFlag(name: string): boolean {
  const text = input(name);
  return text === "true" || (text !== "false" && refuse(`${name} must be true or false.`));
}

function readDuration(name: string): number | undefined {
  const text = input(name);
  if (text === "") return undefined;
  const ms = parseDuration(text);
  return Number.isNaN(ms) ? refuse(`${name} must be a duration such as 500ms, 5s, 30m or 1h.`) : ms;
}

function readMinimum(name: string): number {
  const text = input(name);
  return /^[1-9]\d{0,3}$/.test(text) ? Number(text) : refuse(`${name} must be a number from 1 to 9999.`);
}

// Node.js reads this variable at its start only, and fetch uses no proxy without it:
// https://nodejs.org/api/cli.html#node_use_env_proxy1
const proxies = ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"];
if (env["NODE_USE_ENV_PROXY"] === undefined && proxies.some((name) => env[name])) {
  const environment = { ...env, NODE_USE_ENV_PROXY: "1" };
  const { status } = spawnSync(execPath, [import.meta.filename], { stdio: "inherit", env: environment });
  exit(status ?? 70);
}

const options = {
  min: readMinimum("min"),
  fresh: readFlag("fresh"),
  maxAgeMs: readDuration("max-age"),
  timeoutMs: readDuration("timeout"),
};
const isFailOpen = readFlag("fail-open");

function query() {
  const [url, target] = [input("url"), input("target")];
  return Promise.all([check(url, target, options), pick(url, target, options)]).catch((error: unknown) => {
    if (!(error instanceof TypeError)) throw error;
    return refuse("url must be the URL of a feed, and target must be written as system/project/target.");
  });
}

const [checked, picked] = await query();
const { outcome } = checked;
if (outcome === "unknown") {
  const { reason } = checked;
  const level = isFailOpen ? "warning" : "error";
  const message = `::${level} title=The mirrors are unknown::The feed could not be read (${reason}).`;
  end(isFailOpen ? 0 : 4, message, { outcome, reason });
}
if (outcome === "not_found") {
  end(2, "::error title=There are no such mirrors::The feed knows no such system, project or target.", {
    outcome,
  });
}

const { count, mirrors } = checked;
const url = picked.outcome === "reachable" ? picked.mirror.url : "";
const outputs = { outcome, reachable: String(outcome === "reachable"), count, url };
const { left_out = [] } = checked;
const omitted = left_out.length > 0 ? `, ${left_out.length} left out because of an unknown URL scheme` : "";
const summary = `${count} of ${mirrors.length} mirrors reachable${options.fresh ? " and in sync" : ""}${omitted}`;
if (outcome === "reachable") end(0, `${summary}.`, outputs);
end(1, `::error title=Too few mirrors::${summary}; at least ${options.min} must be.`, outputs);
