// The step of action.yml beside it: asks the feed, writes the outputs, and exits with 0 where enough mirrors are
// reachable, 1 where not, 2 where the question is not right or the feed has no such target, 4 where nothing is known.
import { appendFileSync, existsSync, writeSync } from "node:fs";

const { env } = process;
const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Ends the step with a sentence; texts that came from elsewhere are not in it, for the runner obeys its log. */
function end(exitCode, sentence, outputs = {}) {
  const lines = Object.entries(outputs).map(([name, value]) => `${name}=${value}\n`);
  appendFileSync(env.GITHUB_OUTPUT, lines.join(""));
  // Written before it ends, wherever stdout leads.
  writeSync(1, `${sentence}\n`);
  process.exit(exitCode);
}

function refuse(sentence) {
  end(2, `::error title=The mirrors were not checked::${sentence}`);
}

function readFlag(name) {
  const text = env[name];
  if (text !== "true" && text !== "false") refuse(`${input(name)} must be true or false.`);
  return text === "true";
}

function readTime(name) {
  const text = env[name];
  if (text === "") return undefined;
  const [, amount, unit] = /^(\d{1,6})(ms|[smhd])$/.exec(text) ?? [];
  if (amount === undefined) refuse(`${input(name)} must be a time such as 500ms, 5s, 30m or 1h.`);
  return Number(amount) * units[unit];
}

function readMinimum(name) {
  if (!/^[1-9]\d{0,3}$/.test(env[name])) refuse(`${input(name)} must be a number from 1 to 9999.`);
  return Number(env[name]);
}

function input(name) {
  return name.replace("FEED_", "").replace("_", "-").toLowerCase();
}

/** The client of this commit: compiled, where it was, or else its source. */
async function loadClient() {
  const compiled = new URL("../../../dist/client/index.js", import.meta.url);
  if (existsSync(compiled)) return import(compiled);
  if (!process.features.typescript)
    refuse("Node 22.18 or newer must be on the PATH; set it up in a step before this one.");
  return import(new URL("../../../src/client/index.ts", import.meta.url));
}

const options = {
  min: readMinimum("FEED_MIN"),
  fresh: readFlag("FEED_FRESH"),
  maxAgeMs: readTime("FEED_MAX_AGE"),
  timeoutMs: readTime("FEED_TIMEOUT"),
};
const isFailOpen = readFlag("FEED_FAIL_OPEN");
const { check, pick } = await loadClient();

const [checked, picked] = await ask();
const { outcome, count, reason } = checked;
if (outcome === "unknown") {
  const level = isFailOpen ? "warning" : "error";
  const sentence = `::${level} title=The mirrors are unknown::The feed could not be read (${reason}).`;
  end(isFailOpen ? 0 : 4, sentence, { outcome, reason });
}
if (outcome === "not_found")
  end(2, "::error title=There are no such mirrors::The feed knows no such system, project or target.", {
    outcome,
  });

const outputs = { outcome, reachable: outcome === "reachable", count, url: picked.mirror?.url ?? "" };
const summary = `${count} of ${checked.mirrors.length} mirrors reachable${options.fresh ? " and in sync" : ""}`;
if (outcome === "reachable") end(0, `${summary}.`, outputs);
end(1, `::error title=Too few mirrors::${summary}; at least ${options.min} must be.`, outputs);

async function ask() {
  try {
    const { FEED_URL: url, FEED_TARGET: target } = env;
    return await Promise.all([check(url, target, options), pick(url, target, options)]);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return refuse("url must be that of a site, and target written as system/project/target.");
  }
}
