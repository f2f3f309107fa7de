import type { ComponentChildren } from "preact";
import { familyNames } from "../../core/base/http/address.ts";
import { formatCount, formatList } from "../../core/base/text/count.ts";
import { dayMs, type Format, formatDuration } from "../../core/base/text/time.ts";
import { printable } from "../../core/base/text/quote.ts";
import type { Feed } from "../../core/feed/feed.ts";
import { evidence, expiredCertificate, type Reason, sentenceOf } from "../../core/kinds/kinds.ts";
import type { PageFeed } from "./page-feed.ts";
import { time } from "./parts.tsx";
import { type StateName, stateWords } from "./search-filter.ts";
import { stateShapes } from "./shapes.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";

/** Returns the mirror's state, and `certificate` if its certificate expires soon. */
export function statesOf(feed: Feed, node: FeedNode): readonly StateName[] {
  return expiringCertificate(feed, node) === undefined ? [node.state] : [node.state, "certificate"];
}

/** Returns when the certificate expires, if that is less than 14 days after the start of the last run's day. */
export function expiringCertificate({ run }: Feed, { tls_expires_at }: FeedNode): string | undefined {
  const limit = Date.parse(run.generated_at.slice(0, 10)) + 14 * dayMs;
  return tls_expires_at && Date.parse(tls_expires_at) < limit ? tls_expires_at : undefined;
}

/** The search reads these attributes. */
export function rowAttributes(feed: Feed, node: FeedNode) {
  return {
    "data-item": "",
    "data-node": node.id,
    "data-states": statesOf(feed, node).join(" "),
    "data-country": node.country,
    "data-uptime": node.uptime["90d"].ratio,
    "data-latency": node.mean_latency_ms,
  };
}

export function statusOf({ everReached }: PageFeed, { state }: FeedNode) {
  return { shape: stateShapes[state], word: everReached ? stateWords[state] : "Never reached" };
}

export function stateWord(feed: PageFeed, node: FeedNode) {
  return <b class={statusOf(feed, node).shape}>{stateText(feed, node)}</b>;
}

/** Returns a word for the state, and whether an online mirror is in sync: `Online · in sync`. */
export function stateText(feed: PageFeed, node: FeedNode): string {
  const { word } = statusOf(feed, node);
  const isInSync = node.state === "online" && node.freshness === "in_sync";
  return isInSync ? `${word} · in sync` : word;
}

/** Renders the time at which the mirror's state began, unless the mirror is online, in maintenance or unknown. */
export function sinceNote(feed: PageFeed, node: FeedNode): ComponentChildren {
  const at = node.state === "online" ? undefined : stateSince(node);
  return at && time(feed, at, "since");
}

export function olderText(lag_seconds: number): string {
  return `${formatDuration(lag_seconds * 1000)} older than the reference`;
}

export function stateSince({ state, code, since, behind_since, content_since }: FeedNode) {
  if (state === "behind") return behind_since;
  if (state === "wrong" || state === "differs") return content_since;
  return code === undefined || state === "maintenance" ? undefined : since;
}

/** Explains a mirror's state, and adds anything else a reader should know. */
export function evidenceNotes(feed: PageFeed, node: FeedNode): ComponentChildren[] {
  const { state, freshness, behind_since, target, unverified_since, unreachable_family: family } = node;
  const reason = reasonText(feed.format, node);
  const behind = behind_since && ["behind ", time(feed, behind_since, "since")];
  return [
    reason && (state === "offline" || state === "behind" ? reason : notice(reason)),
    state === "maintenance" && keptText(node),
    state === "offline" && behind && notice(behind),
    state === "offline" && lastSeenText(node),
    state === "online" && behind,
    state === "online" && freshness === "unknown" && target.reference && "freshness unknown",
    unverified_since && notice(["not verified ", time(feed, unverified_since, "since")]),
    disagreementText(node),
    family && notice(`not reachable over ${familyNames[family]}`),
    certificateNote(feed, node),
  ].filter(Boolean);
}

