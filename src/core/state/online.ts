import type { HttpCode } from "../base/http/codes.ts";
import { formatCount } from "../base/text/count.ts";
import { quote } from "../base/text/quote.ts";
import type { Node } from "../config/nodes.ts";
import { isKnownCode, kinds } from "../kinds/kinds.ts";
import type { ControlObservation, Observation } from "../probe/observation.ts";
import { observationsOf, type Round, type Seen, type ShardRound, type VantageRound } from "./round.ts";

/** Codes of answers. If nothing else tells, they mean that the prober is online. */
const answers: HttpCode[] = [
  "ok",
  "redirect",
  "http_status",
  "rate_limited",
  "challenge",
  "auth",
  "too_large",
];

/**
 * Returns whether a vantage was online, by the first rule that applies (docs: status.md, "Is the prober online?"). A
 * control's redirect to another host and a status over plain HTTP prove nothing: captive portals send them, too.
 */
export function isOnline(nodes: readonly Node[], { controls, observations }: Seen): boolean {
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
  const isCutOff = telling.every(([, { code }]) => !answers.some((answer) => answer === code));
  return !(isCutOff && new Set(telling.map(([{ host }]) => host)).size >= 2);
}

/** A proof counts only for its own shard, since each shard may have run on a different machine. */
export function offlineShards(nodes: readonly Node[], { shards = [] }: VantageRound): ShardRound[] {
  return shards.filter((shard) => !isOnline(nodes, shard));
}

/** Returns the online vantages. Offline shards count as missing, so the observations of these shards are removed. */
export function onlineVantages(nodes: readonly Node[], vantages: readonly VantageRound[]): VantageRound[] {
  return vantages.flatMap((vantage) => {
    if (!isOnline(nodes, vantage)) return [];
    const offline = offlineShards(nodes, vantage);
    if (offline.length === 0) return vantage;
    const shards = vantage.shards?.filter((shard) => !offline.includes(shard)) ?? [];
    const observations = new Map(shards.flatMap((shard) => [...shard.observations]));
    const families = shards.flatMap((shard) => shard.families ?? []);
    const missing = [...vantage.missingShards, ...offline.map(({ index }) => index)];
    return { ...vantage, observations, families, missingShards: missing.sort((left, right) => left - right) };
  });
}

/** Returns whether a control can prove its vantage online. */
export function canProve({ url, text }: ControlObservation): boolean {
  return text !== undefined || isHttps(url);
}

function isProofOfMirror(node: Node, { code, http_status }: Observation): boolean {
  if (isHttps(node.url)) return code === "ok" || (http_status !== undefined && code !== "captive_portal");
  return code === "ok" && kinds[node.settings.kind].isProof;
}

/** Ignores rate limits over plain HTTP, and private addresses of hosts for which they are normal. */
function saysNothing(node: Node, { code }: Observation): boolean {
  if (!isKnownCode(code)) return true;
  if (code === "rate_limited") return !isHttps(node.url);
  return code === "blocked_address" && isPrivateByName(new URL(node.url).hostname);
}

/** Whether only private networks use a name (RFC 6761, 6762, 8375), so that a private address is normal for it. */
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

const maxControls = 4;

/** Explains why no vantage of a round counts as online and, if no control can prove it, what to configure. */
export function offlineSentence(nodes: readonly Node[], { vantages }: Round): string {
  const observed = nodes.filter(({ id }) => observationsOf(vantages, id).length > 0);
  const codes = observed.flatMap(({ id }) => observationsOf(vantages, id).map(({ code }) => code));
  const mirrors = formatCount(observed.length, "mirror");
  const hosts = formatCount(new Set(observed.map(({ host }) => host)).size, "host");
  const controls = vantages.flatMap((vantage) => vantage.controls);
  const sentences = [
    `This machine is offline: it probed ${mirrors} at ${hosts}${controlsText(controls)}, and no response proves that it is online.`,
  ];
  if (!controls.some(canProve))
    sentences.push("To be sure, set probe.controls to an HTTPS URL that always answers.");
  if (codes.includes("blocked_address"))
    sentences.push("Private addresses are probed only with --allow-private.");
  return sentences.join(" ");
}

/** Lists each control once, with the reason why its last answer proves nothing. */
function controlsText(controls: readonly ControlObservation[]): string {
  const reasons = new Map(
    controls.map((control) => {
      const { url, code, text } = control;
      const failed = text !== undefined && code === "ok" ? "the text is missing" : code;
      return [url, `${quote(url)} (${canProve(control) ? failed : 'HTTP without "text"'})`];
    }),
  );
  const more = reasons.size > maxControls ? ` and ${reasons.size - maxControls} more` : "";
  const texts = [...reasons.values()].slice(0, maxControls).join(", ");
  return reasons.size === 0 ? "" : ` and the ${reasons.size === 1 ? "control" : "controls"} ${texts}${more}`;
}
