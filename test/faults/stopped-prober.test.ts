import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { silent } from "../../src/features/demo/mirror-server.ts";
import type { Handler } from "../support/mirror-server.ts";
import { advertisement } from "../support/advertisement.ts";
import { type Child, startProgram } from "../support/child.ts";
import { writeOneTarget } from "../support/one-target.ts";
import { testbed } from "../support/start-testbed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const timeoutMs = 2000;
const honest = 8;

/** Mirrors that have sent a complete response. */
const answered = new Set<string>();

/** Delays each response and redirects once, so that a probe needs the event loop several times. */
const redirecting: Handler = async (exchange) => {
  await sleep(300);
  const { response, path } = exchange;
  response.once("finish", () => path.startsWith("/new/") && answered.add(path));
  if (path.startsWith("/new/")) void advertisement()(exchange);
  else response.writeHead(302, { location: `/new${path}` }).end();
};

/** Starts probing honest mirrors and a dead one, and waits until all have been asked. */
async function startProbing() {
  const [server, dead] = [await testbed.startServer(redirecting), await testbed.startServer(silent())];
  const urls = Array.from({ length: honest }, (_, index) => `${server.url}/m${index}`);
  const folder = temporaryFolder();
  const probe = { timeout: `${timeoutMs}ms`, attempts: 1, perHost: 16, allowPrivate: true };
  writeOneTarget(folder, [...urls, `${dead.url}/m`], { probe });
  const prober = startProgram(["probe", "--json"], { folder });
  await expect.poll(() => [server.requests, dead.requests]).toEqual([honest, 1]);
  return { prober, dead };
}

/** Stops the prober for longer than the probe timeout, as a suspended machine or a long task would. */
async function standStill(prober: Child): Promise<void> {
  prober.process.kill("SIGSTOP");
  await sleep(timeoutMs + 1500);
  prober.process.kill("SIGCONT");
}

async function resultsOf(prober: Child) {
  const { code, stdout, stderr } = await prober.ending;
  expect(code, stderr).toBe(0);
  const { observations, problems } = JSON.parse(stdout) as {
    observations: { id: number; code: string; latency_ms?: number }[];
    problems?: { id: number; error: string }[];
  };
  return { observations, problems, stderr };
}

test("a prober that stood still asks again instead of calling mirrors offline", async () => {
  const { prober } = await startProbing();
  await standStill(prober);
  const { observations, problems } = await resultsOf(prober);
  expect(observations.map(({ code }) => code)).toEqual([...Array<string>(honest).fill("ok"), "timeout"]);
  expect(problems).toBeUndefined();
  for (const { latency_ms = 0 } of observations) expect(latency_ms).toBeLessThan(timeoutMs);
});

test("what failed while it stood still twice is no evidence", async () => {
  const { prober, dead } = await startProbing();
  await standStill(prober);
  await expect.poll(() => dead.requests).toBe(2);
  answered.clear();
  await expect.poll(() => answered.size).toBe(honest);
  await standStill(prober);
  const { observations, problems = [], stderr } = await resultsOf(prober);
  // An honest mirror is ok or has no observation, because the prober may have been stopped before it read the response.
  expect(observations.filter(({ code }) => code !== "ok")).toEqual([]);
  expect(problems).toContainEqual({ id: honest + 1, error: "Stalled" });
  expect(observations.length + problems.length).toBe(honest + 1);
  expect(stderr).toMatch(
    /Warning: this run has no result for \d mirrors?, because this machine stalled twice while probing;/,
  );
});
