import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Family } from "../../../src/core/base/http/address.ts";
import { createResolver, parseHosts } from "../../../src/core/base/http/resolve.ts";
import type { Answered } from "../../../src/core/base/http/connect.ts";
import { familiesCheck, type Hosts, judgeFamilies } from "../../../src/features/families/families.ts";
import { type FamilyCode, familyCode, type HostFamilies } from "../../../src/core/probe/observation.ts";
import { startServer } from "../../support/mirror-server.ts";
import { advertisement } from "../../support/advertisement.ts";
import { certificateFor } from "../../support/certificates.ts";
import { closeAfterTest } from "../../support/close-after-test.ts";
import { hasIpv6 } from "../../support/loopback.ts";
import { startResolver } from "../../support/name-server.ts";
import { configOf, probeConfig, type ProbingOptions, transportFor } from "../../support/probing.ts";
import { stallAddress } from "../../support/stalled-address.ts";
import { trials } from "../../support/trials.ts";

const addresses = { ipv4: "127.0.0.1", ipv6: "::1" } as const;
const other = { ipv4: "ipv6", ipv6: "ipv4" } as const;
const hosts = parseHosts("::1 mirror.test\n127.0.0.1 mirror.test\n127.0.0.1 single.test");
const now = Date.now();

/** Starts a mirror that listens over only one family. */
async function startOver(family: Family, options: Parameters<typeof startServer>[1] = {}) {
  return closeAfterTest(await startServer(advertisement(), { ...options, host: addresses[family] }));
}

type Observing = ProbingOptions & { name?: string; scheme?: string; checked?: Hosts };

/** Probes a mirror on a port, along with controls. Checks its families unless they were checked recently. */
async function observed(
  port: number,
  controls: readonly string[] = [],
  { name = "mirror.test", scheme = "http", checked, ...options }: Observing = {},
): Promise<readonly HostFamilies[] | undefined> {
  const config = configOf([`${scheme}://${name}:${port}/a`, `${scheme}://${name}:${port}/b`], { controls });
  const transport = transportFor({ resolver: createResolver(hosts), ...options });
  const results = await probeConfig(config, { checkHosts: familiesCheck(checked) }, transport);
  expect(results.observations.map(({ code }) => code)).toEqual(["ok", "ok"]);
  return results.families;
}

describe.skipIf(!hasIpv6)("a host with both families (needs IPv6 loopback)", () => {
  test.each(["ipv4", "ipv6"] as const)("that is dead over %s", async (dead) => {
    const mirror = await startOver(other[dead]);
    const proof = await startOver(dead);
    const expected = { host: `mirror.test:${mirror.port}`, [other[dead]]: "ok", [dead]: "refused" };
    expect(await observed(mirror.port, [`${proof.url}/`])).toEqual([expected]);
    expect(mirror.requests).toBe(2);
  });

  test("that is alive over both is connected once more, and asked nothing", async () => {
    const first = await startOver("ipv6");
    const second = await startOver("ipv4", { port: first.port });
    const both = { host: `mirror.test:${first.port}`, ipv4: "ok", ipv6: "ok" };
    expect(await observed(first.port)).toEqual([both]);
    expect([first.requests, second.requests, second.connections]).toEqual([2, 0, 1]);
  });

  test("that has TLS must have it over both", async () => {
    const certificate = await certificateFor("mirror.test");
    const first = await startOver("ipv6", { tls: certificate });
    await startOver("ipv4", { port: first.port, tls: await certificateFor("elsewhere.test") });
    const proof = await startOver("ipv4");
    const options = { scheme: "https", ca: certificate.cert };
    const found = await observed(first.port, [`${proof.url}/`], options);
    expect(found).toMatchObject([{ ipv4: "tls", ipv6: "ok" }]);
  });

  test("that never answers over one costs the run no more than the time limit", async () => {
    const mirror = await startOver("ipv4");
    const stalled = closeAfterTest(await stallAddress("::1", mirror.port));
    expect(stalled.port).toBe(mirror.port);
    const proof = await startOver("ipv6");
    const startedAt = performance.now();
    expect(await observed(mirror.port, [`${proof.url}/`])).toMatchObject([{ ipv4: "ok", ipv6: "timeout" }]);
    expect(performance.now() - startedAt).toBeLessThan(8000);
  });

  test("is not called dead if nothing answered over that family", async () => {
    const mirror = await startOver("ipv4");
    expect(await observed(mirror.port)).toEqual([{ host: `mirror.test:${mirror.port}`, ipv4: "ok" }]);
  });

  test("is not checked again within the hour, nor without knowing when it last was", async () => {
    const mirror = await startOver("ipv4");
    const host = `mirror.test:${mirror.port}`;
    const checked = (minutes: number): Hosts => ({ [host]: { at: now - minutes * 60_000 } });
    expect(await observed(mirror.port, [], { checked: checked(50) })).toBeUndefined();
    expect(await observed(mirror.port, [], { checked: checked(61) })).toEqual([{ host, ipv4: "ok" }]);
    const transport = transportFor({ resolver: createResolver(hosts) });
    const results = await probeConfig(configOf([`http://${host}/a`]), {}, transport);
    expect(results.families).toBeUndefined();
  });

  test("is not connected at an address that may not be probed", async () => {
    const mirror = await startOver("ipv4");
    const forbidden = await startOver("ipv6", { port: mirror.port });
    const isAllowed = (address: string) => address !== "::1";
    expect(await observed(mirror.port, [], { isAllowed })).toBeUndefined();
    expect(forbidden.connections).toBe(0);
  });
});

