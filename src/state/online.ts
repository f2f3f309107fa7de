import type { Node } from "../config/nodes.ts";
import type { ControlObservation, Observation } from "../probe/observation.ts";
import type { ShardRound, VantageRound } from "./round.ts";
import type { HttpCode } from "../base/http/codes.ts";
import { isKindCode, isKnownCode, kinds } from "../kinds/kinds.ts";

/** The codes of all probes if the prober itself is cut off, or behind a captive portal. */
const offlineSymptoms: ReadonlySet<string> = new Set<HttpCode>([
  "dns",
  "refused",
  "unreachable",
  "no_route",
  "timeout",
  "reset",
  "tls",
  "not_http",
  "captive_portal",
]);

/**
 * Returns whether a vantage was online, by the first of these rules that applies:
 *
 * 1. With one proof: online. Only the mirror or control itself can have sent a proof: any HTTP answer over HTTPS with a
 *    valid certificate (but 511), an answer over HTTP that only a mirror of its kind gives, or the text of a control. A
 *    redirect of a control to another host and a status over plain HTTP are not proofs: a captive portal sends those
 * too.
 * 2. Without proof, if a control could have proved it (over HTTPS, or with a text): offline.
 * 3. Otherwise offline if all failures are typical of a cut-off prober, at two hosts or more. Rate limits over HTTP and
 *    addresses that the configuration makes private do not count. Else online.
 */
export function isOnline(
  nodes: readonly Node[],
  { controls, observations }: Pick<VantageRound, "controls" | "observations">,
): boolean {
  const observed = nodes.flatMap((node) => {
    const observation = observations.get(node.id);
    return observation === undefined ? [] : [[node, observation] as const];
  });
  if (
    controls.some(({ proof }) => proof !== "none") ||
    observed.some(([node, seen]) => isProofOfMirror(node, seen))
  )
    return true;
  if (controls.some(canProve)) return false;
  const telling = observed.filter(([node, seen]) => !saysNothing(node, seen));
  const isCutOff = telling.every(
    ([, { code }]) => offlineSymptoms.has(code) || isKindCode(code) || code === "blocked_address",
  );
  return !(isCutOff && new Set(telling.map(([{ host }]) => host)).size >= 2);
}

/** Returns the offline shards of an online vantage: other machines say nothing about theirs. */
export function offlineShards(nodes: readonly Node[], { shards = [] }: VantageRound): ShardRound[] {
  return shards.filter((shard) => !isOnline(nodes, shard));
}

/**
 * Returns the vantages that were online. Observations of their offline shards are left out, as if they were missing.
 */
export function onlineVantages(nodes: readonly Node[], vantages: readonly VantageRound[]): VantageRound[] {
  return vantages.flatMap((vantage) => {
    if (!isOnline(nodes, vantage)) return [];
    const offline = offlineShards(nodes, vantage);
    if (offline.length === 0) return vantage;
    const observations = new Map(vantage.observations);
    for (const id of offline.flatMap((shard) => [...shard.observations.keys()])) observations.delete(id);
    const isOffline = new Set(offline.map(({ index }) => index));
    const families = vantage.shards?.flatMap((shard) =>
      isOffline.has(shard.index) ? [] : (shard.families ?? []),
    );
    const missing = [...vantage.missingShards, ...offline.map(({ index }) => index)];
    return { ...vantage, observations, families, missingShards: missing.sort((left, right) => left - right) };
  });
}

/** Returns whether any answer of a control could have proved its vantage online. */
export function canProve({ url, text }: ControlObservation): boolean {
  return text !== undefined || isHttps(url);
}

function isProofOfMirror(node: Node, { code, http_status }: Observation): boolean {
  if (isHttps(node.url)) return code === "ok" || (http_status !== undefined && code !== "captive_portal");
  return code === "ok" && kinds[node.settings.kind].isProof;
}

function saysNothing(node: Node, { code }: Observation): boolean {
  if (!isKnownCode(code)) return true;
  if (code === "rate_limited") return !isHttps(node.url);
  return code === "blocked_address" && isPrivateByName(new URL(node.url).hostname);
}

/**
 * Returns whether only a private network has this host (RFC 6761, 6762, 8375), or it is an address, so that a private
 * address proves nothing. For any other name a captive portal may have answered.
 */
function isPrivateByName(hostname: string): boolean {
  return (
    /^\[|^[\d.]+$/.test(hostname) ||
    !hostname.includes(".") ||
    /\.(?:localhost|local|internal|home\.arpa)\.?$/.test(hostname)
  );
}

function isHttps(url: string): boolean {
  return /^https:/i.test(url);
}
