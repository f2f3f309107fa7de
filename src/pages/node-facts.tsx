import type { ComponentChildren } from "preact";
import { sentenceOf } from "../kinds/kinds.ts";
import type { Node } from "../model/feed.ts";
import { formatDuration } from "../text/duration.ts";
import type { PageFeed } from "./links.ts";
import { certificateNote, differenceText, freshnessNote, shortRef } from "./node-status.tsx";
import { Since } from "./timestamp.tsx";

/** Returns the known facts of a node, each with its term. */
export function factsOf(
  feed: PageFeed,
  node: Node,
  status: ComponentChildren,
): (readonly [string, ComponentChildren])[] {
  const { code, since, http_status, revision, branch, maintenance, tls_expires_at } = node;
  const { content_at, difference, refs_unread, last_reachable } = node;
  const facts: (readonly [string, ComponentChildren])[] = [
    ["Status", [status, code !== undefined && since !== undefined && [" ", <Since at={since} />]]],
  ];
  if (code !== undefined) facts.push(["Reason", [sentenceOf(code, node), " ", <code>{code}</code>]]);
  if (http_status !== undefined) facts.push(["HTTP status", http_status]);
  if (maintenance !== undefined) facts.push(["Maintenance", <b class="notice">{maintenance}</b>]);
  if (revision !== undefined || content_at !== undefined || node.target.reference !== undefined) {
    facts.push(["Freshness", freshnessNote(feed.words, node) ?? freshnessTexts[node.freshness]]);
  }
  if (difference !== undefined && node.freshness !== "differs")
    facts.push(["Refs", differenceText(feed.words, difference)]);
  if (refs_unread !== undefined) facts.push(["Other refs", refsUnreadTexts[refs_unread]]);
  if (last_reachable !== undefined) facts.push(["Kept online", lastReachableText]);
  if (content_at !== undefined) facts.push(["Content", contentTime(feed, node, content_at)]);
  if (revision !== undefined) facts.push(["Revision", <code>{revision}</code>]);
  if (branch !== undefined) facts.push(["Branch", <code>{shortRef(branch)}</code>]);
  if (tls_expires_at !== undefined) {
    facts.push([
      "Certificate",
      certificateNote(feed, node) ?? `valid until ${feed.format.timestamp(tls_expires_at)}`,
    ]);
  }
  return facts;
}

const freshnessTexts: Readonly<Record<Node["freshness"], string>> = {
  in_sync: "in sync with the reference",
  behind: "behind the reference",
  differs: "differs from the reference",
  unknown: "unknown",
};

const refsUnreadTexts: Readonly<Record<NonNullable<Node["refs_unread"]>, string>> = {
  too_many: "too many to compare",
  unread: "could not be read",
};

const lastReachableText = "as the last reachable mirror of this target";

function contentTime({ format }: PageFeed, { lag_seconds }: Node, content_at: string): string {
  const lag =
    lag_seconds === undefined ? "" : `, ${formatDuration(lag_seconds * 1000)} older than the reference`;
  return `of ${format.timestamp(content_at)}${lag}`;
}
