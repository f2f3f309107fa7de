import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { notify } from "../../../src/features/notify/notify-command.ts";
import type { Told } from "../../../src/features/notify/told.ts";
import { openFeed } from "../../../src/app/advance-feed.ts";
import { run } from "../../../src/app/commands/run-command.ts";
import { advertisement } from "../../support/advertisement.ts";
import type { RunningServer } from "../../support/mirror-server.ts";
import { closeAfterTest } from "../../support/close-after-test.ts";
import { recorded, sentence } from "../../support/command-context.ts";
import { startGitHubApi, token } from "../../support/github-api.ts";
import { receiver } from "../../support/receiver.ts";
import { serve } from "../../support/serving.ts";
import { hour } from "../../support/playing.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { startSwitchedMirror, type SwitchedMirror } from "../../support/switched-mirror.ts";

const start = Date.parse("2026-03-01T00:00:00Z");

let folder: string;
let steady: RunningServer;
let failing: SwitchedMirror;
let hook: Awaited<ReturnType<typeof receiver>>;

beforeEach(async () => {
  folder = temporaryFolder();
  steady = await serve(advertisement());
  failing = closeAfterTest(await startSwitchedMirror());
  hook = await receiver();
  writeConfig();
});

const webhook = { type: "webhook", urlEnv: "HOOK_URL", allowPrivate: true };
const issues = { type: "github", repository: "example/mirrors", allowPrivate: true };

function writeConfig(keys: object = {}, others: readonly { readonly url: string }[] = [failing]): void {
  const network = [steady, ...others].map(({ url }, index) => {
    return { id: index + 1, url: `${url}/a/b`, ...(index === 1 && { contact: "owner" }) };
  });
  const config = {
    systems: [{ system: "s", projects: [{ project: "p", targets: [{ target: "t", network }] }] }],
    probe: { attempts: 1, allowPrivate: true },
    site: { url: "https://status.example.org/" },
    notify: { to: ["ops"], events: ["offline", "feed"] },
    channels: { ops: webhook, owner: { ...webhook, urlEnv: "OWNER_URL" } },
    ...keys,
  };
  writeFileSync(join(folder, "mirrors.json"), JSON.stringify(config));
}

const options = () => ({ config: join(folder, "mirrors.json"), state: join(folder, "state.json") });

async function runAt(hours: number, more: { notify?: boolean; environment?: Record<string, string> } = {}) {
  const { notify: isNotifying = false, environment = { HOOK_URL: hook.url } } = more;
  const { context, logged } = recorded({ now: () => start + hours * hour, environment });
  expect(await run({ ...options(), out: join(folder, "site"), notify: isNotifying }, context)).toBe(0);
  return logged;
}

async function notifyAt(
  hours: number,
  changes: Partial<Parameters<typeof notify>[0]> = {},
  environment: Record<string, string> = { HOOK_URL: hook.url, OWNER_URL: hook.url },
) {
  const { context, printed, logged } = recorded({ now: () => start + hours * hour, environment });
  const code = await notify({ ...options(), ...changes }, openFeed, context);
  return { code, printed, logged };
}

/** Runs once before an outage of these mirrors, when it begins, and two hours later. */
async function playOutage(times = [0, 1, 3], mirrors = [failing]): Promise<void> {
  for (const at of times) {
    await runAt(at);
    for (const mirror of mirrors) mirror.isDown = true;
  }
}

function lines(): Told["lines"][string][] {
  const state = JSON.parse(readFileSync(options().state, "utf8")) as { notifications?: Told };
  return Object.values(state.notifications?.lines ?? {});
}

