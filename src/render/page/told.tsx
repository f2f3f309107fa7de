import type { ComponentChildren } from "preact";
import type { Code } from "../../probe/observation.ts";
import { codeSentences } from "../../sentences.ts";
import { dayMs } from "../../state/counts.ts";
import { evidence } from "../../state/verdict.ts";
import type { NodeHistory } from "../report-schema.ts";
import { listed } from "./count.ts";
import type { Feed, FeedNode } from "./feed.ts";
import { dateWords, Since } from "./moment.tsx";
import type { ShapeName } from "./shape.tsx";

/** How many days before a certificate expires it is told. */
const certificateDays = 14;

/** The shape and the word of a node's status: without anything that brought it, it is only taken for online. */
export function statusOf(
  { everReached }: Pick<Feed, "everReached">,
  node: NodeHistory,
): {
  readonly shape: ShapeName;
  readonly word: string;
} {
  if (!everReached) return { shape: "unknown", word: "Never reached" };
  if (node.code === undefined) return { shape: "unknown", word: "No verdict yet" };
  return node.status === 1 ? { shape: "online", word: "Online" } : { shape: "offline", word: "Offline" };
}

/** What there is to say of a node beside its status: how long and why it is offline, its freshness, what is coming. */
export function evidenceNotes(feed: Feed, { node, target }: FeedNode): ComponentChildren[] {
  const { status, code, since, maintenance } = node;
  const notes: ComponentChildren[] = [];
  if (code !== undefined && code !== "ok") notes.push(causeWords(code, node.http_status));
  const freshness = freshnessNote(node);
  if (freshness !== undefined) notes.push(freshness);
  else if (status === 1 && target.reference !== undefined && code !== undefined) {
    notes.push(node.freshness === "in_sync" ? "in sync" : "freshness unknown");
  }
  if (maintenance !== undefined) notes.push(<b class="notice">in maintenance: {maintenance}</b>);
  const certificate = certificateNote(feed, node);
  if (certificate !== undefined) notes.push(certificate);
  return status === 0 && since !== undefined && code !== undefined ? [<Since at={since} />, ...notes] : notes;
}

/** What a code means, as a part of a line: without the full stop, and with the HTTP status where that says more. */
export function causeWords(code: Code, httpStatus?: number): string {
  const words = codeSentences[code].replace(/\.$/, "");
  return httpStatus === undefined ? words : `${words} (status ${httpStatus})`;
}

/** That a node holds other content than the reference, where it does. */
export function freshnessNote({ freshness, behind_since }: NodeHistory): ComponentChildren {
  if (freshness === "differs") return <b class="notice">differs from the reference</b>;
  if (behind_since === undefined) return undefined;
  return (
    <b class="notice">
      behind <Since at={behind_since} />
    </b>
  );
}

/** That a node's certificate expires soon, or has expired, by the beginning of the feed's day. */
export function certificateNote({ day }: Feed, { tls_expires_at }: NodeHistory): ComponentChildren {
  if (tls_expires_at === undefined) return undefined;
  const left = (Date.parse(tls_expires_at) - Date.parse(day)) / dayMs;
  if (left >= certificateDays) return undefined;
  const expires = left < 0 ? "certificate expired on" : "certificate expires on";
  return (
    <b class="notice">
      {expires} {dateWords(tls_expires_at)}
    </b>
  );
}

/** What the last run saw, where it does not go without saying: the page of a run alone tells it. */
export function runNote({ node, seen }: FeedNode): string | undefined {
  if (seen === undefined) return undefined;
  const { code, votes } = seen;
  if (votes !== undefined) return `the vantages do not agree: ${listed(votes.map(voteWords), "and")}`;
  if (code === undefined) return "not observed in the last run";
  if (node.maintenance !== undefined || evidence(code) === node.status) return undefined;
  return code === node.code ? undefined : `the last run saw: ${causeWords(code)}`;
}

function voteWords({ vantage, code }: { readonly vantage: string; readonly code: string }): string {
  return `${vantage} saw ${code}`;
}
