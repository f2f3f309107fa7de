import * as z from "../../core/base/zod.ts";
import { type Family, isPublic, literalAddress } from "../../core/base/http/address.ts";
import { group } from "../../core/base/text/group.ts";
import { hourMs } from "../../core/base/text/time.ts";
import { timestampIfAny } from "../../core/base/text/timestamp.ts";
import type { Node } from "../../core/config/nodes.ts";
import { type Reachability, verifiedForMs } from "../../core/feed/feed-node.ts";
import { families, type FamilyCode, familyCode, type HostFamilies } from "../../core/probe/observation.ts";
import { damp } from "../../core/state/node-state.ts";
import type { VantageRound } from "../../core/state/round.ts";
import { timestamp } from "../../core/state/content-schema.ts";
import type { Answered } from "../../core/base/http/connect.ts";
import type { CheckHosts } from "../../core/probe/probe-all.ts";

const family = z.strictObject({
  code: familyCode,
  /** The time of the last check. */
  at: timestamp,
  /** When the family became unreachable. */
  since: timestamp.optional(),
  streak: z.literal(1).optional(),
});

/** A host with addresses of both families. Probes use one family; `at` is when the other one was last checked. */
const host = z.strictObject({ at: timestamp, ipv4: family.optional(), ipv6: family.optional() });

/** What the state keeps, by host and port as in URLs. */
export const hostsPart = { schema: z.record(z.string().min(1).max(2000), host), lines: {} } as const;

export type Hosts = z.infer<typeof hostsPart.schema>;
type FamilyState = Readonly<z.infer<typeof family>>;

/** One failure may be a blip. */
const damping = { failureThreshold: 2, successThreshold: 2 };

/**
 * Updates the address families of hosts after a run at `at` (epoch milliseconds). Hosts that were not checked stay as
 * they are, and hosts that have left the feed are dropped. Returns undefined if no host remains.
 */
export function familiesAfter(
  before: Hosts | undefined,
  nodes: readonly Node[],
  online: readonly Pick<VantageRound, "families">[],
  at: number,
): Hosts | undefined {
  const checks = group(
    online.flatMap(({ families = [] }) => families.map((one) => [one.host, one] as const)),
  );
  // A Map, because a host may have the name of an inherited property, such as `constructor`.
  const known = new Map(Object.entries(before ?? {}));
  const hosts = nodes.flatMap(({ host }): [string, Hosts[string]][] => {
    const own = known.get(host);
    const seen = checks.get(host);
    if (seen === undefined) return own === undefined ? [] : [[host, own]];
    const after = (name: Family) => {
      const codes = seen.flatMap((one) => one[name] ?? []);
      return familyAfter(own?.[name], codes, at);
    };
    return [[host, { at, ipv4: after("ipv4"), ipv6: after("ipv6") }]];
  });
  return hosts.length === 0 ? undefined : Object.fromEntries(hosts);
}

/** A family is reachable if one location can connect over it, because the other locations may have no route. */
function familyAfter(
  before: FamilyState | undefined,
  codes: readonly FamilyCode[],
  at: number,
): FamilyState | undefined {
  const code = codes.find((one) => one === "ok") ?? codes[0];
  if (code === undefined) return before;
  const standing = { status: before?.since === undefined ? 1 : 0, streak: before?.streak } as const;
  const { status, streak } = damp(standing, code === "ok" ? 1 : 0, damping);
  const since = status === 1 ? undefined : (before?.since ?? at);
  return { code, at, since, streak: streak === 1 ? streak : undefined };
}

/**
 * Returns a function that says how a host answers at `at` (epoch milliseconds), without checks that are older than a
 * day. A family is unreachable after two failed checks in a row.
 */
export function reachabilityOf(hosts: Hosts | undefined) {
  return (host: string, isOnline: boolean, at: number): Reachability => {
    const { ipv4, ipv6 } = hosts?.[host] ?? {};
    const codeOf = (known: FamilyState | undefined) =>
      isOnline && known && at - known.at < verifiedForMs ? known.code : undefined;
    const codes = { ipv4: codeOf(ipv4), ipv6: codeOf(ipv6) };
    return {
      families: (codes.ipv4 ?? codes.ipv6) ? codes : undefined,
      unreachable_family: families.find((name) => (codes[name] ?? "ok") !== "ok"),
      family_outages: { ipv4: timestampIfAny(ipv4?.since), ipv6: timestampIfAny(ipv6?.since) },
    };
  };
}

/**
 * If a host has answered over only one address family, checks the other one, at most once an hour: connects without
 * sending a request. Skips hosts that have addresses of only one family, and hosts whose URL has an IP address instead
 * of a name. `hosts` is what earlier runs found.
 */
export function familiesCheck(hosts: Hosts = {}): CheckHosts {
  return async (nodes, transport, now, perform) => {
    const due = new Map(nodes.map((node) => [node.host, node]));
    for (const [host, { at }] of Object.entries(hosts)) if (now - at < hourMs) due.delete(host);
    const tasks = [...due.values()].flatMap(({ host, url, settings: { timeoutMs } }) => {
      const family = transport.missingFamily(host);
      if (family === undefined || literalAddress(new URL(url).hostname) !== undefined) return [];
      const probe = async (signal: AbortSignal): Promise<readonly [string, FamilyCode | undefined]> => {
        const code = await transport.connectOver(family, new URL(url), signal);
        return [host, familyCode.safeParse(code).data];
      };
      return [{ host, url, timeoutMs, probe }];
    });
    const failures = new Map(await perform(tasks));
    const judged = judgeFamilies([...due.keys()], transport.answered, failures);
    for (const { host, ...observed } of judged)
      for (const family of families) {
        const code = observed[family] ?? failures.get(host) ?? "ok";
        transport.onStep?.({ step: "family", family, code, proven: observed[family] !== undefined });
      }
    return judged;
  };
}

/**
 * Judges both families of each host that was reached over at least one of them. A failure counts only if another
 * connection over that family succeeded in the same network (public or private). Otherwise the prober itself may lack
 * the family.
 */
export function judgeFamilies(
  hosts: readonly string[],
  answered: Readonly<Answered>,
  failures: ReadonlyMap<string, FamilyCode | undefined>,
): HostFamilies[] {
  const proofOf = (family: string, address: string): string => `${family} ${isPublic(address)}`;
  const answers = [...answered.values()].flatMap((own) => Object.entries(own));
  const proofs = new Set(answers.map(([family, address]) => proofOf(family, address)));
  return hosts.flatMap((host) => {
    const own = answered.get(host) ?? {};
    const [address, other] = Object.values(own);
    const failure = failures.get(host);
    if (address === undefined || (other === undefined && failure === undefined)) return [];
    const codeOf = (family: Family): FamilyCode | undefined =>
      own[family] === undefined ? (proofs.has(proofOf(family, address)) ? failure : undefined) : "ok";
    return [{ host, ipv4: codeOf("ipv4"), ipv6: codeOf("ipv6") }];
  });
}
