import { asError } from "../base/errors.ts";
import { isPublic, literalAddress } from "../base/http/address.ts";
import { OutOfDescriptors, ProbeFailure, withDeadline } from "../base/http/failure.ts";
import type { Answered, Transport } from "../base/http/transport.ts";
import type { Node } from "../config/nodes.ts";
import { families, type FamilyCode, familyCodes, type HostFamilies } from "./observation.ts";
import { type Limits, runAll } from "./schedule.ts";
import type { StallMeter } from "./stall-meter.ts";

const hourMs = 3_600_000;
const maxTimeoutMs = 5000;
const parkedAfterMs = 400;

/** A failure does not count if the event loop stood still for this share of its time limit. */
const stalledShare = 0.25;

interface FamilyChecks {
  readonly transport: Transport;
  readonly interrupt: AbortSignal;
  readonly stalls: StallMeter;
  readonly now: number;
  /** When each host was last checked, in epoch milliseconds. */
  readonly checkedAt: ReadonlyMap<string, number>;
  readonly onProblem?: ((url: string, error: Error) => void) | undefined;
}

/**
 * Connects, after all probes, to each host that answered over one family over the other one too, and requests nothing. A
 * host is checked at most once an hour. Literal addresses and hosts with one family are left out.
 */
export async function checkFamilies(
  nodes: readonly Node[],
  limits: Limits,
  { transport, interrupt, stalls, now, checkedAt, onProblem }: FamilyChecks,
): Promise<HostFamilies[]> {
  const byHost = new Map(nodes.map((node) => [node.host, node]));
  const due = [...byHost.values()].filter(({ host }) => now - (checkedAt.get(host) ?? -Infinity) >= hourMs);
  const checks = due.flatMap(({ host, url: text, settings }) => {
    const family = transport.missingFamily(host);
    if (family === undefined) return [];
    const url = new URL(text);
    return literalAddress(url.hostname) === undefined ? [{ host, url, settings, family }] : [];
  });
  const failures = new Map<string, FamilyCode>();
  const check = async (
    { host, url, settings, family }: (typeof checks)[number],
    park: () => void,
  ): Promise<void> => {
    const parking = setTimeout(park, parkedAfterMs);
    const timeoutMs = Math.min(settings.timeoutMs, maxTimeoutMs);
    const stalledMs = stalls.totalMs();
    const hasStalled = (): boolean => stalls.totalMs() - stalledMs >= timeoutMs * stalledShare;
    try {
      await withDeadline(timeoutMs, interrupt, (signal) => transport.connectOver(family, url, signal));
    } catch (error) {
      if (error instanceof OutOfDescriptors) throw error;
      interrupt.throwIfAborted();
      if (!(error instanceof ProbeFailure)) onProblem?.(url.href, asError(error));
      else if (!hasStalled() && isFamilyCode(error.code)) failures.set(host, error.code);
    } finally {
      clearTimeout(parking);
    }
  };
  await runAll(checks, limits, check);
  const judged = judgeFamilies(
    due.map(({ host }) => host),
    transport.answered,
    failures,
  );
  for (const { host, ...observed } of judged)
    for (const family of families) {
      const code = observed[family] ?? failures.get(host) ?? "ok";
      transport.onStep?.({ step: "family", family, code, proven: observed[family] !== undefined });
    }
  return judged;
}

/**
 * Returns what is known of the hosts that were connected over one family, and over the other one too or not. A failure
 * counts only if something else in the same network, the internet or a private one, was connected over that family:
 * otherwise the prober may lack it, and observed nothing.
 */
export function judgeFamilies(
  hosts: readonly string[],
  answered: Readonly<Answered>,
  failures: ReadonlyMap<string, FamilyCode>,
): HostFamilies[] {
  const proofs = new Set<string>();
  const proofOf = (family: string, address: string): string => `${family} ${isPublic(address)}`;
  if (failures.size > 0)
    for (const addresses of answered.values())
      for (const [family, address] of Object.entries(addresses)) proofs.add(proofOf(family, address));
  return hosts.flatMap((host) => {
    const { ipv4, ipv6 } = answered.get(host) ?? {};
    const address = ipv4 ?? ipv6;
    const failure = failures.get(host);
    if (address === undefined || ((ipv4 === undefined || ipv6 === undefined) && failure === undefined))
      return [];
    const codeOf = (family: "ipv4" | "ipv6", own: string | undefined): FamilyCode | undefined =>
      own === undefined ? (proofs.has(proofOf(family, address)) ? failure : undefined) : "ok";
    return [{ host, ipv4: codeOf("ipv4", ipv4), ipv6: codeOf("ipv6", ipv6) }];
  });
}

function isFamilyCode(code: string): code is FamilyCode {
  return familyCodes.some((known) => known === code);
}
