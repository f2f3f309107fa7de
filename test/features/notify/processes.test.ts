import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, expect, test } from "vitest";
import { startServer } from "../../../src/features/demo/mirror-server.ts";
import { type ProcessExit, startProgram } from "../../support/child.ts";
import { closeAfterTest } from "../../support/close-after-test.ts";
import { runInProcess } from "../../support/in-process.ts";
import { newRemote } from "../../support/git.ts";
import { mirrorsOf } from "../../support/one-target.ts";
import { startSwitchedMirror } from "../../support/switched-mirror.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

interface Delivered {
  readonly id: unknown;
  readonly events: readonly { readonly id: string; readonly phase: string }[];
}

let folder: string;
let failing: Awaited<ReturnType<typeof startSwitchedMirror>>;
let delivered: Delivered[];
let url: string;
/** What the receiver does before it answers. */
let onRequest: () => Promise<unknown>;

beforeEach(async () => {
  const steady = await startSwitchedMirror();
  failing = await startSwitchedMirror();
  delivered = [];
  onRequest = () => sleep(1000);
  const receiver = await startServer(async ({ request, response }) => {
    const { data } = (await json(request)) as { data: Pick<Delivered, "events"> };
    delivered.push({ id: request.headers["idempotency-key"], events: data.events });
    await onRequest();
    response.writeHead(200).end();
  });
  ({ url } = closeAfterTest(receiver));
  folder = temporaryFolder();
  const mirrors = JSON.parse(mirrorsOf([{ url: `${steady.url}/a` }, { url: `${failing.url}/a` }])) as object;
  const ops = { type: "webhook", urlEnv: "HOOK_URL", allowPrivate: true };
  const rules = { notify: { events: ["offline"], after: "0s", to: ["ops"] }, channels: { ops } };
  writeFileSync(join(folder, "mirrors.json"), JSON.stringify({ ...mirrors, ...rules }));
});

const start = (...parameters: readonly string[]) =>
  startProgram(parameters, { folder, environment: { HOOK_URL: url } });
/** Runs a command whose process does not matter. */
const mirrorfeed = (...parameters: readonly string[]) =>
  succeed(runInProcess(parameters, { folder, environment: { HOOK_URL: url } }));
const succeed = async (ending: Promise<ProcessExit>): Promise<ProcessExit> => {
  const ended = await ending;
  expect(ended, ended.stderr).toMatchObject({ code: 0 });
  return ended;
};
const phases = (): string[] => delivered.flatMap(({ events }) => events.map(({ phase }) => phase));

test.each(["file", "branch"])(
  "with a state in a %s and a slow receiver, several processes at once tell once that a mirror is offline, and once that it is back",
  async (kind) => {
    const branch = ["--state", "branch:states", "--state-remote", await newRemote()];
    const state = kind === "file" ? ["--state", "state.json"] : branch;
    await mirrorfeed("run", ...state);
    failing.isDown = true;
    await mirrorfeed("run", ...state);
    await Promise.all(["1", "2", "3"].map(() => succeed(start("notify", ...state).ending)));
    expect(phases()).toEqual(["begin"]);
    failing.isDown = false;
    const outs = ["one", "two"].map((out) => start("run", "--notify", "--out", out, ...state));
    await Promise.all([...outs, start("notify", ...state)].map(({ ending }) => succeed(ending)));
    await mirrorfeed("notify", ...state);
    expect(phases()).toEqual(["begin", "end"]);
  },
);

test("a process that is killed between sending and confirming tells twice at most, with the same id", async () => {
  const file = join(folder, "state.json");
  const state = ["--state", "state.json"];
  await mirrorfeed("run", ...state);
  failing.isDown = true;
  await mirrorfeed("run", ...state);
  const killed = start("notify", ...state);
  onRequest = () => {
    killed.process.kill("SIGKILL");
    return killed.ending;
  };
  expect((await killed.ending).signal).toBe("SIGKILL");
  onRequest = () => Promise.resolve();
  // Until the claim has lapsed, another process may still be sending.
  expect((await mirrorfeed("notify", ...state)).stdout).toBe("Nothing to send.\n");
  const lapsed = (until: string): string => String(Number(until) - 600_000);
  writeFileSync(file, readFileSync(file, "utf8").replace(/(?<="until":)\d+/, lapsed));
  await mirrorfeed("notify", ...state);
  expect(phases()).toEqual(["begin", "begin"]);
  expect(new Set(delivered.map(({ id }) => id)).size).toBe(1);
  failing.isDown = false;
  await mirrorfeed("run", "--notify", ...state);
  expect(phases()).toEqual(["begin", "begin", "end"]);
  expect(new Set(delivered.flatMap(({ events }) => events.map(({ id }) => id))).size).toBe(1);
});