describe("notify", () => {
  test("prints what would go where with --dry-run, and keeps it", async () => {
    await playOutage();
    const before = readFileSync(options().state, "utf8");
    const { code, printed } = await notifyAt(3, { dryRun: true }, {});
    expect(code).toBe(0);
    const text = printed.join("\n");
    for (const part of ["To ops (webhook):", `${failing.url}/a/b`, "mirrorfeed probe "])
      expect(text).toContain(part);
    expect(readFileSync(options().state, "utf8")).toBe(before);
    expect(hook.requests).toEqual([]);
    const json = await notifyAt(3, { dryRun: true, json: true }, {});
    expect(JSON.parse(json.printed.join(""))).toEqual([
      { channel: "ops", type: "webhook", message: expect.objectContaining({ more_events: 0 }) },
    ]);
  });

  test("sends again after a failure, later each time", async () => {
    await playOutage();
    hook.status = 503;
    const waiting = "waiting  ops  1 notification until 2026-03-01 03:05 UTC";
    const failed: unknown = expect.stringMatching(/^failed {2}ops {2}.*\. .* status 503\.$/);
    expect((await notifyAt(3)).printed).toEqual([failed, waiting]);
    expect((await notifyAt(3)).printed).toEqual([waiting]);
    hook.status = 400;
    const again = await notifyAt(3.1);
    expect(again.code).toBe(1);
    expect(again.printed[1]).toContain("until 2026-03-01 03:16 UTC");
    expect(again.printed.join("")).not.toContain(hook.url);
    expect(lines()).toEqual([]);
  });

  test("says what waits until when, with --dry-run and --json too, and sends it at once with --retry", async () => {
    await playOutage([21, 22, 23.98]);
    hook.status = 503;
    const next_attempt_at = "2026-03-02T00:04:24.000Z";
    const later = { channel: "ops", outcome: "waiting", waiting: 1, next_attempt_at };
    const json = async (dryRun: boolean): Promise<unknown> =>
      JSON.parse((await notifyAt(23.99, { json: true, dryRun })).printed.join(""));
    const failed = { channel: "ops", message: { more_events: 0 }, outcome: "failed" };
    expect(await json(false)).toMatchObject([failed, later]);
    hook.status = 200;
    const waiting = "waiting  ops  1 notification until 2026-03-02 00:04 UTC";
    expect(await notifyAt(23.99)).toMatchObject({ code: 0, printed: [waiting] });
    expect((await notifyAt(23.99, { dryRun: true })).printed).toEqual([waiting]);
    for (const dryRun of [true, false]) expect(await json(dryRun)).toEqual([later]);
    expect(hook.requests).toHaveLength(1);
    const preview = await notifyAt(23.99, { dryRun: true, retry: true });
    expect(preview.printed.join("")).toContain("To ops (webhook):");
    expect(await notifyAt(23.99, { retry: true })).toMatchObject({ code: 0 });
    expect(hook.requests).toHaveLength(2);
    expect(lines()).toEqual([expect.objectContaining({ channel: "ops", event: "offline" })]);
  });

  test("sends to all channels side by side, so that a slow one holds back no other", async () => {
    const open: ServerResponse[] = [];
    const { url } = await serve(({ response }) => {
      open.push(response);
      if (open.length === 2) for (const one of open) one.writeHead(200).end();
    });
    writeConfig({ notify: { to: ["ops", "owner"], events: ["offline"] } });
    await playOutage();
    const { printed } = await notifyAt(3, {}, { HOOK_URL: url, OWNER_URL: url });
    expect(printed.map((line) => line.slice(0, 11)).sort()).toEqual(["sent  ops  ", "sent  owner"]);
  });

  test("says no more to a channel that takes longer than half of a claim", async () => {
    const mirrors = await Promise.all(Array.from({ length: 3 }, () => startSwitchedMirror()));
    for (const mirror of mirrors) closeAfterTest(mirror);
    writeConfig({ channels: { ops: issues, owner: webhook } }, mirrors);
    await playOutage([0, 1, 3], mirrors);
    let now = start + 3 * hour;
    const api = await startGitHubApi();
    api.isLost = () => {
      now += 3 * 60_000;
      return false;
    };
    const environment = { GITHUB_TOKEN: token, GITHUB_API_URL: api.url };
    const { context } = recorded({ now: () => now, environment });
    for (const count of [2, 3]) {
      expect(await notify(options(), openFeed, context)).toBe(0);
      expect(api.issues).toHaveLength(count);
      const confirmed = lines().filter(({ claim }) => claim === undefined);
      expect(confirmed.map(({ number }) => number).sort()).toEqual([1, 2, 3].slice(0, count));
    }
  });

  test("sends a test to a channel without a state, and as an issue", async () => {
    writeConfig({ channels: { ops: webhook, issues } }, []);
    const api = await startGitHubApi();
    const environment = { HOOK_URL: hook.url, GITHUB_TOKEN: token, GITHUB_API_URL: api.url };
    const line = "sent  ops  A test of the channel ops";
    expect(await notifyAt(0, { test: "ops" }, environment)).toMatchObject({ code: 0, printed: [line] });
    await notifyAt(1, { test: "ops" }, environment);
    const ids = hook.requests.map(({ headers }) => headers["idempotency-key"]);
    expect([ids.length, new Set(ids).size]).toEqual([2, 2]);
    expect((await notifyAt(0, { test: "issues" }, environment)).code).toBe(0);
    expect(api.issues).toMatchObject([{ state: "open", title: "A test of the channel issues" }]);
    hook.status = 500;
    expect((await notifyAt(0, { test: "ops" }, environment)).code).toBe(1);
    expect(await sentence(notifyAt(0, { test: "pager" }))).toContain("choose one of ops, issues.");
    expect(existsSync(options().state)).toBe(false);
  });

  test("says that the published site serves an old run, as far as it can tell", async () => {
    let served: object = {};
    const site = await serve(({ response, path }) => {
      response.writeHead(path === "/v1/report/" ? 200 : 404).end(JSON.stringify(served));
    });
    writeConfig({ site: { url: site.url, interval: "1h" }, notify: { to: ["ops"], events: ["feed"] } });
    for (const at of [0, 1, 2, 3, 4]) await runAt(at);
    expect((await notifyAt(4)).printed).toEqual(["Nothing to send."]);
    served = { generated_at: new Date(start + hour).toISOString() };
    expect((await notifyAt(4)).printed[0]).toContain("sent  ops  ");
    expect(hook.requests[0]?.body).toContain("still shows the run of 1 Mar 2026, 01:00 UTC");
    served = { generated_at: new Date(start + 4 * hour).toISOString() };
    expect((await notifyAt(4)).printed[0]).toContain("the published site is up to date again");
  });

  test("sends to the other channels if a variable is not set, and says which", async () => {
    writeConfig({ notify: { to: ["ops", "contact"], events: ["offline"] } });
    await playOutage();
    const problem = await sentence(notifyAt(3, {}, { OWNER_URL: hook.url }));
    expect(problem).toBe("channels.ops: HOOK_URL is not set.");
    expect(hook.requests).toHaveLength(1);
    expect(lines()).toEqual([expect.objectContaining({ channel: "owner" })]);
    const { context, printed } = recorded({ now: () => start + 3 * hour });
    await expect(notify({ ...options(), json: true }, openFeed, context)).rejects.toThrow("HOOK_URL");
    expect(printed).toEqual(["[]"]);
  });
});

test("a key that cannot sign is refused before anything is probed, and costs no attempt", async () => {
  const signed = { ...webhook, secretEnv: "HOOK_SECRET" };
  writeConfig({
    notify: { to: ["ops", "signed"], events: ["offline"] },
    channels: { ops: webhook, owner: webhook, signed },
  });
  await playOutage();
  const probed = steady.requests;
  const environment = { HOOK_URL: hook.url, HOOK_SECRET: "whsec_geheim" };
  const problem =
    'channels.signed: HOOK_SECRET does not hold a signing key; set it to whsec_ followed by 24 to 64 bytes in Base64, such as the output of "openssl rand -base64 32".';
  expect(await sentence(runAt(4, { notify: true, environment }))).toBe(problem);
  expect(steady.requests).toBe(probed);
  expect(await sentence(notifyAt(3, {}, environment))).toBe(problem);
  expect(hook.requests).toHaveLength(1);
  expect(lines()).toEqual([expect.objectContaining({ channel: "ops" })]);
});

test("run --notify sends after the run, and keeps its exit code", async () => {
  await playOutage();
  const logged = await runAt(4, { notify: true });
  expect(hook.requests).toHaveLength(1);
  expect(logged.at(-1)).toMatch(/^sent {2}ops {2}/);
});