test.each(["single.test", "127.0.0.1"])("%s, which has one family, is left out", async (name) => {
  const mirror = await startOver("ipv4");
  expect(await observed(mirror.port, [], { name })).toBeUndefined();
});

test.each([
  ["no IPv6", { ipv4: true, ipv6: false }],
  ["an IPv6 without the internet", { ipv4: true, ipv6: "local" } as const],
])("a machine with %s says nothing of it", (_, families) => {
  const transport = transportFor({ families });
  transport.answered.set("a.example.org", { ipv4: "198.41.0.4" });
  transport.answered.set("b.example.org", { ipv6: "2001:503:ba3e::2:30" });
  expect(transport.missingFamily("a.example.org")).toBeUndefined();
  expect(transport.missingFamily("b.example.org")).toBe("ipv4");
  transport.close();
});

test("an AAAA record that comes late keeps the run waiting no longer than the time limit", async () => {
  const mirror = await startOver("ipv4");
  const { resolver } = await startResolver((_, family) =>
    family === 4 ? { addresses: ["127.0.0.1"] } : "silence",
  );
  const startedAt = performance.now();
  expect(await observed(mirror.port, [], { resolver })).toBeUndefined();
  expect(performance.now() - startedAt).toBeLessThan(8000);
});

const networks = { public: ["198.41.0.4", "2001:503:ba3e::2:30"], private: ["10.0.0.1", "fd00::1"] } as const;
const host = fc.record({
  network: fc.constantFrom("public", "private"),
  alive: fc.constantFrom<readonly Family[]>(["ipv4"], ["ipv6"], ["ipv4", "ipv6"]),
  /** Undefined if the host has addresses of only one family, or if its other family was not tried. */
  failure: fc.option(fc.constantFrom<FamilyCode>(...familyCode.options.slice(1)), { nil: undefined }),
});

test("a failure counts if something else in that network was connected over that family", () => {
  fc.assert(
    fc.property(fc.array(host, { maxLength: 6 }), (given) => {
      const named = given.map((one, index) => ({ ...one, host: `m${index}.example.org` }));
      const answered: Answered = new Map(
        named.map(({ host: name, network, alive }) => {
          const [ipv4, ipv6] = networks[network];
          return [name, { ...(alive.includes("ipv4") && { ipv4 }), ...(alive.includes("ipv6") && { ipv6 }) }];
        }),
      );
      const dead = named.filter(({ alive, failure }) => alive.length === 1 && failure !== undefined);
      const failures = new Map(dead.map(({ host: name, failure = "ok" }) => [name, failure]));
      const names = named.map((one) => one.host);
      const judged = judgeFamilies(names, answered, failures);
      const expected = named.flatMap(({ host: name, network, alive, failure }): HostFamilies[] => {
        const [only = "ipv4", second] = alive;
        if (second !== undefined) return [{ host: name, ipv4: "ok", ipv6: "ok" }];
        if (failure === undefined) return [];
        const isProven = named.some((one) => one.network === network && one.alive.includes(other[only]));
        return [{ host: name, [only]: "ok", [other[only]]: isProven ? failure : undefined }];
      });
      expect(judged).toEqual(expected);
    }),
    { numRuns: trials(500) },
  );
});
