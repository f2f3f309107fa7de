import { printable } from "../../core/base/text/quote.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import { countStates, formatStates } from "../../core/feed/verdict.ts";
import type { Fact } from "./channels/message.ts";
import { type ChannelEvent, rewrittenTags, stateOf } from "./texts.ts";

const maxText = 100;

export function eventFacts(event: ChannelEvent): Fact[] {
  const { phase, line, at, time, lasted } = event;
  return [
    ...rewrittenTags(event).map(({ tag, from, to = "missing" }) => {
      return { name: "Ref", value: `${printable(tag)}, ${from} before, ${to} now` };
    }),
    // The `since` of a certificate is when its expiry came near, which is not worth showing.
    ...facts({
      Since: line.event === "certificate" ? undefined : time(line.since),
      Until: phase === "end" ? time(at) : undefined,
      Lasted: phase === "end" ? lasted : undefined,
    }),
  ];
}

export function mirrorFacts(event: ChannelEvent, node: FeedNode): Fact[] {
  const { allNodes, time } = event;
  const { event: name } = event.line;
  const { state, status, code, content_code, http_status, phase, cause, target, difference, freshness } =
    node;
  const others = allNodes.filter((other) => other.target === target && other !== node);
  const seen = node.vantages();
  const hasFailed = seen.length > 1 && seen.some((one) => one.code !== "ok");
  const locations = seen.map((one) => `${one.vantage} ${one.code ?? "not observed"}`).join(", ");
  const revision = freshness === "in_sync" ? undefined : node.revision;
  const names = Object.values(difference?.names ?? {}).flat();
  const { reference } = target;
  const isOfFamilies = name === "ipv4_unreachable" || name === "ipv6_unreachable";
  return facts({
    // The state of a single mirror is in the sentence.
    State: event.nodes.length > 1 ? stateOf(node, event.feed) || state : undefined,
    Code: status === 0 ? code : content_code,
    "HTTP status": status === 0 ? http_status?.toString() : undefined,
    Phase: phase,
    Cause: cause,
    Locations: hasFailed ? locations : undefined,
    "Unverified since": node.unverified_since && time(node.unverified_since),
    "Certificate expires":
      name === "certificate" || code === "tls" ? node.tls_expires_at && time(node.tls_expires_at) : undefined,
    IPv4: isOfFamilies ? node.families?.ipv4 : undefined,
    IPv6: isOfFamilies ? node.families?.ipv6 : undefined,
    Revision: revision && shortRevision(revision),
    Reference:
      revision && reference && `${shortRevision(reference.revision)}, since ${time(reference.since)}`,
    Refs: names
      .slice(0, 10)
      .map((name) => printable(name, maxText))
      .join(", "),
    "Other mirrors": formatStates(countStates(others)) || "none",
  });
}

/** Abbreviates Git object ids. Other revisions stay whole. */
function shortRevision(revision: string): string {
  return /^[0-9a-f]{16,64}$/.test(revision) ? revision.slice(0, 10) : printable(revision, maxText);
}

/** Leaves out entries without a value. */
function facts(values: Readonly<Record<string, string | undefined>>): Fact[] {
  return Object.entries(values).flatMap(([name, value]) => (value ? [{ name, value }] : []));
}
