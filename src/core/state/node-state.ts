import { dayMs } from "../base/text/time.ts";
import { byFrequency } from "../base/text/group.ts";
import type { Node } from "../config/nodes.ts";
import type { Status } from "../contract/network.ts";
import { evidence } from "../kinds/kinds.ts";
import type { ContentRun, ObservedNode } from "./content.ts";
import type { wrongContent } from "./content-rule.ts";
import type { NodeContent } from "./content-schema.ts";
import { freshnessAt } from "./freshness.ts";
import { urlDigest } from "./identity.ts";
import { shownName } from "./room.ts";
import { changesKept, type ContentChange, type NodeState, transitionsKept } from "./state-schema.ts";

/** Returns the status that most vantages with evidence saw, and its most frequent code, or undefined for a tie. */
export function vote(codes: readonly string[]): { status: Status; code: string } | undefined {
  const online = codes.filter((code) => evidence(code) === 1).length;
  const failures = codes.filter((code) => evidence(code) === 0);
  if (online > failures.length) return { status: 1, code: "ok" };
  const [commonest] = byFrequency(failures);
  return commonest === undefined || online === failures.length
    ? undefined
    : { status: 0, code: commonest[0] };
}

/**
 * Changes a status once enough votes in a row are against it. `streak` counts them, and a run without a vote does not
 * break it. A new node takes the voted status, or is online until there is evidence.
 */
export function damp(
  before: Pick<NodeState, "status" | "streak"> | undefined,
  voted: Status | undefined,
  { failureThreshold, successThreshold }: Pick<Node["settings"], "failureThreshold" | "successThreshold">,
) {
  const { status, streak = 0 } = before ?? { status: voted ?? 1 };
  if (voted === undefined) return { status, streak };
  const isEnough = streak + 1 >= (voted === 0 ? failureThreshold : successThreshold);
  return voted === status || isEnough ? { status: voted, streak: 0 } : { status, streak: streak + 1 };
}

/** A node, what a run saw of it, and what its content means for it. */
export interface RuledNode extends ObservedNode {
  readonly evident: ReturnType<typeof vote>;
  readonly content: NodeContent;
  readonly inMaintenance: boolean;
  readonly wrong: ReturnType<typeof wrongContent>;
  readonly isSpared: boolean;
}

/** `isLast`: the node stays or becomes online only because its target would have no online node otherwise. */
export function nodeAfter(
  { node, before, seen, evident, content, wrong, isSpared, inMaintenance }: RuledNode,
  isLast: boolean,
  run: ContentRun,
): NodeState {
  const { name, url, settings } = node;
  const { at, lastRun } = run;
  const ruled = wrong === undefined || isLast ? evident : { status: 0 as const, code: wrong.code };
  const voted = inMaintenance ? undefined : ruled;
  // Without a vote, takes a code that proves nothing, such as `rate_limited`, if any vantage saw one.
  const code = voted?.code ?? seen.find((one) => evidence(one.code) === undefined)?.code;
  const damping = isLast ? { ...settings, successThreshold: 1 } : settings;
  const { status, streak } = damp(before, voted?.status, damping);
  const changed = before === undefined || status !== before.status;
  // A status that was set without evidence takes its code from the first evidence that confirms it.
  const isConfirmed = evidence(before?.code) === undefined && voted?.status === status;
  const isExplained = changed || isConfirmed;
  const transition: NodeState["transitions"] =
    before === undefined || !changed || code === undefined || evidence(before.code) === undefined
      ? []
      : [[at, status, code]];
  // During maintenance, the status is frozen, and counts as verified only if the evidence agrees with it.
  const isVerified = voted !== undefined || evident?.status === status;
  const unverifiedSince = before === undefined ? at : (before.unverified_since ?? lastRun);
  const explained = isExplained ? seen.find((one) => one.code === code) : before;
  const keptOnline = isSpared ? ("primary_alone" as const) : wrong && ("last_reachable" as const);
  return {
    name: shownName(name),
    url: urlDigest(url, settings.kind),
    status,
    since: changed ? at : before.since,
    code: isExplained ? code : before.code,
    http_status: explained?.http_status,
    phase: explained?.phase,
    cause: explained?.cause,
    streak: streak || undefined,
    transitions: [...(before?.transitions ?? []), ...transition].slice(-transitionsKept),
    unverified_since: isVerified ? undefined : unverifiedSince,
    kept_online: voted?.status === 1 && status === 1 ? keptOnline : undefined,
    changes: changesAfter(before, status, content, run),
    // At the end, because keys after a spread would give each node a hidden class of its own, which takes 13 KB.
    ...content,
  };
}

/** A certificate is reported this many days before it expires. */
const certificateDays = 14;

/** Returns the kept changes, newest last. Unknown freshness, as while the node is offline, is no change. */
export function changesAfter(
  before: NodeState | undefined,
  status: Status,
  content: NodeContent,
  { at, lastRun }: ContentRun,
): readonly ContentChange[] | undefined {
  const known = before?.changes ?? [];
  const last = known.findLast(([, , expiry]) => expiry === undefined)?.[1];
  const was = last ?? freshnessNews(before?.status, before, lastRun) ?? "in_sync";
  const now = freshnessNews(status, content, at);
  const expiry = content.tls_expires_at;
  const wasSoon = isSoon(before?.tls_expires_at, lastRun);
  const isChanged = expiry !== undefined && isSoon(expiry, at) !== wasSoon;
  const news: ContentChange[] = [];
  if (now !== undefined && now !== was) news.push([at, now]);
  if (isChanged) news.push([at, wasSoon ? "certificate_renewed" : "certificate_expires", expiry]);
  return news.length === 0 ? before?.changes : [...known, ...news].slice(-changesKept);
}

/** Counts the days until the expiry from the start of the current day, as the pages do. */
function isSoon(expiry: number | undefined, at: number): boolean {
  return expiry !== undefined && expiry - Math.floor(at / dayMs) * dayMs < certificateDays * dayMs;
}

/** Being behind for less than the grace is no news. */
function freshnessNews(status: Status | undefined, content: NodeContent | undefined, at: number) {
  if (status !== 1) return undefined;
  if (content?.content_code !== undefined) return content.content_code;
  const freshness = freshnessAt(content, at);
  const isNoNews = freshness === "unknown" || (freshness === "behind" && content?.late !== true);
  return isNoNews ? undefined : freshness;
}
