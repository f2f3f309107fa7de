import type { HttpCode } from "../base/http/codes.ts";
import { group } from "../base/text/group.ts";
import type { Node } from "../config/nodes.ts";
import type { Status } from "../contract/network.ts";
import { isKnownCode } from "../kinds/kinds.ts";

/** The codes that prove nothing about a mirror: the prober is the cause, so the verdict stays. */
const noEvidence: ReadonlySet<string> = new Set<HttpCode>(["rate_limited", "no_route", "captive_portal"]);

/** Returns the status that an observation is evidence for, or undefined if it proves nothing. */
export function evidence(code: string | undefined): Status | undefined {
  if (code === undefined || noEvidence.has(code) || !isKnownCode(code)) return undefined;
  return code === "ok" ? 1 : 0;
}

/** Returns the majority of the vantages with evidence, and its most frequent code. A tie returns undefined. */
export function vote(codes: readonly string[]): { status: Status; code: string } | undefined {
  const online = codes.filter((code) => evidence(code) === 1).length;
  const failures = codes.filter((code) => evidence(code) === 0);
  if (online > failures.length) return { status: 1, code: "ok" };
  const byCode = [...group(failures.map((code) => [code, code] as const)).values()];
  const [commonest] = byCode.sort((one, other) => other.length - one.length);
  return commonest === undefined || online === failures.length
    ? undefined
    : { status: 0, code: commonest[0] };
}

/** The part of a node's state that damping needs. `streak` is how many runs in a row voted against the status. */
export interface DampedVerdict {
  readonly status: Status;
  readonly streak: number;
}

/**
 * Returns the verdict of a node after a vote. The status changes only after `failureThreshold` or `successThreshold`
 * votes against it in a row. A run without a vote changes nothing and does not interrupt the row.
 */
export function damp(
  standing: DampedVerdict,
  voted: Status | undefined,
  { failureThreshold, successThreshold }: Pick<Node["settings"], "failureThreshold" | "successThreshold">,
): DampedVerdict {
  if (voted === undefined) return standing;
  if (voted === standing.status) return { status: voted, streak: 0 };
  const streak = standing.streak + 1;
  return streak >= (voted === 0 ? failureThreshold : successThreshold)
    ? { status: voted, streak: 0 }
    : { ...standing, streak };
}
