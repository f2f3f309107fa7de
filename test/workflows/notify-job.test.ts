import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { type RunningServer, startServer } from "../../src/testbed/server.ts";
import type { GitHub } from "../support/actions.ts";
import { git } from "../support/git.ts";
import {
  copyGitHub,
  createGitHub,
  filesWithToken,
  stateBranch,
  withoutInstallation,
} from "../support/github.ts";
import { mirrorsOf } from "../support/mirrors.ts";
import { commandsOf, expectResults, summaryOf } from "../support/outcome.ts";
import { publishElsewhere } from "../support/publishing.ts";
import { receiver } from "../support/receiver.ts";
import { type JobOutcome, runWorkflow } from "../support/step-runner.ts";
import { type SwitchedMirror, startSwitchedMirror } from "../support/switched-mirror.ts";
import { readWorkflow } from "../support/workflow.ts";

const hostile = "a | b <img src=x> [c](javascript:d) `e` ::error::f ##[error]g";
const signingSecret = `whsec_${Buffer.from("a secret that must stay secret..").toString("base64")}`;
const ops = { type: "webhook", urlEnv: "HOOK_URL", secretEnv: "HOOK_SECRET", allowPrivate: true };

let steady: SwitchedMirror;
let failing: SwitchedMirror;
/** Gets no message: nothing is due in the first run. */
let idle: RunningServer;
/** A repository after its first run, and that run. Each test goes on in a copy of it. */
let started: GitHub;
let first: Jobs;
let github: GitHub;

beforeAll(async () => {
  steady = await startSwitchedMirror();
  failing = await startSwitchedMirror();
  idle = await startServer(({ response }) => {
    response.end();
  });
  const mirrors: unknown = JSON.parse(
    mirrorsOf([{ url: `${steady.url}/a` }, { url: `${failing.url}/a`, name: hostile }]),
  );
  const rules = { notify: { events: ["offline", "feed"], after: "0s", to: ["ops"] }, channels: { ops } };
  started = await createGitHub(JSON.stringify(Object.assign({}, mirrors, rules)));
  started.pagesUrl = "https://octocat.github.io/feed";
  github = started;
  first = await refresh("100", { HOOK_URL: idle.url, HOOK_SECRET: signingSecret });
});
afterAll(async () => {
  for (const server of [steady, failing, idle]) await server.close();
});
beforeEach(() => {
  steady.isDown = false;
  failing.isDown = false;
  github = copyGitHub(started);
});

type Jobs = Record<string, JobOutcome>;

/** Runs a workflow. Each script with a secret leaves a file with the name of its job. */
function refresh(
  runId: string,
  secrets: Readonly<Record<string, string>>,
  file = "refresh.yml",
): Promise<Jobs> {
  const replace = (script: string, job: string): string =>
    `if [ -n "\${HOOK_SECRET:-}" ]; then echo "saw it" >> "${join(github.folder, `saw-${job}`)}"; fi\n${withoutInstallation(script)}`;
  return runWorkflow(readWorkflow(file), { github, runId, secrets, replace });
}

const storedNotifications = z.object({
  runs: z.array(z.tuple([z.string(), z.number()])),
  notifications: z.looseObject({ outbox: z.record(z.string(), z.looseObject({})) }).optional(),
});

async function outbox(): Promise<unknown[]> {
  const text = await git(["--git-dir", github.origin, "show", "mirrorfeed-state:state.json"]);
  return Object.values(storedNotifications.parse(JSON.parse(text)).notifications?.outbox ?? {});
}

/** Moves the last runs of the state back by some hours. */
async function ageState(hours: number): Promise<void> {
  const branch = "refs/heads/mirrorfeed-state";
  const text = await git(["--git-dir", github.origin, "show", `${branch}:state.json`]);
  const state = z.looseObject(storedNotifications.shape).parse(JSON.parse(text));
  const runs = state.runs.map(([id, at]) => [id, at - hours * 3_600_000]);
  await publishElsewhere(
    github.origin,
    { "state.json": JSON.stringify({ ...state, runs }) },
    { ref: branch },
  );
}

const allGood = { refresh: "success", deploy: "success", notify: "success" };

