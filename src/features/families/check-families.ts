import { type Family, isPublic, literalAddress } from "../../core/base/http/address.ts";
import type { Answered } from "../../core/base/http/connect.ts";
import { hourMs } from "../../core/base/text/duration.ts";
import { families, type FamilyCode, familyCode, type HostFamilies } from "../../core/probe/observation.ts";
import type { CheckHosts } from "../../core/probe/probe-all.ts";
import type { Hosts } from "./families-state.ts";

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
