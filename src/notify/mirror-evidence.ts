import type { Fact } from "../channels/message.ts";
import type { EventName } from "../config/notify.ts";
import type { NetworkNode } from "../config/nodes.ts";
import { sentenceOf } from "../kinds/kinds.ts";
import { dayMs, hourMs, hoursKept, readCounts } from "../state/counts.ts";
import type { NodeState, NodeTally } from "../state/document.ts";
import { freshnessOf } from "../state/freshness.ts";
import { evidence } from "../state/verdict.ts";
import { formatCount, formatInteger, formatList } from "../text/count.ts";
import { formatDuration } from "../text/duration.ts";
import { printable } from "../text/quote.ts";
import type { Composing } from "./composing.ts";

const maxVantages = 10;
const maxText = 100;

/** Returns what is known of a mirror now, as far as it matters for an event. */
export function mirrorEvidence(
  name: EventName,
  node: NetworkNode,
  composing: Composing,
  since: number,
): Fact[] {
  const stored = composing.state.nodes[node.id];
  if (stored === undefined) return [];
  if (name === "certificate") return certificateEvidence(stored, composing);
  if (name !== "offline" && name !== "never_online") return contentEvidence(node, stored, composing);
  if (stored.status === 1 && (name === "offline" || stored.code === "ok"))
    return [["Answers since", composing.time(stored.since)], ...contentEvidence(node, stored, composing)];
  return failureEvidence(node, stored, composing, since);
}

function failureEvidence(node: NetworkNode, stored: NodeState, composing: Composing, since: number): Fact[] {
  const { time, nodes, state } = composing;
  const { code, http_status, phase, cause } = stored;
  const tallies = Object.entries(state.vantages).flatMap(([vantage, { nodes: all }]) => {
    const tally = all[node.id];
    return tally === undefined ? [] : [{ vantage, tally }];
  });
  const others = nodes.filter(({ id, place }) => place === node.place && id !== node.id);
  const reachable = others.filter(({ id }) => state.nodes[id]?.status === 1).length;
  return facts([
    ["Code", code],
    ["HTTP status", http_status],
    ["Phase", phase],
    ["Cause", cause],
    ["Offline since", stored.status === 0 && stored.since !== since ? time(stored.since) : undefined],
    ["Not verified since", stored.unverified_since && time(stored.unverified_since)],
    ...vantageEvidence(tallies),
    ["Tried", failedRuns(tallies, node, since)],
    ["Last answer", lastAnswer(tallies, composing)],
    ...(code === "tls" ? certificateEvidence(stored, composing) : []),
    [
      "Other mirrors",
      others.length === 0
        ? "there are none"
        : `${formatInteger(reachable)} of ${formatInteger(others.length)} are reachable`,
    ],
  ]);
}

interface VantageTally {
  readonly vantage: string;
  readonly tally: NodeTally;
}

/** Returns which vantages last failed to reach a node, which reached it, and which did not observe it. */
function vantageEvidence(tallies: readonly VantageTally[]): (readonly [string, string | undefined])[] {
  const groups = { fails: [] as string[], answers: [] as string[], unknown: [] as string[] };
  for (const { vantage, tally } of tallies) {
    const status = evidence(tally.code);
    const group = status === 0 ? "fails" : status === 1 ? "answers" : "unknown";
    groups[group].push(status === 0 ? `${vantage} (${tally.code ?? ""})` : vantage);
  }
  return [
    ["Fails from", shownNames(groups.fails)],
    ["Answers from", shownNames(groups.answers)],
    ["Not observed from", shownNames(groups.unknown)],
  ];
}

/** Returns how often a node failed since a time, by vantage, and how often each run tried. */
function failedRuns(tallies: readonly VantageTally[], { settings }: NetworkNode, since: number): string {
  const failed = tallies.map(({ vantage, tally }) => ({ vantage, count: failuresSince(tally, since) }));
  const seen = failed.filter(({ count }) => count > 0);
  const total = seen.reduce((sum, { count }) => sum + count, 0);
  const each = seen.map(({ vantage, count }) => `${formatInteger(count)} from ${vantage}`);
  const byVantage = each.length > 1 ? ` (${shownNames(each) ?? ""})` : "";
  const attempts =
    settings.attempts === 1 ? "one attempt" : `up to ${formatInteger(settings.attempts)} attempts`;
  return `${formatCount(total, "failed run")}${byVantage}, each with ${attempts} within ${formatSeconds(settings.timeoutMs)}`;
}

