import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createResolver } from "../../src/base/http/resolve.ts";
import { probeUrl, transportFor } from "../support/probing.ts";
import { rawAnswer, type RawServer, startRawServer } from "./raw-answers.ts";
import { seed, trials } from "../support/trials.ts";
import { codes } from "../../src/kinds/kinds.ts";

let server: RawServer;
beforeAll(async () => {
  server = await startRawServer();
});
afterAll(async () => {
  await server.close();
});

const known: ReadonlySet<string> = new Set(codes);
// No request leaves this machine, wherever an answer redirects to.
const isAllowed = (address: string): boolean => address.startsWith("127.");
const resolver = createResolver(new Map(), ["127.0.0.1:9"]);

/** Every batch is probed at once. Whatever undici throws outside of an exchange ends the test run: Vitest hears it. */
async function everyBatch(probe: (place: number, address: string) => Promise<string>): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(rawAnswer, { minLength: 1, maxLength: 120, size: "max" }), async (answers) => {
      server.answer(answers);
      const seen = await Promise.all(
        answers.map((_, place) => probe(place, `127.1.${place >> 8}.${place & 255}`)),
      );
      expect(seen.filter((code) => !known.has(code))).toEqual([]);
    }),
    { seed, numRuns: trials(4, 400), endOnFailure: false },
  );
}

test.each(["git", "http"] as const)(
  "whatever a server answers is an observation of kind %s",
  async (kind) => {
    await everyBatch(async (place, address) => {
      const url = `http://${address}:${server.port}/${place}/`;
      return (await probeUrl(url, { kind, timeoutMs: 250, isAllowed, resolver })).code;
    });
  },
);

test("whatever a server answers, the next request of the connection is an observation too", async () => {
  await everyBatch(async (place, address) => {
    const transport = transportFor({ isAllowed, resolver }).keepingConnections();
    const origin = `http://${address}:${server.port}`;
    const options = { transport, timeoutMs: 250, kind: "http" } as const;
    try {
      const { code } = await probeUrl(`${origin}/${place}/`, options);
      const next = await probeUrl(`${origin}/good`, { ...options, timeoutMs: 10_000 });
      return known.has(code) ? next.code : code;
    } finally {
      transport.close();
    }
  });
});

test.each(["http", "https"] as const)("whatever a proxy answers of %s is an observation", async (scheme) => {
  const proxies = {
    http: `http://127.0.0.1:${server.port}`,
    https: `http://127.0.0.1:${server.port}`,
    except: undefined,
  };
  await everyBatch(async (_, address) => {
    const url = `${scheme}://${address}/`;
    return (await probeUrl(url, { timeoutMs: 250, isAllowed, resolver, proxies })).code;
  });
});

test("whatever answers a TLS handshake is an observation", async () => {
  await everyBatch(async (place, address) => {
    const url = `https://${address}:${server.port}/${place}/`;
    return (await probeUrl(url, { timeoutMs: 250, isAllowed, resolver })).code;
  });
});
