import { spawnSync } from "node:child_process";
import { appendFileSync, writeSync } from "node:fs";
import { env, execPath, exit } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { check, type CheckResult, type Mirror, pick, type Reason } from "../client/index.ts";
import { reasonSentences } from "../client/reasons.ts";
import { parseDuration } from "../core/base/text/time.ts";

// The entry point of the action "Check mirrors". Exit codes: 0 if enough mirrors are reachable, 1 if too few are, 2
// if the inputs are invalid or the feed has no such target, 4 if the result is unknown.

type Outputs = Readonly<Record<string, string | number>>;

/**
 * Ends the step with a message. The message must not contain text from a feed, because the runner executes commands
 * that it finds in the log: https://docs.github.com/actions/reference/workflow-commands-for-github-actions
 */
function end(exitCode: number, message: string, outputs: Outputs = {}): never {
  const lines = Object.entries(outputs).map(([name, value]) => `${name}=${value}\n`);
  const file = env["GITHUB_OUTPUT"];
  if (file !== undefined) appendFileSync(file, lines.join(""));
  // Synchronous because exit() does not wait for pipes.
  writeSync(1, `${message}\n`);
  return exit(exitCode);
}

function refuse(sentence: string): never {
  return end(2, `::error title=The mirrors were not checked::${sentence}`);
}

/**
 * The runner passes an input as INPUT_NAME:
 * https://docs.github.com/actions/reference/metadata-syntax-for-github-actions
 */
function input(name: string): string {
  return (env[`INPUT_${name.toUpperCase()}`] ?? "").trim();
}

/** `rule` completes the sentence for an input that does not match. */
function readText(name: string, pattern: RegExp, rule: string): string {
  const text = input(name);
  return pattern.test(text) ? text : refuse(`${name} must ${rule}.`);
}

function readFlag(name: string): boolean {
  return readText(name, /^(true|false)$/, "be true or false") === "true";
}

function readDuration(name: string): number | undefined {
  const text = input(name);
  if (text === "") return undefined;
  const ms = parseDuration(text);
  return Number.isNaN(ms) ? refuse(`${name} must be a duration such as 500ms, 5s, 30m or 1h.`) : ms;
}

// fetch uses a proxy only with NODE_USE_ENV_PROXY, which Node.js reads only when it starts, so start Node.js again:
// https://nodejs.org/api/cli.html#node_use_env_proxy1
const proxies = ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"];
if (env["NODE_USE_ENV_PROXY"] === undefined && proxies.some((name) => env[name])) {
  const environment = { ...env, NODE_USE_ENV_PROXY: "1" };
  const { status } = spawnSync(execPath, [import.meta.filename], { stdio: "inherit", env: environment });
  exit(status ?? 70);
}

const revision = readText("revision", /^([!-~]{7,64})?$/, "have 7 to 64 characters and no spaces");
const isFresh = readFlag("fresh");
if (isFresh && revision !== "") refuse("revision and fresh cannot be combined; leave one out.");
const waitMs = readDuration("wait") ?? 0;

const options = {
  min: Number(readText("min", /^[1-9]\d{0,3}$/, "be a number from 1 to 9999")),
  // Only the report has the mirrors' revisions, and `fresh` makes the client require the report.
  fresh: isFresh || revision !== "",
  maxAgeMs: readDuration("max-age"),
  timeoutMs: readDuration("timeout"),
  publicKey: input("public-key") || undefined,
  site: input("site") || undefined,
  country: input("country") || undefined,
  exclude: input("exclude")
    .split(/[\s,]+/)
    .filter(Boolean),
};
const isFailOpen = readFlag("fail-open");
const fallback = readText("fallback", /^([\w/][!-~]*)?$/, "be a URL without spaces");

function query() {
  const [urls, target] = [input("url").split(/\s+/), input("target")];
  return Promise.all([check(urls, target, options), pick(urls, target, options)]).catch((error: unknown) => {
    if (!(error instanceof TypeError)) throw error;
    return refuse(
      `${error.message}. Set url to one or more feed URLs, target to system/project/target, public-key to the text of mirrorfeed.pub, site to the URL of the site, country to two letters such as DE, and exclude to hosts such as github.com.`,
    );
  });
}

/** If a revision is named, a mirror with wrong content or in maintenance does not count. */
function isWanted({ status, state, maintenance, revision: found = "" }: Mirror): boolean {
  const hasRevision = state !== "wrong" && !maintenance && found.startsWith(revision);
  return status === 1 && (revision === "" || hasRevision);
}

function countOf({ count = 0, mirrors = [] }: CheckResult): number {
  return revision === "" ? count : mirrors.filter(isWanted).length;
}

/** Queries the feed until enough of its mirrors meet the inputs, or the time is up. */
async function queryUntilEnough(): ReturnType<typeof query> {
  const endsAt = Date.now() + waitMs;
  for (let pauseMs = 60_000; ; pauseMs = Math.min(2 * pauseMs, 600_000)) {
    const results = await query();
    const [{ outcome }] = results;
    const leftMs = endsAt - Date.now();
    if (outcome === "not_found" || countOf(results[0]) >= options.min || leftMs <= 0) return results;
    await sleep(Math.min(pauseMs, leftMs));
  }
}

const [checked, picked] = await queryUntilEnough();
const mirror = picked.mirrors?.find(isWanted);
const url = mirror?.url ?? fallback;

/** Ends the step with an annotation: an error, or a warning if the fallback lets it succeed. */
function fail(exitCode: number, title: string, sentence: string, outputs: Outputs): never {
  const isReplaced = mirror === undefined && fallback !== "";
  const code = isReplaced ? 0 : exitCode;
  const level = code === 0 ? "warning" : "error";
  const more = isReplaced ? " The fallback is used instead." : "";
  return end(code, `::${level} title=${title}::${sentence}${more}`, { ...outputs, url });
}

/** The inputs have the names of the command line's options. */
function reasonSentence(reason: Reason): string {
  return reasonSentences[reason].replaceAll("--", "");
}

const passedOver = [checked, picked].flatMap(({ passed_over = [] }) => passed_over);
for (const line of new Set(passedOver.map((feed) => `${feed.url}: ${reasonSentence(feed.reason)}`)))
  writeSync(1, `::warning title=A feed was passed over::${line}\n`);

for (const { outcome, reason, passed_over } of [checked, picked]) {
  if (outcome === "unknown") {
    const sentence = passed_over ? "None of the feeds can be used." : reasonSentence(reason);
    fail(isFailOpen ? 0 : 4, "The mirrors are unknown", sentence, { outcome, reason });
  }
  if (outcome === "not_found")
    fail(2, "There are no such mirrors", "The feed has no such system, project or target.", { outcome });
}

const { mirrors = [] } = checked;
const count = countOf(checked);
const reachable = mirrors.filter(({ status }) => status === 1).length;
const lacking = reachable < options.min ? "unreachable" : "not_fresh";
const outcome = count < options.min ? lacking : "reachable";
const outputs = { outcome, reachable: String(outcome === "reachable"), count, url };
const wanted = revision === "" ? `reachable${isFresh ? " and in sync" : ""}` : "reachable with this revision";
const summary = `${count} of ${mirrors.length} mirrors ${wanted}`;
if (outcome !== "reachable")
  fail(1, "Too few mirrors", `${summary}; at least ${options.min} must be.`, outputs);
if (mirror === undefined)
  fail(1, "Too few mirrors", `${summary}, but the exclude input leaves out all of them.`, outputs);
end(0, `${summary}.`, outputs);
