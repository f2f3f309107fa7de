import type { Family } from "../base/http/address.ts";
import { daysShown } from "../base/text/count.ts";
import { dayMs, hourMs } from "../base/text/time.ts";
import { isoTimestamp, timestampIfAny } from "../base/text/timestamp.ts";
import { maintenanceReason, type Node, type TargetPlace } from "../config/nodes.ts";
import type { Status } from "../contract/network.ts";
import type { NoticeFile } from "../config/notice.ts";
import type { Config } from "../config/config-schema.ts";
import type { Advance } from "../state/advance.ts";
import { nothing } from "../state/counts.ts";
import { behindSince, freshnessAt } from "../state/freshness.ts";
import type { FamilyCode } from "../probe/observation.ts";
import type { VantageRound } from "../state/round.ts";
import type { NodeState, State } from "../state/state-schema.ts";
import type { TargetReference } from "./target-reference.ts";
import { daysBefore, meanLatency, mergeCounts, totalBefore, uptimeBefore } from "./uptime.ts";
import { stateOf } from "./verdict.ts";
import { evidence, isContentCode } from "../kinds/kinds.ts";
import type { TargetWarning } from "../kinds/mirror-content.ts";

interface Evidence extends Pick<Advance, "state" | "online"> {
  readonly maintenance: Config["maintenance"];
  readonly notices: readonly NoticeFile[];
  readonly reachability: ((host: string, isOnline: boolean, at: number) => Reachability) | undefined;
  /** The time of the feed, in epoch milliseconds. */
  readonly at: number;
}

/** How a host answers over IPv4 and over IPv6. What is not known is missing. */
export interface Reachability {
  /** The codes of the last checks. */
  readonly families?: Readonly<Record<Family, FamilyCode | undefined>> | undefined;
  readonly unreachable_family?: Family | undefined;
  readonly family_outages?: Readonly<Record<Family, string | undefined>> | undefined;
}

/** A status without new evidence for this long is shown as unverified. */
export const verifiedForMs = dayMs;

export interface TargetInfo extends TargetPlace {
  readonly primary: number | undefined;
  readonly size: number;
  readonly reference: TargetReference | undefined;
  readonly warnings: readonly TargetWarning[];
}

/** A mirror with the evidence for its status. Published fields have the same names here. Times are ISO 8601. */
export type FeedNode = Readonly<ReturnType<typeof resolveNode>>;

/** Without a `state`, no mirror has been reached, so each status is 0. With one, it is 1 until there is evidence. */
export function resolveNode(
  node: Node,
  target: TargetInfo,
  { state, online, maintenance, notices, reachability, at }: Evidence,
) {
  const { id, name, url, host, primary, country, weight, contact, settings } = node;
  const stored = state?.nodes[id];
  const status = stored?.status ?? (state === undefined ? 0 : 1);
  const content = resolveContent(stored, status, target.reference, at);
  const unverifiedSince = stored?.unverified_since;
  const isUnverified = unverifiedSince !== undefined && at - unverifiedSince >= verifiedForMs;
  const observed = observedBy(online, id, at);
  // Until there is evidence, the status is only an assumption.
  const known = evidence(stored?.code) === undefined ? undefined : stored;
  const { code, http_status, phase, cause } = known ?? {};
  const judged = {
    ...content,
    status,
    code,
    /** The reason for the mirror's maintenance, or undefined if it is not in maintenance. */
    maintenance: maintenanceReason(maintenance, node, at),
  };
  return {
    ...judged,
    state: state === undefined ? "unknown" : stateOf(judged),
    target,
    id,
    name,
    url,
    host,
    primary,
    country,
    weight,
    contact,
    kind: settings.kind,
    options: settings.options,
    /** The name of an open notice that names the mirror. */
    notice: notices.find(({ nodes, from, to = Infinity }) => nodes?.has(id) && from <= at && at < to)?.name,
    since: timestampIfAny(known?.since),
    http_status,
    phase,
    cause,
    /** The time of the last evidence for the status, if that is at least a day ago. */
    unverified_since: isUnverified ? isoTimestamp(unverifiedSince) : undefined,
    /** Whether the last run had evidence for the status. */
    verified: unverifiedSince === undefined,
    kept_online: stored?.kept_online,
    tls_expires_at: timestampIfAny(stored?.tls_expires_at),
    ...reachability?.(host, status === 1, at),
    ...resolveCounts(state?.vantages ?? {}, id, status, at),
    transitions: transitionsOf(stored),
    changes: changesOf(stored),
    /** What each vantage observed in the last run, if some vantages reached the mirror and others did not. */
    disagreement: disagreementOf(observed),
    observed,
  };
}

