import { group } from "../base/text/group.ts";
import type { Node } from "../config/nodes.ts";
import type { FamilyCode } from "../probe/observation.ts";
import type { VantageRound } from "./round.ts";
import type { FamilyState, HostState, State } from "./state-schema.ts";
import { damp } from "./decide-status.ts";

/** Checks are hourly. One failure may be a blip; two in a row are an outage. */
const damping = { failureThreshold: 2, successThreshold: 2 };

/**
 * Updates the address families of hosts after a run at `at` (epoch milliseconds). Hosts that were not checked stay as
 * they are, and hosts that have left the feed are dropped. Returns undefined if no host remains.
 */
export function hostsAfter(
  before: State["hosts"],
  nodes: readonly Node[],
  online: readonly Pick<VantageRound, "families">[],
  at: number,
): State["hosts"] {
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
  return {
    code,
    at,
    since: status === 1 ? undefined : (before?.since ?? at),
    streak: streak === 1 ? streak : undefined,
  };
}