/** Says why a mirror is in its state, in the words that are used wherever the mirror is shown. */
export function reasonText(format: Format, node: FeedNode): string | undefined {
  const { state, code, content_code, difference, lag_seconds, maintenance } = node;
  if (state === "offline") return code && causeText(format, code, node);
  if (state === "wrong") return content_code && causeText(format, content_code);
  if (state === "differs") return difference && differenceText(difference);
  // Says how much older the content is, because it can be days older even if the mirror fell behind only a minute ago.
  if (state === "behind") return lag_seconds ? olderText(lag_seconds) : undefined;
  return state === "maintenance" ? maintenance : undefined;
}

/** Says that a mirror in maintenance keeps its status. */
export function keptText({ status }: FeedNode): string {
  return `its status stays ${status === 1 ? "online" : "offline"}`;
}

const lastSeen = {
  in_sync: "last seen in sync",
  behind: "was behind when last seen",
  differs: "differed when last seen",
  unknown: undefined,
};

export function lastSeenText({ last_freshness = "unknown" }: FeedNode): string | undefined {
  return lastSeen[last_freshness];
}

export function disagreementText({ disagreement, state }: FeedNode): string | undefined {
  if (disagreement === undefined) return undefined;
  const online = disagreement.online.map(({ vantage }) => vantage);
  const offline = disagreement.offline.map(({ vantage, code }) => `${vantage} (${code})`);
  const isKept = online.length === offline.length && state !== "unknown";
  const fact = isKept ? "the locations are split, so its status does not change" : "the locations disagree";
  return `${fact}: reached from ${formatList(online, "and")}, not from ${formatList(offline, "and")}`;
}

export function notice(text: ComponentChildren) {
  return <b class="notice">{text}</b>;
}

/** Like `sentenceOf`, but with the date as pages show it. */
export function sentenceIn(format: Format, code: string, reason: Reason = {}): string {
  const expired = expiredCertificate(code, reason);
  if (expired === undefined) return sentenceOf(code, reason);
  return `Its certificate expired on ${format.date(expired)}.`;
}

/** Returns a code's sentence without its full stop, with the HTTP status if known. */
export function causeText(format: Format, code: string, known: Partial<FeedNode> = {}): string {
  const sentence = sentenceIn(format, code, known).replace(/\.$/, "");
  return known.http_status === undefined ? sentence : `${sentence} (HTTP ${known.http_status})`;
}

export function certificateNote(feed: PageFeed, node: FeedNode): ComponentChildren {
  const expiry = expiringCertificate(feed, node);
  const verb = expiry && expiry < feed.run.generated_at.slice(0, 10) ? "expired" : "expires";
  return expiry && notice(`certificate ${verb} on ${feed.format.date(expiry)}`);
}

/** Returns a note for the overview if the last run didn't observe the mirror, or if that doesn't match the status. */
export function runNote(feed: PageFeed, node: FeedNode): string | undefined {
  const { code } = node.observed;
  if (code === undefined) return "not observed in the last run";
  if (node.disagreement !== undefined || code === node.code || evidence(code) === node.status)
    return undefined;
  return `in the last run: ${causeText(feed.format, code)}`;
}

export function differenceText({ names, ...counts }: NonNullable<FeedNode["difference"]>): string {
  const sorts = (["missing", "different", "extra"] as const).filter((sort) => counts[sort] > 0);
  return sorts
    .map((sort) => {
      const more = counts[sort] > names[sort].length ? ", …" : "";
      return `${formatCount(counts[sort], `${sort} ref`)} (${names[sort].map(shortRef).join(", ")}${more})`;
    })
    .join(", ");
}

/** Shortens the name of a branch or tag, and escapes invisible characters. */
export function shortRef(name: string): string {
  return printable(name.replace(/^refs\/(?:heads|tags)\//, ""));
}
