import { beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { git } from "../support/git.ts";
import { copyRepository, filesWith, type Repository, stateBranch, token } from "../support/github.ts";
import { notify, refresh, startFeed } from "../support/job.ts";
import { receiver } from "../support/receiver.ts";
import { parseWorkflow, readWorkflow } from "../support/workflow.ts";

const workflow = parseWorkflow(readWorkflow("refresh.yml"));
const signingSecret = `whsec_${Buffer.from("a secret that must stay secret..").toString("base64")}`;
const url = "https://octocat.github.io/feed";

const ops = { type: "webhook", urlEnv: "HOOK_URL", secretEnv: "HOOK_SECRET", allowPrivate: true };
const rules = { notify: { events: ["offline", "feed"], after: "0s", to: ["ops"] }, channels: { ops } };
/** A repository after its first run. Each test continues in a copy. */
const { steady, failing, started } = await startFeed(workflow, rules, url);
let repository: Repository;

beforeEach(() => {
  steady.isDown = false;
  failing.isDown = false;
  repository = copyRepository(started);
});

const storedNotifications = z.object({
  runs: z.array(z.tuple([z.string(), z.number()])),
  notifications: z
    .looseObject({ lines: z.record(z.string(), z.looseObject({})), channels: z.looseObject({}) })
    .optional(),
});

/** Returns what the channels were told. */
async function told() {
  const text = await git(["--git-dir", repository.origin, "show", "mirrorfeed-state:state.json"]);
  return storedNotifications.parse(JSON.parse(text)).notifications;
}

describe("the job notify", () => {
  test("tells once what is so after a run", async () => {
    const hook = await receiver();
    const secrets = { HOOK_URL: `${hook.url}/hook`, HOOK_SECRET: signingSecret };
    const early = await notify(repository, workflow, secrets, url);
    expect(early, early.output).toMatchObject({ result: "success", summary: "## Nothing to send\n\n\n" });
    expect(hook.requests).toEqual([]);

    failing.isDown = true;
    const second = await refresh(repository, workflow, { runId: "101", url });
    expect(second.summary).toContain("Notifications: 1 to send.");
    const { summary, ...sent } = await notify(repository, workflow, secrets, url);
    expect(sent, sent.output).toMatchObject({ result: "success", commands: [] });
    const [request] = hook.requests;
    expect(request?.headers).toMatchObject({
      "webhook-signature": expect.stringMatching(/^v1,/),
      "idempotency-key": expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    expect(JSON.parse(request?.body ?? "")).toMatchObject({
      type: "notification",
      data: { feed: { url: `${url}/` }, events: [{ event: "offline", mirrors: [{ id: 2 }] }] },
    });
    expect(summary).toContain("## Notifications: 1 of 1 sent\n");
    expect(summary).not.toContain("<img");
    expect(Object.values((await told())?.lines ?? {})).toMatchObject([{ event: "offline", nodes: [2] }]);
    expect((await stateBranch(repository)).commits).toBe(1);

    await refresh(repository, workflow, { runId: "102", url });
    expect(await notify(repository, workflow, secrets, url)).toMatchObject({ result: "success" });
    expect(hook.requests).toHaveLength(1);
    for (const secret of [token, signingSecret, secrets.HOOK_URL])
      expect(filesWith(secret, repository.folder)).toEqual([]);
  });

  test("warns if a message was not accepted, and tries again later", async () => {
    failing.isDown = true;
    await refresh(repository, workflow, { runId: "101" });
    const secrets = { HOOK_URL: failing.url, HOOK_SECRET: signingSecret };
    const { result, commands, summary } = await notify(repository, workflow, secrets);
    expect(result).toBe("success");
    expect(commands).toMatchObject([
      { name: "warning", properties: "title=Not every notification was accepted" },
    ]);
    expect(summary).toContain("## Notifications: 0 of 1 sent, 1 waiting\n");
    expect(summary).toMatch(/^\| ops \| .* \| failed \| .+ \| {2}\|$/m);
    expect(await told()).toMatchObject({ lines: {}, channels: { ops: { failures: 1 } } });
    const early = await notify(repository, workflow, secrets);
    expect(early).toMatchObject({ result: "success", commands: [] });
    expect(early.summary).toContain("## Notifications: 1 waiting\n");
    expect(early.summary).toMatch(/^\| ops \| .* \| waiting \| {2}\| [^|]*UTC \|$/m);
  });

  test("fails if a secret is missing", async () => {
    failing.isDown = true;
    await refresh(repository, workflow, { runId: "101" });
    const { result, output } = await notify(repository, workflow, {});
    expect(result).toBe("failure");
    expect(output).toContain("channels.ops: HOOK_URL and HOOK_SECRET are not set.");
    expect(await told()).toEqual({ lines: {}, channels: {} });
  });

  test("has the only step that sees a secret of the channels, as sign has of the key, and runs whatever the run before it saw", () => {
    const isSecret = (text: string): boolean => /\bsecrets\.(?!GITHUB_TOKEN\b)/.test(text);
    const holders = Object.entries(workflow.jobs).flatMap(([job, { steps }]) =>
      steps.filter(({ env }) => Object.values(env).some(isSecret)).map(({ name }) => `${job}: ${name ?? ""}`),
    );
    expect(holders).toEqual(["sign: Sign the site", "notify: Send pending notifications"]);
    expect(workflow.jobs["notify"]).toMatchObject({
      needs: "refresh",
      if: "${{ !cancelled() && needs.refresh.outputs.receivers != '' }}",
    });
    expect(workflow.jobs["refresh"]).toMatchObject({
      outputs: { receivers: "${{ steps.receivers.outputs.named }}" },
    });
  });
});
