import type { NetworkNode } from "../config/nodes.ts";
import type { Code, Results } from "../probe/observation.ts";

/** 1: online, reachable. 0: offline, unreachable. */
export type Status = 0 | 1;

/** What is remembered from one run to the next. */
export interface State {
  readonly statuses: ReadonlyMap<number, Status>;
}

/** What one run says: of the prober itself, of every node by its id, and what the next run has to know. */
export interface Decision {
  readonly prober: "online" | "offline";
  readonly statuses: ReadonlyMap<number, Status>;
  /** The state as it was, where the run is void. */
  readonly state: State | undefined;
}

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
 * The verdicts of a run from its results and the previous state, which is undefined on a first run. A run whose prober
 * was offline is void: the state stays, and on a first run every status is 0, since nothing was reached.
 */
export function decide(
  nodes: readonly NetworkNode[],
  results: Results,
  previous: State | undefined,
): Decision {
  const prober = judgeProber(nodes, results);
  if (prober === "offline") {
    const kept = new Map(nodes.map(({ id }) => [id, previous?.statuses.get(id) ?? 0]));
    return { prober, statuses: kept, state: previous };
  }
  const observed = new Map(results.observations.map(({ id, code }) => [id, code]));
  const statuses = new Map(
    nodes.map(({ id }) => [id, verdict(observed.get(id), previous?.statuses.get(id))]),
  );
  return { prober, statuses, state: { statuses } };
}

function verdict(code: Code | undefined, previous: Status | undefined): Status {
  if (code === undefined || noEvidence.has(code)) return previous ?? 1;
  return code === "ok" ? 1 : 0;
}

/**
 * Whether the prober itself was online. A valid answer from any mirror or control proves it. Without one, controls
 * that all failed prove the opposite; without controls, it takes failures of the network alone, on two hosts or more.
 */
function judgeProber(nodes: readonly NetworkNode[], { controls, observations }: Results): Decision["prober"] {
  if ([...controls, ...observations].some(({ code }) => code === "ok")) return "online";
  if (controls.length > 0) return "offline";
  const hosts = new Map(nodes.map(({ id, host }) => [id, host]));
  const telling = observations.filter(({ code }) => code !== "blocked_address");
  const cutOff = telling.every(({ code }) => offlineSymptoms.has(code));
  const failedHosts = new Set(telling.map(({ id }) => hosts.get(id)));
  return cutOff && failedHosts.size >= 2 ? "offline" : "online";
}
