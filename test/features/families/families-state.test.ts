import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type FamilyCode, familyCode, type HostFamilies } from "../../../src/core/probe/observation.ts";
import { familiesAfter, type Hosts } from "../../../src/features/families/families.ts";
import { onlineVantages } from "../../../src/core/state/online.ts";
import { listNodes } from "../../../src/core/config/nodes.ts";
import type { Round } from "../../../src/core/state/round.ts";
import { networkAt, nodesAt, projectConfig, vantageOf } from "../../support/rounds.ts";
import { nodesOf, targetsOf } from "../../../src/core/feed/feed.ts";
import { notifiedConfig, playRun } from "../../support/notified-feed.ts";
import { hour, midnight } from "../../support/playing.ts";
import { trials } from "../../support/trials.ts";
import { advanceState, resolveStored } from "../../../src/app/advance-feed.ts";

const host = "a.example.org";
const nodes = nodesAt([host, host, "b.example.org"]);

/** Returns the host's state after checks of IPv6 at the times 1, 2, …. Each check has what each location found. */
function after(...checks: readonly (readonly (FamilyCode | undefined)[])[]): Hosts[string] | undefined {
  let hosts: Hosts | undefined;
  for (const [index, codes] of checks.entries()) {
    const online = codes.map((ipv6) => ({ families: [{ host, ipv4: "ok", ipv6 }] satisfies HostFamilies[] }));
    hosts = familiesAfter(hosts, nodes, online, index + 1);
  }
  return hosts?.[host];
}

describe("a family of a host", () => {
  const once = { streak: 1 } as const;
  test.each<[string, ReturnType<typeof after>, Hosts[string]["ipv6"]]>([
    ["that fails once is not unreachable yet", after(["ok"], ["tls"]), { code: "tls", at: 2, ...once }],
    ["that fails twice in a row is", after(["ok"], ["tls"], ["reset"]), { code: "reset", at: 3, since: 3 }],
    ["that answers once is not", after(["tls"], ["tls"], ["ok"]), { code: "ok", at: 3, since: 2, ...once }],
    ["that one location reaches is not", after(["tls", "ok"], ["ok", "tls"]), { code: "ok", at: 2 }],
    ["that was not observed stays as it was", after(["tls"], [undefined]), { code: "tls", at: 1, ...once }],
    ["is known from those that observed it", after([undefined, "tls"]), { code: "tls", at: 1, ...once }],
  ])("%s", (_, known, expected) => {
    expect(known?.ipv6).toEqual(expected);
  });

  test("turns with two equal checks in a row, and with nothing else", () => {
    const sights = fc.constantFrom<FamilyCode | undefined>(...familyCode.options, undefined);
    fc.assert(
      fc.property(fc.array(sights, { maxLength: 12 }), (codes) => {
        let isDown = false;
        const seen: boolean[] = [];
        for (const code of codes) {
          if (code !== undefined) seen.push(code !== "ok");
          const [before, last] = seen.slice(-2);
          if (last !== undefined && before === last) isDown = last;
        }
        const known = after(...codes.map((code) => [code]));
        expect(known?.ipv6?.since !== undefined).toBe(isDown);
        expect(known?.ipv4).toEqual(codes.length === 0 ? undefined : { code: "ok", at: codes.length });
      }),
      { numRuns: trials(500) },
    );
  });
});

test("hosts without a check stay, those that left the feed go, and names of object keys are only names", () => {
  const odd = nodesAt(["constructor", "__proto__", host]);
  const checks = [{ families: [{ host: "gone.example.org", ipv4: "ok" }] satisfies HostFamilies[] }];
  expect(familiesAfter(undefined, odd, [], 1)).toBeUndefined();
  expect(familiesAfter(undefined, odd, checks, 1)).toBeUndefined();
  const known = { [host]: { at: 1 }, "gone.example.org": { at: 1 } };
  expect(familiesAfter(known, odd, checks, 2)).toEqual({ [host]: { at: 1 } });
});

test("a late round changes nothing that is known of a family", () => {
  const config = projectConfig([{ target: "t", network: networkAt([`https://${host}/a`]) }]);
  const roundAt = (at: number, ipv6: FamilyCode): Round => {
    const vantage = { ...vantageOf("eu", ["ok"]), families: [{ host, ipv4: "ok", ipv6 } as const] };
    return { run: `r${at}`, at, vantages: [vantage] };
  };
  const { state } = advanceState(config, listNodes(config), roundAt(5 * hour, "ok"), undefined);
  expect(state?.hosts?.[host]?.ipv6).toEqual({ code: "ok", at: 5 * hour });
  const late = advanceState(config, listNodes(config), roundAt(hour, "tls"), state);
  expect(late.state?.hosts).toEqual(state?.hosts);
});

test("what an offline shard observed of a family does not count", () => {
  const families = (ipv6: FamilyCode): HostFamilies[] => [{ host, ipv4: "ok", ipv6 }];
  const { controls, observations } = vantageOf("eu", ["timeout", "timeout"], ["timeout"]);
  const online = vantageOf("eu", [undefined, undefined, "ok"], ["ok"]);
  const shards = [
    { index: 1, controls, observations, families: families("refused") },
    { index: 2, ...online, families: families("ok") },
  ];
  const all = { ...online, families: shards.flatMap((shard) => shard.families), shards };
  expect(onlineVantages(nodes, [all]).map((one) => one.families)).toEqual([families("ok")]);
});

test.each<[string, 0 | 1, number, object | undefined]>([
  ["of the last day", 1, 23, { ipv4: "ok", ipv6: "refused" }],
  ["of the last day, if the mirror is offline,", 0, 23, undefined],
  ["of a day ago", 1, 24, undefined],
])("what a check %s found of the families of a host", (_, status, hours, families) => {
  const own = notifiedConfig([{ id: 1 }]);
  const known = playRun(own, undefined, { at: 0, seen: { 1: status === 1 ? "ok" : "timeout" } });
  const at = midnight - hours * hour;
  const found = { at, ipv4: { at, code: "ok" }, ipv6: { at, code: "refused", since: at } } as const;
  const hosts = { "a.example.org": found };
  const [node] = nodesOf(targetsOf(resolveStored(own, listNodes(own), { ...known, hosts }).systems));
  expect(node?.families).toEqual(families);
  expect(node?.unreachable_family).toBe(families && "ipv6");
  expect(node?.family_outages).toEqual({ ipv6: new Date(at).toISOString() });
});
