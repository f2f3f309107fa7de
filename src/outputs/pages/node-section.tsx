import type { FeedNode } from "../../feed/feed.ts";
import type { Days } from "../../feed/uptime.ts";
import type { ComponentChildren } from "preact";
import { dayBars } from "./days.tsx";
import { incidentLinks } from "./incident-list.tsx";
import { latencyChart } from "./latency.tsx";
import { link, maxSections, type PageFeed } from "./links.ts";
import { certificateNote, differenceText, freshnessNote, shortRef, statusOf } from "./node-status.tsx";
import { sentenceIn } from "./sentence.ts";
import { TableHead } from "./parts.tsx";
import { sinceTime, timestamp } from "./timestamp.tsx";
import { ratioText, uptimeWindows } from "./uptime-windows.tsx";

/**
 * Renders everything about one mirror below its name: facts, uptime, days, latency and changes. On the page of its target the
 * table has its days already, and the page its report. The script adds the table of its days.
 */
export function nodeDetails(feed: PageFeed, node: FeedNode, days: Days | undefined): preact.JSX.Element {
  const { words } = feed;
  const { shape, word } = statusOf(feed, node);
  const report = link(feed, `/v1/report/${node.target.place}/`);
  const hasOwnPage = node.target.size > maxSections;
  return (
    <>
      <dl>{factRows(factsOf(feed, node, <b class={shape}>{word}</b>))}</dl>
      <div>
        {uptimeWindows(words, node, days)}
        {hasOwnPage && (
          <a class="days" href={report} aria-label={words.mirrors.nodeSection.everyDay}>
            {dayBars(days)}
          </a>
        )}
        {hasLatency(days) && latencyChart(feed, days)}
        {hasOwnPage && days !== undefined && (
          <p class="history">
            <a href={report}>{words.mirrors.nodeSection.everyDay}</a>
          </p>
        )}
        {vantagesOf(feed, node)}
        {incidentLinks(feed, node)}
        {changesOf(feed, node)}
      </div>
    </>
  );
}

function hasLatency(days: Days | undefined): days is Days {
  return days?.latency_ms.mean.some((mean) => mean !== null) ?? false;
}

/** Renders the uptime by vantage, if there are several. The script adds what each observed in the last run. */
function vantagesOf(feed: PageFeed, node: FeedNode): preact.JSX.Element | null {
  const { words } = feed;
  const vantages = feed.vantages.length < 2 ? [] : node.vantages();
  if (vantages.length < 2) return null;
  const { vantage, midnight, observed } = words.mirrors.nodeSection;
  return (
    <table class="vantages">
      <TableHead titles={[vantage, midnight, observed]} />
      <tbody>
        {vantages.map((one) => (
          <tr data-vantage={one.vantage}>
            <th scope="row">{one.vantage}</th>
            <td>{ratioText(words, one.uptime.ratio)}</td>
            <td>{words.number.percent(one.uptime.coverage, 0)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function changesOf(feed: PageFeed, { id, transitions }: FeedNode): preact.JSX.Element | null {
  const { words } = feed;
  const own = words.mirrors.nodeSection;
  if (transitions.length === 0) return null;
  return (
    <details id={`changes-${id}`}>
      <summary>{own.changes}</summary>
      <table>
        <TableHead titles={[own.time, own.status, own.reason, own.after]} />
        <tbody>
          {transitions.map(({ at, status, code, after_seconds }) => (
            <tr>
              <td>{timestamp(feed, at)}</td>
              <td>
                <b class={status === 1 ? "online" : "offline"}>{status === 1 ? own.online : own.offline}</b>
              </td>
              <td>{sentenceIn(words, code)}</td>
              <td>{after_seconds === undefined ? "–" : words.number.duration(after_seconds * 1000)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

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
export function factsOf(feed: PageFeed, node: FeedNode, status: ComponentChildren): Fact[] {
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
function isOfReference({ revision, target: { reference, size } }: FeedNode): boolean {
  return size <= maxSections && reference !== undefined && revision?.startsWith(reference.revision) === true;
}

function contentTime({ words, format }: PageFeed, { lag_seconds }: FeedNode, content_at: string): string {
  const { contentOf, older } = words.mirrors.nodeFacts;
  const lag = lag_seconds === undefined ? "" : `, ${older(words.number.duration(lag_seconds * 1000))}`;
  return `${contentOf(format.timestamp(content_at))}${lag}`;
}
