import type { Fact } from "../channels/message.ts";
import type { EventName } from "../config/notify.ts";
import type { Node } from "../config/nodes.ts";
import { sentenceOf } from "../kinds/kinds.ts";
import type { NodeEvidence } from "../feed/evidence.ts";
import { isoTimestamp } from "../feed/timestamp.ts";
import { formatInteger } from "../base/text/count.ts";
import { formatDuration } from "../base/text/duration.ts";
import { printable } from "../base/text/quote.ts";
import type { Composing } from "./composing.ts";

const maxVantages = 10;
const maxText = 100;

/** Returns what is known of a mirror now, as far as it matters for an event that began at a time (epoch milliseconds). */
export function mirrorEvidence(name: EventName, node: Node, composing: Composing, since: number): Fact[] {
  const known = composing.known(node);
  if (name === "certificate") return facts([certificateFact(known, composing)]);
  if (name !== "offline" && name !== "never_online") return contentEvidence(node, known, composing);
  if (known.status === 1 && (name === "offline" || known.code === "ok")) {
    const answers = facts([["Answers since", known.since && composing.time(known.since)]]);
    return [...answers, ...contentEvidence(node, known, composing)];
  }
  return failureEvidence(node, known, composing, since);
}

type Entry = readonly [name: string, value: string | number | undefined];

function failureEvidence(node: Node, known: NodeEvidence, composing: Composing, eventSince: number): Fact[] {
  const { time, byPlace, state } = composing;
  const { status, code, http_status, phase, cause, since = "", unverified_since } = known;
  const others = (byPlace.get(node.place) ?? []).filter(({ id }) => id !== node.id);
  const reachable = others.filter(({ id }) => state.nodes[id]?.status === 1).length;
  return facts([
    ["Code", code],
    ["HTTP status", http_status],
    ["Phase", phase],
    ["Cause", cause],
    ["Offline since", status === 0 && since !== isoTimestamp(eventSince) ? time(since) : undefined],
    ["Not verified since", unverified_since && time(unverified_since)],
    ["Locations", locationsText(node, composing)],
    ...(code === "tls" ? [certificateFact(known, composing)] : []),
    [
      "Other mirrors",
      others.length === 0
        ? "none"
        : `${formatInteger(reachable)} of ${formatInteger(others.length)} are reachable`,
    ],
  ]);
}

/** Returns the last code from each location, or undefined if there is only one. */
function locationsText({ id }: Node, { state }: Composing): string | undefined {
  const seen = Object.entries(state.vantages).flatMap(([vantage, { nodes }]) => {
    const tally = nodes[id];
    return tally === undefined ? [] : [`${vantage} (${tally.code ?? "not observed"})`];
  });
  const more = seen.length > maxVantages ? [`${seen.length - maxVantages} more`] : [];
  return seen.length < 2 ? undefined : [...seen.slice(0, maxVantages), ...more].join(", ");
}

function certificateFact({ tls_expires_at: expiry }: NodeEvidence, { time }: Composing): Entry {
  return ["Certificate expires", expiry && time(expiry)];
}

/** Returns what is known of the content of a mirror, compared with its reference. */
function contentEvidence(node: Node, known: NodeEvidence, { state, time }: Composing): Fact[] {
  const { freshness, content_code, revision, branch, content_at, refs_unread, difference } = known;
  if (freshness === "in_sync" && content_code === undefined) return [["Content", "in sync"]];
  const { behind_since, lag_seconds } = known;
  const newest = state.references[node.place]?.revisions.at(-1);
  return facts([
    ["Content", freshness === "differs" ? "differs from the reference" : undefined],
    ["Behind since", behind_since && time(behind_since)],
    ["Older by", lag_seconds && formatDuration(lag_seconds * 1000)],
    ["Code", content_code],
    ["Meaning", content_code && sentenceOf(content_code)],
    ["Revision", revision && shortRevision(revision)],
    ["Branch", branch && printable(branch, maxText)],
    ["Reference", newest && `${shortRevision(newest[0])}, since ${time(newest[1])}`],
    ["Made at", content_at && time(content_at)],
    ["Missing refs", refsText(difference, "missing")],
    ["Different refs", refsText(difference, "different")],
    ["More refs", refsText(difference, "extra")],
    ["Refs", refs_unread && unreadRefs[refs_unread]],
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
  difference: NodeEvidence["difference"],
  sort: "missing" | "different" | "extra",
): string | undefined {
  if (difference === undefined || difference[sort] === 0) return undefined;
  const names = difference.names[sort].map((name) => printable(name, maxText));
  return `${formatInteger(difference[sort])}: ${names.join(", ")}${difference[sort] > names.length ? ", …" : ""}`;
}

function facts(entries: readonly Entry[]): Fact[] {
  return entries.flatMap(([name, value]) =>
    value === undefined || value === "" || value === 0 ? [] : [[name, String(value)] as const],
  );
}
