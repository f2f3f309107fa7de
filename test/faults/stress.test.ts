import { existsSync, readdirSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startStress, type Stress } from "./stress.ts";
import { seed, trials } from "../support/trials.ts";

let stress: Stress;
beforeAll(async () => {
  stress = await startStress();
});
afterAll(async () => {
  await stress.close();
});

const timeoutMs = 4000;
const mirrors = trials(500, 10_000);

test(`${mirrors} mirrors of every kind at once end as each does alone, and nothing stays open`, async () => {
  const { kinds, probe } = stress;
  const drawn = fc.sample(fc.nat({ max: kinds.length - 1 }), { numRuns: mirrors, seed });
  const chosen = [...kinds.keys(), ...drawn].map((kind, number) => ({ kind: kinds[kind], number }));
  const urls = chosen.map(({ kind, number }) => kind?.url(number) ?? "");

  const alone = new Map<string, string>();
  // One of each kind first, which also loads whatever is loaded once.
  const single = await probe(
    kinds.map(({ url }, number) => url(number)),
    timeoutMs,
  );
  for (const [index, { kind }] of kinds.entries()) alone.set(kind, single[index] ?? "timeout");

  const before = resources();
  const codes = await probe(urls, timeoutMs);

  const wrong = chosen.flatMap(({ kind, number }, index) => {
    const code = codes[index];
    // What a cut answer comes to depends on its byte: cut-answers.test.ts has them all.
    if (kind === undefined || kind.kind.startsWith("cut:")) return [];
    return code === alone.get(kind.kind) ? [] : [`${kind.kind} ${number}: ${code}`];
  });
  expect(wrong, `seed ${seed}`).toEqual([]);
  expect(codes).toHaveLength(urls.length);
  expect(new Set(codes).size).toBeGreaterThan(8);
  // The servers are in this process too, and need some time to see that a client has left.
  await vi.waitFor(
    () => {
      expect(resources().descriptors).toBeLessThanOrEqual(before.descriptors);
    },
    { timeout: 60_000, interval: 100 },
  );
  expect(resources().heap - before.heap).toBeLessThan(8 * 1024 * 1024 + mirrors * 1024);
});

/** The open sockets and pipes of this process where the system lists them, and what its heap holds. */
function resources(): { descriptors: number; heap: number } {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc()");
  const list = "/proc/self/fd";
  return {
    descriptors: existsSync(list) ? readdirSync(list).length : 0,
    heap: process.memoryUsage().heapUsed,
  };
}
