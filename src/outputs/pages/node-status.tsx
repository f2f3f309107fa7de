import type { ComponentChildren } from "preact";
import { printable } from "../../base/text/quote.ts";
import { dayMs, evidence, type Feed, type FeedNode } from "../../feed/feed.ts";
import { expiredCertificate, isKnownCode, type Reason, reasonKey, sentenceOf } from "../../kinds/kinds.ts";
import type { PageFeed } from "./page-feed.ts";
import { type ShapeName, time } from "./parts.tsx";
import { type StateName, stateNames } from "./search-filter.ts";
import type { Words } from "./words/english.ts";

/** A certificate is mentioned if it expires in fewer days. */
const certificateDays = 14;

/** Returns whether a node is online. Without a code there is no verdict, and its status is only assumed. */
export function verdictOf(
  { everReached }: Feed,
  { status, code }: FeedNode,
): "online" | "offline" | "unknown" {
  if (!everReached || code === undefined) return "unknown";
  return status === 1 ? "online" : "offline";
}

/** Returns the states of a node, the worst first. Exactly one is `offline`, `unknown` or `online`. */
export function statesOf(feed: Feed, node: FeedNode): readonly StateName[] {
  const verdict = verdictOf(feed, node);
  const has: Readonly<Record<StateName, boolean>> = {
    offline: verdict === "offline",
    behind: node.freshness === "behind",
    differs: node.freshness === "differs",
    maintenance: node.maintenance !== undefined,
    certificate: certificateDaysLeft(feed, node) < certificateDays,
    unknown: verdict === "unknown",
    online: verdict === "online",
  };
  return stateNames.filter((state) => has[state]);
}

export function countStates(feed: Feed, nodes: readonly FeedNode[]): Readonly<Record<StateName, number>> {
  const counts = { offline: 0, behind: 0, differs: 0, maintenance: 0, certificate: 0, unknown: 0, online: 0 };
  for (const node of nodes) for (const state of statesOf(feed, node)) counts[state] += 1;
  return counts;
}

/** Counts from the start of the feed's day. Negative after the expiry. */
function certificateDaysLeft({ run }: Feed, { tls_expires_at }: FeedNode): number {
  if (tls_expires_at === undefined) return Infinity;
  return (Date.parse(tls_expires_at) - Date.parse(run.generated_at.slice(0, 10))) / dayMs;
}

/** The search, the chips and the sort read these attributes of a row. */
export function rowAttributes(feed: Feed, node: FeedNode) {
  return {
    "data-item": "",
    "data-node": node.id,
    "data-states": statesOf(feed, node).join(" "),
    "data-uptime": node.uptime["90d"].ratio,
    "data-latency": node.mean_latency_ms && Math.round(node.mean_latency_ms),
  };
}

export function statusOf(
  feed: PageFeed,
  node: FeedNode,
): { readonly shape: ShapeName; readonly word: string } {
  const { nodeStatus: words } = feed.words;
  const shape = verdictOf(feed, node);
  if (shape !== "unknown") return { shape, word: words[shape] };
  return { shape, word: feed.everReached ? words.noVerdict : words.neverReached };
}

export function evidenceNotes(feed: PageFeed, node: FeedNode): ComponentChildren[] {
  const { status, code, since, maintenance, unverified_since } = node;
  const { nodeStatus: words, problems } = feed.words;
  const notes: ComponentChildren[] = [];
  if (status === 0 && since !== undefined && code !== undefined) notes.push(time(feed, since, "since"));
  if (code !== undefined && code !== "ok") notes.push(causeText(feed.words, code, node));
  const freshness = freshnessNote(feed, node);
  if (freshness !== undefined && (code === undefined || code !== node.content_code)) notes.push(freshness);
  else if (status === 1 && node.target.reference !== undefined && code !== undefined) {
    notes.push(node.freshness === "in_sync" ? words.inSync : words.freshnessUnknown);
  }
  if (unverified_since !== undefined)
    notes.push(notice([words.notVerified, " ", time(feed, unverified_since, "since")]));
  if (maintenance !== undefined) notes.push(notice(problems.maintenance(maintenance)));
  const certificate = certificateNote(feed, node);
  if (certificate !== undefined) notes.push(certificate);
  return notes;
}

export function notice(text: ComponentChildren) {
  return <b class="notice">{text}</b>;
}

/** Returns what a code means, as `sentenceOf` does in English. */
export function sentenceIn({ sentence }: Words, code: string, reason: Reason = {}): string {
  const expired = expiredCertificate(code, reason);
  if (expired !== undefined) return sentence.certificateExpired(expired);
  if (!isKnownCode(code)) return sentence.unknownCode;
  return sentence.codes[reasonKey(code, reason)] ?? sentenceOf(code, reason);
}

/** Returns the sentence of a code without its full stop, and with the HTTP status if there is one. */
export function causeText(
  words: Words,
  code: string,
  known: Reason & Partial<Pick<FeedNode, "http_status">> = {},
): string {
  const sentence = sentenceIn(words, code, known).replace(/\.$/, "");
  return known.http_status === undefined
    ? sentence
    : words.nodeStatus.withStatus(sentence, known.http_status);
}

export function freshnessNote(
  feed: PageFeed,
  { freshness, behind_since, content_code, difference }: FeedNode,
): ComponentChildren {
  const { words } = feed;
  if (content_code !== undefined) return notice(causeText(words, content_code));
  if (freshness === "differs") {
    const text = difference === undefined ? "" : `: ${differenceText(words, difference)}`;
    return notice(words.nodeStatus.differs + text);
  }
  return behind_since && notice([words.terms.behind, " ", time(feed, behind_since, "since")]);
}

export function certificateNote(feed: PageFeed, node: FeedNode): ComponentChildren {
  const left = certificateDaysLeft(feed, node);
  if (node.tls_expires_at === undefined || left >= certificateDays) return undefined;
  const { certificateExpired, certificateExpires } = feed.words.nodeStatus;
  const text = left < 0 ? certificateExpired : certificateExpires;
  return notice(text(feed.format.date(node.tls_expires_at)));
}

/** Returns a note if the last run does not explain the status. Only for the overview. */
export function runNote(words: Words, node: FeedNode): string | undefined {
  const { disagree, vote, notObserved, inLastRun } = words.nodeStatus;
  const { code, votes } = node.observed;
  if (votes !== undefined) return disagree(votes.map((one) => vote(one.vantage, one.code)));
  if (code === undefined) return notObserved;
  if (node.maintenance !== undefined || evidence(code) === node.status) return undefined;
  return code === node.code ? undefined : inLastRun(causeText(words, code));
}

export function differenceText(
  { nodeStatus: { refs } }: Words,
  { names, ...counts }: NonNullable<FeedNode["difference"]>,
): string {
  const sorts = (["missing", "different", "extra"] as const).filter((sort) => counts[sort] > 0);
  return sorts
    .map((sort) => {
      const more = counts[sort] > names[sort].length ? ", …" : "";
      return `${refs[sort](counts[sort])} (${names[sort].map(shortRef).join(", ")}${more})`;
    })
    .join(", ");
}

/** Returns the short name of a branch or a tag, without invisible characters. */
export function shortRef(name: string): string {
  return printable(name.replace(/^refs\/(?:heads|tags)\//, ""));
}
