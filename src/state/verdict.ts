import type { NetworkNode } from "../config/nodes.ts";
import type { Code } from "../probe/observation.ts";
import type { VantageRound } from "./round.ts";

/** 1: online, reachable. 0: offline, unreachable. */
export type Status = 0 | 1;

/** Codes that are no evidence against a mirror: the fault is ours, so its verdict is kept. */
const noEvidence: ReadonlySet<Code> = new Set(["rate_limited", "no_route"]);

/** Codes that a prober sees everywhere when it is itself cut off, or stands behind a captive portal. */
const offlineSymptoms: ReadonlySet<Code> = new Set([
  "dns",
  "refused",
  "unreachable",
  "no_route",
  "timeout",
  "reset",
  "tls",
  "not_git",
  "not_http",
]);

/**
 * Whether a vantage was itself online. A valid answer from any mirror or control proves it. Without one, controls
 * that all failed prove the opposite; without controls, it takes failures of the network alone, on two hosts or more.
 */
export function isOnline(nodes: readonly NetworkNode[], { controls, observations }: VantageRound): boolean {
  const seen = [...observations.values()];
  if ([...controls, ...seen].some(({ code }) => code === "ok")) return true;
  if (controls.length > 0) return false;
  const hosts = new Map(nodes.map(({ id, host }) => [id, host]));
  const telling = seen.filter(({ code }) => code !== "blocked_address");
  const cutOff = telling.every(({ code }) => offlineSymptoms.has(code));
  const failedHosts = new Set(telling.map(({ id }) => hosts.get(id)));
  return !(cutOff && failedHosts.size >= 2);
}

/** What one observation says of a node: a status, or nothing where it is no evidence. */
export function evidence(code: Code | undefined): Status | undefined {
  if (code === undefined || noEvidence.has(code)) return undefined;
  return code === "ok" ? 1 : 0;
}

/**
 * What a run says of a node: the majority of the vantages that have evidence, with its most frequent code. A tie
 * gives nothing.
 */
export function vote(seen: readonly (Code | undefined)[]): { status: Status; code: Code } | undefined {
  const online = seen.filter((code) => evidence(code) === 1).length;
  const failures = seen.filter((code) => code !== undefined).filter((code) => evidence(code) === 0);
  if (online === failures.length) return undefined;
  return online > failures.length ? { status: 1, code: "ok" } : { status: 0, code: mostFrequent(failures) };
}

/** What damping needs to know of a node. */
export interface Standing {
  readonly status: Status;
  readonly streak: number;
}

/**
 * The standing of a node after a vote: a status changes only when `downAfter` or `upAfter` runs in a row have voted
 * against it. A run without a vote changes nothing and does not end a row.
 */
export function damp(
  standing: Standing,
  voted: Status | undefined,
  { downAfter, upAfter }: Pick<NetworkNode["settings"], "downAfter" | "upAfter">,
): Standing {
  if (voted === undefined) return standing;
  if (voted === standing.status) return { status: voted, streak: 0 };
  const streak = standing.streak + 1;
  return streak >= (voted === 0 ? downAfter : upAfter)
    ? { status: voted, streak: 0 }
    : { ...standing, streak };
}

function mostFrequent(failures: readonly Code[]): Code {
  const counts = new Map<Code, number>();
  for (const code of failures) counts.set(code, (counts.get(code) ?? 0) + 1);
  const [[code] = ["timeout" as const]] = [...counts].sort(([, left], [, right]) => right - left);
  return code;
}