describe("the job notify", () => {
  test("sends what the run decided, once, and is the only one that sees the secrets", async () => {
    const hook = await receiver();
    const secrets = { HOOK_URL: `${hook.url}/hook`, HOOK_SECRET: signingSecret };
    expectResults(first, allGood);
    expect(summaryOf(first)).toContain("## No message was due\n");
    expect(idle.requests).toBe(0);

    failing.isDown = true;
    const second = await refresh("101", secrets);
    expectResults(second, allGood);
    const [request] = hook.requests;
    expect(request?.headers).toMatchObject({
      "webhook-signature": expect.stringMatching(/^v1,/),
      "idempotency-key": expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    expect(JSON.parse(request?.body ?? "")).toMatchObject({
      type: "notification.begin",
      data: {
        feed: { url: "https://octocat.github.io/feed/" },
        events: [{ event: "offline", mirrors: [{ id: 2 }] }],
      },
    });
    expect(summaryOf(second)).toContain("## 1 of 1 messages sent\n");
    expect(summaryOf(second)).toContain("Messages: 1 to send, 0 of them failed before.");
    expect(summaryOf(second)).not.toContain("<img");
    expect(await outbox()).toEqual([]);
    expect((await stateBranch(github)).commits).toBe(1);

    expectResults(await refresh("102", secrets), allGood);
    expect(hook.requests).toHaveLength(1);
    expect([...commandsOf(first), ...commandsOf(second)]).toEqual([]);
    expect(existsSync(join(github.folder, "saw-Notify"))).toBe(true);
    for (const job of ["Probe and build", "Deploy"])
      expect(existsSync(join(github.folder, `saw-${job}`))).toBe(false);
    for (const { folder } of [started, github])
      for (const token of [github.token, signingSecret, secrets.HOOK_URL])
        expect(filesWithToken({ ...github, folder, token })).toEqual([]);
  });

  test("does the same for a run of several machines", async () => {
    const hook = await receiver();
    const secrets = { HOOK_URL: hook.url, HOOK_SECRET: signingSecret };
    failing.isDown = true;
    const jobs = await refresh("101", secrets, "refresh-sharded.yml");
    expectResults(jobs, { probe: "success", build: "success", deploy: "success", notify: "success" });
    expect(hook.requests).toHaveLength(1);
  });

  test("after void runs says that nothing is known", async () => {
    const hook = await receiver();
    const secrets = { HOOK_URL: hook.url, HOOK_SECRET: signingSecret };
    await ageState(3);
    steady.isDown = true;
    failing.isDown = true;
    const jobs = await refresh("101", secrets);
    expectResults(jobs, { ...allGood, deploy: "skipped" });
    expect(hook.requests.map(({ body }): unknown => JSON.parse(body))).toMatchObject([
      { type: "notification.begin", data: { events: [{ event: "feed" }] } },
    ]);
    await refresh("102", secrets);
    expect(hook.requests).toHaveLength(1);
  });

  test("runs after a run that failed too", async () => {
    const hook = await receiver();
    const secrets = { HOOK_URL: hook.url, HOOK_SECRET: signingSecret };
    await ageState(3);
    const replace = (script: string): string =>
      script.includes("cli.js run") ? "exit 2" : withoutInstallation(script);
    const jobs = await runWorkflow(readWorkflow("refresh.yml"), { github, runId: "101", secrets, replace });
    expectResults(jobs, { refresh: "failure", deploy: "skipped", notify: "success" });
    expect(hook.requests).toHaveLength(1);
  });

  test("warns if a message was not accepted, and tries again later", async () => {
    const secrets = { HOOK_URL: failing.url, HOOK_SECRET: signingSecret };
    failing.isDown = true;
    const jobs = await refresh("101", secrets);
    expectResults(jobs, allGood);
    expect(commandsOf(jobs)).toMatchObject([
      { name: "warning", properties: "title=Not every message was accepted" },
    ]);
    expect(summaryOf(jobs)).toContain("## 0 of 1 messages sent\n");
    expect(summaryOf(jobs)).toMatch(/^\| ops \| .* \| failed \| .+ \|$/m);
    expect(await outbox()).toMatchObject([{ attempts: 1 }]);
  });

  test("fails if a secret is missing, and the feed is deployed", async () => {
    failing.isDown = true;
    const jobs = await refresh("101", {});
    expectResults(jobs, { ...allGood, notify: "failure" });
    const output = jobs["notify"]?.steps.map((step) => step.output).join("");
    expect(output).toContain(
      "2 environment variables not set: HOOK_URL (channel ops), HOOK_SECRET (channel ops)",
    );
    expect(await outbox()).toHaveLength(1);
  });
});
