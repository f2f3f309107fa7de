import { existsSync, readdirSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { expect, test } from "vitest";
import { nowhere } from "../support/loopback.ts";
import { type Behaviour, startServer } from "../support/mirror-server.ts";
import { advertisement } from "../support/advertisement.ts";
import { certificateFor } from "../support/certificates.ts";
import { closeAfterFile } from "../support/close-after-test.ts";
import { misbehaviours } from "../support/misbehaviours.ts";
import { type Reply, startResolver } from "../support/name-server.ts";
import { configOf, probeConfig, transportFor } from "../support/probing.ts";
import { cuts, startCutServer, wholeAnswer } from "./cut-answers.ts";
import { seed, trials } from "../support/trials.ts";

const mirrors = trials(500, 10_000);

test(`${mirrors} mirrors of every kind at once end as each does alone, and nothing stays open`, async () => {
  const { kinds, resolver } = await startMirrors();
  const probe = async (urls: readonly string[]): Promise<string[]> => {
    const config = configOf(urls, { timeout: "4s", concurrency: 256, allowPrivate: true });
    const { observations } = await probeConfig(config, {}, transportFor({ resolver }));
    return observations.map(({ code }) => code);
  };
  const drawn = fc.sample(fc.nat({ max: kinds.length - 1 }), { numRuns: mirrors, seed });
  const chosen = [...kinds.keys(), ...drawn].map((kind, number) => ({ kind: kinds[kind], number }));
  const urls = chosen.map(({ kind, number }) => kind?.url(number) ?? "");

  const alone = new Map<string, string>();
  // First, one mirror of each kind is probed. This also loads all modules that are loaded only when needed.
  const single = await probe(kinds.map(({ url }, number) => url(number)));
  for (const [index, { kind }] of kinds.entries()) alone.set(kind, single[index] ?? "timeout");

  const before = resources();
  const codes = await probe(urls);

  const wrong = chosen.flatMap(({ kind, number }, index) => {
    const code = codes[index];
    // The result of a cut response depends on where it is cut. cut-answers.test.ts tries every byte.
    if (kind === undefined || kind.kind.startsWith("cut:")) return [];
    return code === alone.get(kind.kind) ? [] : [`${kind.kind} ${number}: ${code}`];
  });
  expect(wrong, `seed ${seed}`).toEqual([]);
  expect(codes).toHaveLength(urls.length);
  expect(new Set(codes).size).toBeGreaterThan(8);
  // The servers run in this process too, and need time to notice that a client has left.
  const descriptors = (): number => resources().descriptors;
  await expect.poll(descriptors, { interval: 100 }).toBeLessThanOrEqual(before.descriptors);
  expect(resources().heap - before.heap).toBeLessThan(8 * 1024 * 1024 + mirrors * 1024);
});

/** Open descriptors of this process, where the system lists them, and the size of its heap. */
function resources(): { descriptors: number; heap: number } {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc()");
  const list = "/proc/self/fd";
  return {
    descriptors: existsSync(list) ? readdirSync(list).length : 0,
    heap: process.memoryUsage().heapUsed,
  };
}

/** `url` takes the number of a mirror and returns its URL. Each mirror has its own host. */
interface Kind {
  readonly kind: string;
  readonly url: (number: number) => string;
}

const names: Readonly<Record<string, Reply>> = {
  missing: "nxdomain",
  broken: "servfail",
  mute: "silence",
  late: { addresses: ["127.0.0.1"], afterMs: 200 },
};

/** Starts every kind of mirror, good and bad. Each is a server on every address of 127.0.0.0/8. */
async function startMirrors() {
  const kinds: Kind[] = [];
  const everywhere = (kind: string, scheme: string, port: number, path = "mirror"): void => {
    kinds.push({ kind, url: (number) => `${scheme}://${addressOf(number)}:${port}/${path}` });
  };

  const behaviours: [kind: string, Behaviour][] = Object.entries(misbehaviours)
    // It keeps a single count for all its mirrors.
    .filter(([name]) => name !== "flaky")
    .map(([name, behave]) => [name, behave()]);
  for (const [kind, behaviour] of [["good", advertisement()] as const, ...behaviours]) {
    const { port } = closeAfterFile(await startServer(behaviour, { host: "0.0.0.0" }));
    everywhere(kind, "http", port);
  }
  const certificates = {
    "tls: no certificate of its own": await certificateFor("mirror.test"),
    "tls: expired": await certificateFor("127.0.0.1", { expired: true }),
  };
  for (const [kind, tls] of Object.entries(certificates)) {
    const { port } = closeAfterFile(await startServer(advertisement(), { tls, host: "0.0.0.0" }));
    everywhere(kind, "https", port);
  }
  everywhere("refused", "http", Number(new URL(nowhere).port));
  const cutServer = closeAfterFile(await startCutServer());
  for (const cut of cuts) {
    const bytes = (number: number): number => number % (wholeAnswer.length + 1);
    const url = (number: number) => `http://${addressOf(number)}:${cutServer.port}/${cut}/${bytes(number)}`;
    kinds.push({ kind: `cut: ${cut}`, url });
  }

  const { resolver } = await startResolver((name) => names[name.split(".")[1] ?? ""] ?? "nxdomain");
  const { port } = closeAfterFile(await startServer(advertisement()));
  for (const name of Object.keys(names))
    kinds.push({ kind: `dns: ${name}`, url: (number) => `http://m${number}.${name}.test:${port}/mirror` });

  return { kinds, resolver };
}

function addressOf(number: number): string {
  return `127.${1 + ((number >> 16) & 127)}.${(number >> 8) & 255}.${number & 255}`;
}
