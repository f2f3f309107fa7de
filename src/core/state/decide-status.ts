import { group } from "../base/text/group.ts";
import type { Node } from "../config/nodes.ts";
import type { Status } from "../contract/network.ts";
import { evidence } from "../kinds/kinds.ts";

/** Returns the status that most vantages with evidence saw, and its most frequent code, or undefined for a tie. */
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

/** `streak` is how many runs in a row voted against the status. */
export interface DampedVerdict {
  readonly status: Status;
  readonly streak: number;
}

/**
 * Applies a vote to a node's verdict. It takes `failureThreshold` votes in a row to turn an online node offline, and
 * `successThreshold` to turn an offline one online. A run without a vote changes nothing and does not break the streak.
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