function resolveContent(
  stored: NodeState | undefined,
  status: Status,
  reference: TargetReference | undefined,
  at: number,
) {
  // An unreachable mirror may have synced since it was last reached, so its freshness is unknown.
  const isUnseen = status === 0 && !isContentCode(stored?.code);
  const freshness = isUnseen ? "unknown" : freshnessAt(stored, at);
  const behind = freshness === "behind" && stored !== undefined ? behindSince(stored) : undefined;
  const { content_code, revision, moved_to, differs, difference, refs_unread } = stored ?? {};
  const lagMs = (reference?.date ?? Infinity) - (stored?.content_at ?? Infinity);
  return {
    content_code,
    freshness,
    revision,
    moved_to,
    differs,
    difference,
    refs_unread,
    /** Whether the mirror has been behind for longer than the grace. */
    late: behind !== undefined && stored?.late === true,
    branch: stored?.branch || undefined,
    /** The mirror's freshness when it was last reached, if it is unreachable now. */
    last_freshness: isUnseen ? (stored?.freshness ?? "unknown") : undefined,
    behind_since: timestampIfAny(behind),
    /** How much older the mirror's content is than the reference's, in seconds. */
    lag_seconds: behind !== undefined && lagMs > 0 && lagMs < Infinity ? Math.round(lagMs / 1000) : undefined,
    content_at: timestampIfAny(stored?.content_at),
    /** When the mirror got its `content_code`, or when its content began to differ. */
    content_since: timestampIfAny(stored?.content_since),
  };
}

function resolveCounts(vantages: State["vantages"], id: number, status: Status, at: number) {
  const tallies = Object.entries(vantages).flatMap(([vantage, { nodes }]) => {
    const tally = nodes[id];
    return tally === undefined ? [] : [{ vantage, code: tally.code, days: tally.days }];
  });
  const readDays = () => mergeCounts(tallies.map((tally) => tally.days));
  const days = readDays();
  const hours = mergeCounts(Object.values(vantages).flatMap(({ nodes }) => nodes[id]?.hours ?? []));
  const today = Math.floor(at / dayMs);
  const daysKnown = Math.min(daysShown, today + 1 - Math.min(today + 1, ...days.keys()));
  const last24h = totalBefore(hours, Math.floor(at / hourMs) + 1, 24);
  return {
    /** The uptime in each period up to this run, rounded so that few runs change it. */
    uptime: {
      "24h": uptimeBefore(new Map([[0, last24h]]), 1, 1),
      "7d": uptimeBefore(days, today + 1, 7),
      "30d": uptimeBefore(days, today + 1, 30),
      "90d": uptimeBefore(days, today + 1, daysShown),
    },
    /** The number of days from the node's first run to today, at most 90. */
    days_known: daysKnown,
    /** The mean of the seven days before today. Undefined while the mirror is offline. */
    mean_latency_ms: status === 1 ? meanLatency(days, today) : undefined,
    /** Unpacks the counts on each call, since the unpacked counts of all nodes would need too much memory. */
    days: () => daysBefore(readDays(), today),
    /** One item for each vantage. `code` is undefined if the last run did not observe the node. */
    vantages: () =>
      tallies.map(({ vantage, code, days: packed }) => {
        const seen = mergeCounts([packed]);
        const uptime = uptimeBefore(seen, today + 1, daysKnown);
        return { vantage, code, uptime, mean_latency_ms: meanLatency(seen, today) };
      }),
    today: days.get(today) ?? nothing,
    last24h,
  };
}

/** Returns the status changes, newest first. `after_seconds` is how long the previous status lasted, if known. */
function transitionsOf(stored: NodeState | undefined) {
  const oldestFirst = (stored?.transitions ?? []).map(([at, status, code], index, all) => {
    const [before] = all[index - 1] ?? [];
    const lasted = before === undefined ? undefined : Math.round((at - before) / 1000);
    return { at: isoTimestamp(at), status, code, after_seconds: lasted };
  });
  return oldestFirst.reverse();
}

/** Returns the changes of freshness and certificate, newest first. Only certificates have `expires_at`. */
function changesOf(stored: NodeState | undefined) {
  return (stored?.changes ?? [])
    .map(([at, code, expiry]) => ({ at: isoTimestamp(at), code, expires_at: timestampIfAny(expiry) }))
    .reverse();
}

/** Returns the last run's observation by the first vantage that has one. Without any, all its values are undefined. */
function observedBy(online: readonly VantageRound[], id: number, at: number) {
  const first = online.find(({ observations }) => observations.has(id))?.observations.get(id);
  const votes = online.flatMap(({ name, observations }) => {
    const code = observations.get(id)?.code;
    return code === undefined ? [] : [{ vantage: name, code }];
  });
  return {
    code: first?.code,
    // The clock of a vantage can be ahead, but no observation may be later than the feed.
    checked_at: first && isoTimestamp(Math.min(Date.parse(first.checked_at), at)),
    latency_ms: first?.latency_ms,
    attempts: first?.attempts,
    partial: first?.partial,
    /** The code that each vantage observed, if these codes are not all the same. */
    votes: votes.every(({ code }) => code === first?.code) ? undefined : votes,
  };
}

/** Returns undefined unless some votes are for online and others for offline. */
function disagreementOf({ votes = [] }: ReturnType<typeof observedBy>) {
  const online = votes.filter(({ code }) => evidence(code) === 1);
  const offline = votes.filter(({ code }) => evidence(code) === 0);
  return online.length > 0 && offline.length > 0 ? { online, offline } : undefined;
}
