import type { ComponentChildren } from "preact";
import type { Node } from "../model/feed.ts";
import { sentenceIn } from "./sentence.ts";
import { maxSections, type PageFeed } from "./links.ts";
import { certificateNote, differenceText, freshnessNote, shortRef } from "./node-status.tsx";
import { sinceTime } from "./timestamp.tsx";

/** What is known of something, with its term. */
export type Fact = readonly [term: string, fact: ComponentChildren];

/** Renders facts as rows of a list of descriptions. */
export function factRows(facts: readonly Fact[]): preact.JSX.Element[] {
  return facts.map(([term, fact]) => (
    <div>
      <dt>{term}</dt>
      <dd>{fact}</dd>
    </div>
  ));
}

/** Returns the known facts of a node, each with its term. What its target's reference says of all is not repeated. */
export function factsOf(feed: PageFeed, node: Node, status: ComponentChildren): Fact[] {
  const { code, since, http_status, revision, branch, maintenance, tls_expires_at } = node;
  const { content_at, difference, refs_unread, last_reachable } = node;
  const { nodeFacts: words } = feed.words.mirrors;
  const isInSync = node.freshness === "in_sync" && freshnessNote(feed, node) === undefined;
  const facts: Fact[] = [
    [
      words.status,
      [
        status,
        code !== undefined && since !== undefined && [" ", sinceTime(feed, since)],
        isInSync && node.status === 1 && `, ${feed.words.nodeStatus.inSync}`,
      ],
    ],
  ];
  if (code !== undefined && code !== "ok")
    facts.push([words.reason, [sentenceIn(feed.words, code, node), " ", <code>{code}</code>]]);
  if (http_status !== undefined) facts.push([words.httpStatus, http_status]);
  if (maintenance !== undefined) facts.push([words.maintenance, <b class="notice">{maintenance}</b>]);
  if (!isInSync && (revision ?? content_at ?? node.target.reference) !== undefined) {
    facts.push([words.freshness, freshnessNote(feed, node) ?? words.freshnesses[node.freshness]]);
  }
  if (difference !== undefined && node.freshness !== "differs")
    facts.push([words.refs, differenceText(feed.words, difference)]);
  if (refs_unread !== undefined) facts.push([words.otherRefs, words.refsUnread[refs_unread]]);
  if (last_reachable !== undefined) facts.push([words.keptOnline, words.lastReachable]);
  if (content_at !== undefined) facts.push([words.content, contentTime(feed, node, content_at)]);
  if (revision !== undefined && !isOfReference(node)) facts.push([words.revision, <code>{revision}</code>]);
  if (branch !== undefined) facts.push([words.branch, <code>{shortRef(branch)}</code>]);
  if (tls_expires_at !== undefined) {
    facts.push([
      words.certificate,
      certificateNote(feed, node) ?? words.validUntil(feed.format.timestamp(tls_expires_at)),
    ]);
  }
  return facts;
}

/** Returns whether the page of a node's target, which the node is on, has its revision as that of the reference. */
function isOfReference({ revision, target: { reference, size } }: Node): boolean {
  return size <= maxSections && reference !== undefined && revision?.startsWith(reference.revision) === true;
}

function contentTime({ words, format }: PageFeed, { lag_seconds }: Node, content_at: string): string {
  const { contentOf, older } = words.mirrors.nodeFacts;
  const lag = lag_seconds === undefined ? "" : `, ${older(words.number.duration(lag_seconds * 1000))}`;
  return `${contentOf(format.timestamp(content_at))}${lag}`;
}
