import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { advertisement } from "../support/advertisement.ts";
import { testbed } from "../support/start-testbed.ts";
import { misbehaviours } from "../support/misbehaviours.ts";
import type { Handler } from "../support/mirror-server.ts";
import { bundled } from "../support/bundled.ts";
import { certificateFor } from "../support/certificates.ts";
import { startChild } from "../support/child.ts";
import { isLong, trials } from "../support/trials.ts";
import { writeConfig } from "../support/versions.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const rounds = trials(100, 10_000);
const samples = trials(20, 200);
/** How many bytes the heap may grow. Short tests allow more, since newly compiled code still makes it grow. */
const maxGrowth = (isLong ? 1 : 2) * 1024 * 1024;
/**
 * The rounds span 400 days, so the 90 days of history are full before the second quarter of the rounds. The test compares
 * that quarter with the fourth.
 */
const everyMs = Math.ceil((400 * 24 * 3_600_000) / rounds);

/** Misbehaviours that take up the whole timeout. */
const slow: readonly string[] = ["silent", "drip", "dripHeaders"];
/** Misbehaviours that are left out of most requests, because they keep a count or take longer than a round. */
const seldomUsed: readonly string[] = [...slow, "flaky", "slow", "moved"];

function handlers(isChosen: (name: string) => boolean): Handler[] {
  return Object.entries(misbehaviours).flatMap(([name, behave]) => {
    const behaviour = isChosen(name) ? behave() : undefined;
    return typeof behaviour === "function" ? [behaviour] : [];
  });
}

/** A mirror that behaves differently on each request. */
function everyKind(offset: number): Handler {
  const often = [advertisement(), ...handlers((name) => !seldomUsed.includes(name))];
  const seldom = handlers((name) => slow.includes(name));
  let requests = offset;
  return (exchange) => {
    requests += 1;
    const from = requests % 300 === 0 ? seldom : often;
    const kind = Math.floor(requests / (from === seldom ? 300 : 1)) % from.length;
    return (from[kind] ?? advertisement())(exchange);
  };
}

const sampleSchema = z.record(z.enum(["round", "heap", "rss", "descriptors", "logged"]), z.number());

function median(numbers: readonly number[]): number {
  return [...numbers].sort((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

test(`a watch of ${rounds} rounds against mirrors of every kind keeps its memory and its descriptors`, async ({
  annotate,
}) => {
  const provider = await testbed.startProvider();
  const tls = await certificateFor("localhost");
  let asked = 0;
  const urls = [
    // In every hundredth round this mirror fails too. Unless another mirror happens to be good, the round is void.
    provider.mount("good/0", (exchange) =>
      ++asked % 100 === 0 ? misbehaviours.serverError()(exchange) : advertisement()(exchange),
    ).url,
    ...Array.from({ length: 6 }, (_, index) => provider.mount(`bad/${index + 1}`, everyKind(index * 5)).url),
    (await testbed.startServer(advertisement(), { tls })).url,
    (await testbed.startServer(misbehaviours.resetAtConnection())).url,
    (await testbed.startServer(misbehaviours.sshBanner())).url,
    testbed.refusedUrl,
  ];
  const folder = temporaryFolder();
  writeConfig(folder, "mirrors.json", ["packages"], urls, { timeout: "250ms", attempts: 1 });
  const script = bundled(join(import.meta.dirname, "watch-rounds.js"));
  const parameters = [join(folder, "mirrors.json"), folder, rounds, everyMs, samples].map(String);
  const child = startChild(process.execPath, ["--expose-gc", script, ...parameters], { folder });
  const ended = await child.ending;
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  const seen = ended.stdout
    .trim()
    .split("\n")
    .map((line) => sampleSchema.parse(JSON.parse(line)));
  expect(seen.at(-1)?.round).toBe(rounds);
  const quarter = (number: number) =>
    seen.slice((number * seen.length) / 4, ((number + 1) * seen.length) / 4);
  const grown = (key: "heap" | "descriptors"): number =>
    median(quarter(3).map((one) => one[key])) - median(quarter(1).map((one) => one[key]));
  if (isLong) await annotate(JSON.stringify([0, 1, 2, 3].map((number) => quarter(number).at(-1))));
  expect(grown("heap"), "bytes of the heap, from the second quarter to the last").toBeLessThan(maxGrowth);
  expect(grown("descriptors"), "descriptors, from the second quarter to the last").toBeLessThanOrEqual(0);
});
