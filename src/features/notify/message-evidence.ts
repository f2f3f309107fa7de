import { formatInteger, formatList } from "../../core/base/text/count.ts";
import { formatDuration } from "../../core/base/text/duration.ts";
import { printable } from "../../core/base/text/quote.ts";
import { isoTimestamp } from "../../core/base/text/timestamp.ts";
import type { Fact } from "./channels/message.ts";
import type { Freshness } from "../../core/verdict/rank.ts";
import { sentenceOf } from "../../core/kinds/kinds.ts";
import { evidence } from "../../core/kinds/kinds.ts";
import type { ChannelEvent } from "./events.ts";
import { countedStates } from "./state-texts.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import { mirrorStates } from "../../core/verdict/mirror-state.ts";
import { verdictOf } from "../../core/feed/verdict.ts";

const maxText = 100;

export function mirrorEvidence(event: ChannelEvent, node: FeedNode): Fact[] {
  const { time } = event;
  const name = event.line.event;
  if (name === "certificate") return facts([certificateFact(event, node)]);
  if (name === "ipv4_unreachable" || name === "ipv6_unreachable")
    return facts([
      ["IPv4", node.families?.ipv4],
      ["IPv6", node.families?.ipv6],
    ]);
  if (name !== "offline" && name !== "never_online") return contentEvidence(event, node);
  if (node.status === 1 && (name === "offline" || node.code === "ok")) {
    const answers = facts([["Reachable since", node.since && time(node.since)]]);
    return [...answers, ...contentEvidence(event, node)];
  }
  return failureEvidence(event, node);
}

type Entry = readonly [name: string, value: string | number | undefined];

function failureEvidence(event: ChannelEvent, node: FeedNode): Fact[] {
  const { time, allNodes, line } = event;
  const { state, code, http_status, phase, cause, since = "", unverified_since, target } = node;
  const others = allNodes.filter((other) => other.target === target && other !== node);
  return facts([
    ["Code", code],
    ["HTTP status", http_status],
    ["Phase", phase],
    ["Cause", cause],
    ["Offline since", state === "offline" && since !== isoTimestamp(line.since) ? time(since) : undefined],
    ["Unverified since", unverified_since && time(unverified_since)],
    ...(code === "tls" ? [certificateFact(event, node)] : []),
    ["Last seen", node.last_freshness && lastSeen[node.last_freshness]],
    ["Other mirrors", othersText(others)],
  ]);
}

const lastSeen: Readonly<Record<Freshness, string | undefined>> = {
  in_sync: "in sync",
  behind: "behind",
  differs: "different from the reference",
  unknown: undefined,
};

/** Counts a target's other mirrors, such as `3 of 5 are online, 2 are behind`. */
function othersText(others: readonly FeedNode[]): string {
  if (others.length === 0) return "none";
  const { counts } = verdictOf([{ nodes: others }]);
  const online = `${formatInteger(counts.online)} of ${formatInteger(others.length)} ${counts.online === 1 ? "is" : "are"} online`;
  const rest = mirrorStates.filter((state) => state !== "online");
  return [online, ...countedStates(counts, rest)].join(", ");
}

function certificateFact({ time }: ChannelEvent, { tls_expires_at: expiry }: FeedNode): Entry {
  return ["Certificate expires", expiry && time(expiry)];
}

function contentEvidence({ time }: ChannelEvent, node: FeedNode): Fact[] {
  const { freshness, content_code, revision, branch, content_at, refs_unread, difference } = node;
  if (freshness === "in_sync" && content_code === undefined) return facts([["Content", "in sync"]]);
  const { behind_since, lag_seconds } = node;
  const { reference } = node.target;
  return facts([
    ["Content", freshness === "differs" ? "differs from the reference" : undefined],
    ["Behind since", behind_since && time(behind_since)],
    ["Lag", lag_seconds && formatDuration(lag_seconds * 1000)],
    ["Code", content_code],
    ["Meaning", content_code && sentenceOf(content_code)],
    ["Revision", revision && shortRevision(revision)],
    ["Branch", branch && printable(branch, maxText)],
    ["Reference", reference && `${shortRevision(reference.revision)}, since ${time(reference.since)}`],
    ["Content from", content_at && time(content_at)],
    ["Missing refs", refsText(difference, "missing")],
    ["Different refs", refsText(difference, "different")],
    ["Extra refs", refsText(difference, "extra")],
    ["Refs", refs_unread && unreadRefs[refs_unread]],
  ]);
}

const unreadRefs = {
  too_many: "more than 2,000, too many to compare",
  unread: "could not be read",
} as const;

/** Abbreviates Git object ids. Other revisions stay whole. */
function shortRevision(revision: string): string {
  return /^[0-9a-f]{16,64}$/.test(revision) ? revision.slice(0, 10) : printable(revision, maxText);
}

function refsText(
  difference: FeedNode["difference"],
  sort: "missing" | "different" | "extra",
): string | undefined {
  if (difference === undefined || difference[sort] === 0) return undefined;
  const names = difference.names[sort].map((name) => printable(name, maxText));
  return `${formatInteger(difference[sort])}: ${names.join(", ")}${difference[sort] > names.length ? ", …" : ""}`;
}

/** Leaves out entries without a value. */
export function facts(entries: readonly Entry[]): Fact[] {
  return entries.flatMap(([name, value]) =>
    value === undefined || value === "" || value === 0 ? [] : [{ name, value: String(value) }],
  );
}

/**
 * Returns a sentence such as `It can be reached from usa, but not from eu or asia.` Undefined if there is only one
 * location, if the last run saw no failure, or if the mirrors differ.
 */
export function locationsSentence(nodes: readonly FeedNode[]): string | undefined {
  const sentences = new Set(nodes.map((node) => sentenceAbout(node.vantages(), nodes.length === 1)));
  return sentences.size === 1 ? [...sentences][0] : undefined;
}

function sentenceAbout(vantages: ReturnType<FeedNode["vantages"]>, isOne: boolean): string | undefined {
  const seeing = (status: 0 | 1): string[] =>
    vantages.flatMap(({ vantage, code }) => (evidence(code) === status ? vantage : []));
  const [failing, working] = [formatList(seeing(0), "or"), formatList(seeing(1), "and")];
  const subject = isOne ? "It" : "They";
  if (failing === "" || vantages.length < 2) return undefined;
  return working === ""
    ? `${subject} cannot be reached from ${failing}.`
    : `${subject} can be reached from ${working}, but not from ${failing}.`;
}
