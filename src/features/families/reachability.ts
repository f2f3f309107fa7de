import type { Family } from "../../core/base/http/address.ts";
import { timestampIfAny } from "../../core/base/text/timestamp.ts";
import { type Reachability, verifiedForMs } from "../../core/feed/feed-node.ts";
import type { Hosts } from "./families-state.ts";

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
