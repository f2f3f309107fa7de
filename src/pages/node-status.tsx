import type { ComponentChildren } from "preact";
import { sentenceOf } from "../kinds/kinds.ts";
import { evidence } from "../state/verdict.ts";
import { formatCount, formatList } from "../text/count.ts";
import { printable } from "../text/quote.ts";
import type { Feed, Node } from "../model/feed.ts";
import { formatDate, Since } from "./timestamp.tsx";
import type { ShapeName } from "./shape.tsx";
import { certificateDays, certificateDaysLeft } from "./states.ts";

/** Returns the shape and the word of a node's status. Without a code there is no verdict yet, and the status is assumed. */
export function statusOf(
  { everReached }: Pick<Feed, "everReached">,
  node: Pick<Node, "status" | "code">,
): {
  readonly shape: ShapeName;
  readonly word: string;
} {
  if (!everReached) return { shape: "unknown", word: "Never reached" };
  if (node.code === undefined) return { shape: "unknown", word: "No verdict yet" };
  return node.status === 1 ? { shape: "online", word: "Online" } : { shape: "offline", word: "Offline" };
}

/** Returns the notes beside a node's status: since when and why it is offline, its freshness, maintenance, certificate. */
export function evidenceNotes(feed: Feed, node: Node): ComponentChildren[] {
  const { status, code, since, maintenance, unverified_since } = node;
  const notes: ComponentChildren[] = [];
  if (code !== undefined && code !== "ok") notes.push(causeText(code, node));
  const freshness = freshnessNote(node);
  if (freshness !== undefined) notes.push(freshness);
  else if (status === 1 && node.target.reference !== undefined && code !== undefined) {
    notes.push(node.freshness === "in_sync" ? "in sync" : "freshness unknown");
  }
  if (unverified_since !== undefined) {
    notes.push(
      <b class="notice">
        not verified <Since at={unverified_since} />
      </b>,
    );
  }
  if (maintenance !== undefined) notes.push(<b class="notice">in maintenance: {maintenance}</b>);
  const certificate = certificateNote(feed, node);
  if (certificate !== undefined) notes.push(certificate);
  return status === 0 && since !== undefined && code !== undefined ? [<Since at={since} />, ...notes] : notes;
}

/** Returns the sentence of a code without its full stop, and with the HTTP status if there is one. */
export function causeText(
  code: string,
  known: Partial<Pick<Node, "http_status" | "phase" | "cause" | "tls_expires_at">> = {},
): string {
  const words = sentenceOf(code, known).replace(/\.$/, "");
  return known.http_status === undefined ? words : `${words} (status ${known.http_status})`;
}

/** Returns a note if the content of a node is not that of the reference. */
export function freshnessNote({
  freshness,
  behind_since,
  content_code,
  difference,
}: Node): ComponentChildren {
  if (content_code !== undefined) return <b class="notice">{causeText(content_code)}</b>;
  if (freshness === "differs") {
    const text = difference === undefined ? "" : `: ${differenceText(difference)}`;
    return <b class="notice">differs from the reference{text}</b>;
  }
  if (behind_since === undefined) return undefined;
  return (
    <b class="notice">
      behind <Since at={behind_since} />
    </b>
  );
}

/** Returns a note if the certificate of a node expires soon or has expired. */
export function certificateNote(feed: Feed, { tls_expires_at }: Node): ComponentChildren {
  if (tls_expires_at === undefined) return undefined;
  const left = certificateDaysLeft(feed, tls_expires_at);
  if (left >= certificateDays) return undefined;
  const expires = left < 0 ? "certificate expired on" : "certificate expires on";
  return (
    <b class="notice">
      {expires} {formatDate(tls_expires_at)}
    </b>
  );
}

/** Returns a note on the last run if its observation does not explain the status. Only for pages that change every run. */
export function runNote(node: Node): string | undefined {
  const { code, votes } = node.observed;
  if (votes !== undefined) return `the vantages disagree: ${formatList(votes.map(voteText), "and")}`;
  if (code === undefined) return "not observed in the last run";
  if (node.maintenance !== undefined || evidence(code) === node.status) return undefined;
  return code === node.code ? undefined : `in the last run: ${causeText(code)}`;
}

function voteText({ vantage, code }: { readonly vantage: string; readonly code: string }): string {
  return `${vantage} observed ${code}`;
}

/** Returns how the refs of a node differ from those of the reference: how many, and the first of each sort. */
export function differenceText({ names, ...counts }: NonNullable<Node["difference"]>): string {
  const sorts = [
    [counts.missing, names.missing, "missing"],
    [counts.different, names.different, "different"],
    [counts.extra, names.extra, "more"],
  ] as const;
  return sorts
    .filter(([count]) => count > 0)
    .map(([count, first, sort]) => {
      const more = count > first.length ? ", …" : "";
      return `${formatCount(count, "ref")} ${sort} (${first.map(shortRef).join(", ")}${more})`;
    })
    .join(", ");
}

/** Returns the name of a branch or a tag without what comes before it, and without invisible characters. */
export function shortRef(name: string): string {
  return printable(name.replace(/^refs\/(?:heads|tags)\//, ""));
}
