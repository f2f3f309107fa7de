import * as z from "zod";
import type { Family } from "../../core/base/http/address.ts";
import { group } from "../../core/base/text/group.ts";
import { timestampIfAny } from "../../core/base/text/timestamp.ts";
import type { Node } from "../../core/config/nodes.ts";
import { type Reachability, verifiedForMs } from "../../core/feed/feed-node.ts";
import { type FamilyCode, familyCode } from "../../core/probe/observation.ts";
import { damp } from "../../core/state/node-state.ts";
import type { VantageRound } from "../../core/state/round.ts";
import { timestamp } from "../../core/state/content-schema.ts";

const family = z.strictObject({
  code: familyCode,
  /** The time of the last check. */
  at: timestamp,
  /**
   * When the family became unreachable. It takes two checks in a row to decide that the family is unreachable, or
   * reachable again.
   */
  since: timestamp.optional(),
  streak: z.literal(1).optional(),
});

/** A host with addresses of both families. Probes use one family; `at` is when the other one was last checked. */
const host = z.strictObject({ at: timestamp, ipv4: family.optional(), ipv6: family.optional() });

/** What the state keeps, by host and port as in URLs. */
export const hostsPart = { schema: z.record(z.string().min(1).max(2000), host), lines: {} } as const;

export type Hosts = z.infer<typeof hostsPart.schema>;
type HostState = Readonly<z.infer<typeof host>>;
type FamilyState = Readonly<z.infer<typeof family>>;

/** Checks are hourly. One failure may be a blip; two in a row are an outage. */
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
  if (before === undefined && checks.size === 0) return undefined;
  // A Map, because a host may have the name of an inherited property, such as `constructor`.
  const known = new Map(Object.entries(before ?? {}));
  const hosts = [...new Set(nodes.map(({ host }) => host))].flatMap((host): [string, HostState][] => {
    const own = known.get(host);
    const seen = checks.get(host);
    if (seen === undefined) return own === undefined ? [] : [[host, own]];
    const ipv4 = seen.flatMap((one) => one.ipv4 ?? []);
    const ipv6 = seen.flatMap((one) => one.ipv6 ?? []);
    return [[host, { at, ipv4: familyAfter(own?.ipv4, ipv4, at), ipv6: familyAfter(own?.ipv6, ipv6, at) }]];
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
  const standing = { status: before?.since === undefined ? 1 : 0, streak: before?.streak ?? 0 } as const;
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
    const codeOf = (family: typeof ipv4) =>
      isOnline && family && at - family.at < verifiedForMs ? family.code : undefined;
    const families = { ipv4: codeOf(ipv4), ipv6: codeOf(ipv6) };
    const isMissing = (family: Family): boolean => (families[family] ?? "ok") !== "ok";
    return {
      families: (families.ipv4 ?? families.ipv6) ? families : undefined,
      unreachable_family: (["ipv4", "ipv6"] as const).find(isMissing),
      family_outages: { ipv4: timestampIfAny(ipv4?.since), ipv6: timestampIfAny(ipv6?.since) },
    };
  };
}
