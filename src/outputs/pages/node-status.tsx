import type { ComponentChildren } from "preact";
import { evidence } from "../../state/verdict.ts";
import { printable } from "../../base/text/quote.ts";
import type { Words } from "./words/words.ts";
import type { FeedNode } from "../../feed/feed.ts";
import type { PageFeed } from "./links.ts";
import { sentenceIn } from "./sentence.ts";
import { sinceTime } from "./timestamp.tsx";
import type { ShapeName } from "./parts.tsx";
import { certificateDays, certificateDaysLeft, verdictOf } from "./states.ts";

/** Returns the shape and the word of a node's status. Without a code there is no verdict yet, and the status is assumed. */
export function statusOf(
  feed: Pick<PageFeed, "everReached" | "words">,
  node: Pick<FeedNode, "status" | "code">,
): {
  readonly shape: ShapeName;
  readonly word: string;
} {
  const { nodeStatus: words } = feed.words;
  const shape = verdictOf(feed, node);
  if (shape !== "unknown") return { shape, word: words[shape] };
  return { shape, word: feed.everReached ? words.noVerdict : words.neverReached };
}

/** Returns the notes beside a node's status: since when and why it is offline, its freshness, maintenance, certificate. */
export function evidenceNotes(feed: PageFeed, node: FeedNode): ComponentChildren[] {
  const { status, code, since, maintenance, unverified_since } = node;
  const { nodeStatus: words, problems } = feed.words;
  const notes: ComponentChildren[] = [];
  if (code !== undefined && code !== "ok") notes.push(causeText(feed.words, code, node));
  const freshness = freshnessNote(feed, node);
  if (freshness !== undefined && (code === undefined || code !== node.content_code)) notes.push(freshness);
  else if (status === 1 && node.target.reference !== undefined && code !== undefined) {
    notes.push(node.freshness === "in_sync" ? words.inSync : words.freshnessUnknown);
  }
  if (unverified_since !== undefined) {
    notes.push(
      <b class="notice">
        {words.notVerified} {sinceTime(feed, unverified_since)}
      </b>,
    );
  }
  if (maintenance !== undefined) notes.push(<b class="notice">{problems.maintenance(maintenance)}</b>);
  const certificate = certificateNote(feed, node);
  if (certificate !== undefined) notes.push(certificate);
  return status === 0 && since !== undefined && code !== undefined
    ? [sinceTime(feed, since), ...notes]
    : notes;
}

/** Returns the sentence of a code without its full stop, and with the HTTP status if there is one. */
export function causeText(
  words: Words,
  code: string,
  known: Partial<Pick<FeedNode, "http_status" | "phase" | "cause" | "tls_expires_at">> = {},
): string {
  const sentence = sentenceIn(words, code, known).replace(/\.$/, "");
  return known.http_status === undefined
    ? sentence
    : words.nodeStatus.withStatus(sentence, known.http_status);
}

/** Returns a note if the content of a node is not that of the reference. */
export function freshnessNote(
  feed: PageFeed,
  { freshness, behind_since, content_code, difference }: FeedNode,
): ComponentChildren {
  const { words } = feed;
  if (content_code !== undefined) return <b class="notice">{causeText(words, content_code)}</b>;
  if (freshness === "differs") {
    const text = difference === undefined ? "" : `: ${differenceText(words, difference)}`;
    return (
      <b class="notice">
        {words.nodeStatus.differs}
        {text}
      </b>
    );
  }
  if (behind_since === undefined) return undefined;
  return (
    <b class="notice">
      {words.nodeStatus.behind} {sinceTime(feed, behind_since)}
    </b>
  );
}

/** Returns a note if the certificate of a node expires soon or has expired. */
export function certificateNote(feed: PageFeed, { tls_expires_at }: FeedNode): ComponentChildren {
  if (tls_expires_at === undefined) return undefined;
  const left = certificateDaysLeft(feed, tls_expires_at);
  if (left >= certificateDays) return undefined;
  const { certificateExpired, certificateExpires } = feed.words.nodeStatus;
  const text = left < 0 ? certificateExpired : certificateExpires;
  return <b class="notice">{text(feed.format.date(tls_expires_at))}</b>;
}

/** Returns a note on the last run if its observation does not explain the status. Only for pages that change every run. */
export function runNote(words: Words, node: FeedNode): string | undefined {
  const { disagree, vote, notObserved, inLastRun } = words.nodeStatus;
  const { code, votes } = node.observed;
  if (votes !== undefined) return disagree(votes.map((one) => vote(one.vantage, one.code)));
  if (code === undefined) return notObserved;
  if (node.maintenance !== undefined || evidence(code) === node.status) return undefined;
  return code === node.code ? undefined : inLastRun(causeText(words, code));
}

/** Returns how the refs of a node differ from those of the reference: how many, and the first of each sort. */
export function differenceText(
  { nodeStatus: { refs } }: Words,
  { names, ...counts }: NonNullable<FeedNode["difference"]>,
): string {
  const sorts = [
    [counts.missing, names.missing, refs.missing],
    [counts.different, names.different, refs.different],
    [counts.extra, names.extra, refs.extra],
  ] as const;
  return sorts
    .filter(([count]) => count > 0)
    .map(([count, first, text]) => {
      const more = count > first.length ? ", …" : "";
      return `${text(count)} (${first.map(shortRef).join(", ")}${more})`;
    })
    .join(", ");
}

/** Returns the name of a branch or a tag without what comes before it, and without invisible characters. */
export function shortRef(name: string): string {
  return printable(name.replace(/^refs\/(?:heads|tags)\//, ""));
}