function formatSeconds(durationMs: number): string {
  return `${durationMs / 1000} s`;
}

/** Returns how many runs failed since a time. Older ones are counted by the day. */
function failuresSince({ hours, days }: NodeTally, since: number): number {
  const byHour = readCounts(hours);
  const [newest] = byHour;
  const first = Math.floor(since / hourMs);
  const isKept = newest === undefined || newest.period - first < hoursKept;
  const periods = isKept ? byHour : readCounts(days);
  const from = isKept ? first : Math.floor(since / dayMs);
  return periods.filter(({ period }) => period >= from).reduce((sum, { count }) => sum + count.failed, 0);
}

/** Returns when any vantage was last answered: the counts know the hour or the day. */
function lastAnswer(tallies: readonly VantageTally[], { time }: Composing): string {
  const newest = (counts: "hours" | "days"): number => {
    const answered = tallies.flatMap(({ tally }) =>
      readCounts(tally[counts])
        .filter(({ count }) => count.ok > 0)
        .map(({ period }) => period),
    );
    return answered.reduce((latest, period) => Math.max(latest, period), -1);
  };
  const hour = newest("hours");
  if (hour >= 0) return `in the hour after ${time(hour * hourMs)}`;
  const day = newest("days");
  return day >= 0 ? `on ${new Date(day * dayMs).toISOString().slice(0, 10)} (UTC)` : "none is known";
}

function certificateEvidence({ tls_expires_at: expiry }: NodeState, { time }: Composing): Fact[] {
  return facts([["Certificate expires", expiry && time(expiry)]]);
}

/** Returns what is known of the content of a mirror, compared with its reference. */
function contentEvidence(node: NetworkNode, stored: NodeState, { state, time }: Composing): Fact[] {
  const reference = state.references[node.place];
  const freshness = freshnessOf(stored, reference);
  if (freshness.state === "in_sync" && stored.content_code === undefined) return [["Content", "in sync"]];
  const { content_code, revision, branch, content_at, refs_unread } = stored;
  const difference = freshness.state === "in_sync" ? undefined : stored.difference;
  const newest = reference?.revisions.at(-1);
  return facts([
    ["Content", freshness.state === "differs" ? "differs from the reference" : undefined],
    ["Behind since", freshness.state === "behind" ? time(freshness.behindSince) : undefined],
    [
      "Older by",
      freshness.state === "behind" && freshness.lagMs !== undefined
        ? formatDuration(freshness.lagMs)
        : undefined,
    ],
    ["Code", content_code],
    ["Meaning", content_code && sentenceOf(content_code)],
    ["Revision", revision && shortRevision(revision)],
    ["Branch", branch && printable(branch, maxText)],
    ["Reference", newest && `${shortRevision(newest[0])}, since ${time(newest[1])}`],
    ["Made at", content_at && time(content_at)],
    ["Missing refs", refsText(difference, "missing")],
    ["Different refs", refsText(difference, "different")],
    ["More refs", refsText(difference, "extra")],
    ["Refs", refs_unread === undefined ? undefined : unreadRefs[refs_unread]],
  ]);
}

const unreadRefs = {
  too_many: "not compared: there are too many",
  unread: "not compared: they could not be read",
} as const;

/** Git object ids are known by their first digits; others stay whole. */
function shortRevision(revision: string): string {
  return /^[0-9a-f]{16,64}$/.test(revision) ? revision.slice(0, 10) : printable(revision, maxText);
}

function refsText(
  difference: NodeState["difference"],
  sort: "missing" | "different" | "extra",
): string | undefined {
  if (difference === undefined || difference[sort] === 0) return undefined;
  const names = difference.names[sort].map((name) => printable(name, maxText));
  return `${formatInteger(difference[sort])}: ${names.join(", ")}${difference[sort] > names.length ? ", …" : ""}`;
}

function shownNames(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const more = names.length - maxVantages;
  return formatList(more > 0 ? [...names.slice(0, maxVantages), `${more} more`] : names, "and");
}

function facts(entries: readonly (readonly [name: string, value: string | number | undefined])[]): Fact[] {
  return entries.flatMap(([name, value]) =>
    value === undefined || value === "" || value === 0 ? [] : [[name, String(value)] as const],
  );
}
