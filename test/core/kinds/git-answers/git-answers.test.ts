import { beforeAll, expect, test } from "vitest";
import type { ProbeResult } from "../../../../src/core/probe/probe-node.ts";
import { probeUrl, transportFor } from "../../../support/probing.ts";
import { encodingCases } from "./encoding-cases.ts";
import { framingCases } from "./framing-cases.ts";
import { packetCases } from "./packet-cases.ts";
import { redirectCases } from "./redirect-cases.ts";
import { refCases } from "./ref-cases.ts";
import { statusCases } from "./status-cases.ts";
import { typeCases } from "./type-cases.ts";
import { type Listed, lsRemote } from "../../../support/ls-remote.ts";
import { startRawServer } from "./raw-server.ts";

/** Smaller than `probesAtOnce`, since each Git command runs as two processes. */
const gitsAtOnce = 6;
const probesAtOnce = 12;

/** Raw answers to Git's first request, grouped by what is unusual about them. */
const all = [typeCases, packetCases, refCases, statusCases, framingCases, encodingCases, redirectCases];
const cases = all.flat();

let listed: readonly Listed[] = [];
let results: readonly ProbeResult[] = [];

/** Asks for all cases, at most `atOnce` at a time. */
async function ofAll<Value>(atOnce: number, ask: (index: number) => Promise<Value>): Promise<Value[]> {
  const values: Value[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < cases.length; index = next++) values[index] = await ask(index);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return values;
}

beforeAll(async () => {
  const urlOf = await startRawServer(cases);
  const transport = transportFor();
  [listed, results] = await Promise.all([
    ofAll(gitsAtOnce, (index) => lsRemote(urlOf(index))),
    ofAll(probesAtOnce, (index) => {
      const timeoutMs = cases[index]?.code === "timeout" ? 1500 : 15_000;
      return probeUrl(urlOf(index), { transport, timeoutMs });
    }),
  ]);
  transport.close();
});

test("the table has at least 100 answers with different names", () => {
  expect(cases.length).toBeGreaterThanOrEqual(100);
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
});

test.each(cases.map((row, index) => ({ ...row, index })))("$name: $code", ({ code, difference, index }) => {
  const [git, result] = [listed[index], results[index]];
  if (git === undefined || result === undefined) expect.fail("was not asked");
  expect(result, `git says: ${git.said}`).toMatchObject({ code });
  const agree = git.isGood === (code === "ok");
  expect(agree, `git ${git.isGood ? "lists it" : `says: ${git.said}`}`).toBe(difference === undefined);
  // Git prints zeros for a HEAD whose branch is missing from the advertisement.
  if (result.revision !== undefined && git.isGood && !/^0+$/.test(git.head ?? ""))
    expect(result.revision).toBe(git.head);
});
