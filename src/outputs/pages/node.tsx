import type { ComponentChildren } from "preact";
import { familyNames } from "../../base/http/address.ts";
import { maxSections } from "../../contract/page-paths.ts";
import type { FeedNode, Target } from "../../feed/feed.ts";
import type { Days } from "../../feed/uptime.ts";
import { dayLink, latencyChart, ratioText, uptimeWindows } from "./days.tsx";
import { incidentLinks } from "./incident-list.tsx";
import { pageDocument } from "./layout.tsx";
import {
  certificateNote,
  differenceText,
  disagreementText,
  lastSeenText,
  notice,
  olderText,
  sentenceIn,
  shortRef,
  stateSince,
  statusOf,
} from "./node-status.tsx";
import { link, type PageFeed } from "./page-feed.ts";
import {
  breakable,
  copyLines,
  type Fact,
  factRows,
  reportAttributes,
  Shape,
  TableHead,
  time,
} from "./parts.tsx";
import { breadcrumbs, maintenanceSection, runHint } from "./sections.tsx";

export function nodePage(feed: PageFeed, target: Target, node: FeedNode): string {
  const { system, project } = target;
  const { node: words } = feed.words;
  const { shape, word } = statusOf(feed, node);
  const sentence = words.heading(node.name, word);
  return pageDocument({
    feed,
    title: `${node.name} · ${target.target} · ${system} / ${project}`,
    description: sentence,
    state: { shape, text: word },
    children: (
      <>
        {breadcrumbs(feed, node.name)}
        <div class="state">
          <h1>
            <Shape name={shape} />
            <span>{breakable(sentence)}</span>
          </h1>
          {node.primary && <p>{words.primary}</p>}
          {runHint(feed)}
        </div>
        <section class="best" aria-label={words.use}>
          {copyLines(feed, [[words.url, node.url]], true)}
          <p>
            <a href={node.url} rel="noreferrer">
              {words.open}
            </a>
          </p>
        </section>
        {maintenanceSection(feed, [node])}
        <section
          class="evidence"
          aria-label={words.evidence}
          data-node={node.id}
          {...reportAttributes(feed, target)}
        >
          {nodeDetails(feed, node, node.days())}
        </section>
      </>
    ),
  });
}

/**
 * Shows the days only on a mirror's own page, because the target's page has them in its list of mirrors. On both pages,
 * the script adds a table of days.
 */
export function nodeDetails(feed: PageFeed, node: FeedNode, days: Days | undefined) {
  const { words } = feed;
  const { everyDay } = words.node;
  const report = link(feed, `/v1/report/${node.target.place}/`);
  const hasOwnPage = node.target.size > maxSections;
  return (
    <>
      <div>
        <dl>{factRows(factsOf(feed, node))}</dl>
        {uptimeWindows(feed, node)}
        {vantageTable(feed, node)}
        {incidentLinks(feed, node)}
      </div>
      <div>
        {hasOwnPage && dayLink(feed, node, report, days)}
        {latencyChart(feed, days)}
        {days && hasOwnPage && (
          <p class="history">
            <a href={report}>{everyDay}</a>
          </p>
        )}
        {changeTable(feed, node)}
      </div>
    </>
  );
}

function vantageTable({ words, vantages: { length } }: PageFeed, node: FeedNode) {
  const vantages = length < 2 ? [] : node.vantages();
  if (vantages.length < 2) return null;
  const { vantage, uptime, observed } = words.node;
  return (
    <table class="vantages">
      <TableHead titles={[vantage, uptime(node.days_known), observed, words.terms.latency]} />
      <tbody>
        {vantages.map((one) => (
          <tr>
            <th scope="row">{one.vantage}</th>
            <td>{ratioText(words, one.uptime.ratio)}</td>
            <td>{words.number.percent(one.uptime.coverage, 0)}</td>
            <td>{one.mean_latency_ms === undefined ? "–" : `${one.mean_latency_ms} ms`}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function changeTable(feed: PageFeed, { id, transitions }: FeedNode) {
  const { number, terms, node: words } = feed.words;
  if (transitions.length === 0) return null;
  return (
    <details id={`changes-${id}`}>
      <summary>{terms.changes}</summary>
      <table>
        <TableHead titles={[words.time, terms.status, terms.reason, words.after]} />
        <tbody>
          {transitions.map(({ at, status, code, after_seconds }) => {
            const verdict = status === 1 ? "online" : "offline";
            return (
              <tr>
                <td>{time(feed, at)}</td>
                <td>
                  <b class={verdict}>{words[verdict]}</b>
                </td>
                <td>{sentenceIn(feed, code)}</td>
                <td>{after_seconds === undefined ? "–" : number.duration(after_seconds * 1000)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </details>
  );
}

/** Leaves out what the page already says about the reference. */
function factsOf(feed: PageFeed, node: FeedNode): Fact[] {
  const { code, content_code, http_status, revision, branch, maintenance, tls_expires_at } = node;
  const { content_at, difference, refs_unread, kept_online, families, unreachable_family: family } = node;
  const { nodeFacts: words, terms } = feed.words;
  const { shape, word } = statusOf(feed, node);
  const facts: Fact[] = [];
  const add = (term: string, fact: ComponentChildren): unknown => facts.push([term, fact]);
  const since = stateSince(node);
  const isInSync = node.state === "online" && node.freshness === "in_sync";
  add(terms.status, [
    <b class={shape}>{word}</b>,
    since && [" ", time(feed, since, "since")],
    isInSync && `, ${feed.words.nodeStatus.inSync}`,
  ]);
  if (maintenance !== undefined)
    add(terms.maintenance, [notice(maintenance), `, ${feed.words.nodeStatus.kept[node.status]}`]);
  for (const reason of new Set([code, content_code]))
    if (reason !== undefined && reason !== "ok")
      add(terms.reason, [sentenceIn(feed, reason, node), " ", <code>{reason}</code>]);
  if (http_status !== undefined) add(words.httpStatus, http_status);
  const disagreement = disagreementText(feed.words, node);
  if (disagreement !== undefined) add(words.locations, disagreement);
  const familyCode = family && families?.[family];
  if (family !== undefined && familyCode !== undefined)
    add(familyNames[family], [sentenceIn(feed, familyCode), " ", <code>{familyCode}</code>]);
  const freshness = isInSync ? undefined : freshnessFact(feed, node);
  if (freshness !== undefined) add(terms.freshness, freshness);
  if (difference !== undefined) add(words.refs, differenceText(feed.words, difference));
  if (refs_unread !== undefined) add(words.otherRefs, words.refsUnread[refs_unread]);
  if (kept_online !== undefined) add(words.keptOnline, words.keptOnlineReasons[kept_online]);
  if (content_at !== undefined) add(words.content, contentTime(feed, node, content_at));
  if (revision !== undefined && !isOfReference(node)) add(words.revision, <code>{revision}</code>);
  if (branch !== undefined) add(words.branch, <code>{shortRef(branch)}</code>);
  if (tls_expires_at !== undefined) {
    const valid = words.validUntil(feed.format.date(tls_expires_at));
    add(words.certificate, certificateNote(feed, node) ?? valid);
  }
  return facts;
}

/** Leaves out what the mirror's state already says. */
function freshnessFact(feed: PageFeed, node: FeedNode): ComponentChildren {
  const { nodeStatus, terms } = feed.words;
  const { state, freshness, behind_since, target, revision } = node;
  if (state === "offline" && behind_since === undefined) return lastSeenText(feed.words, node);
  if (state === "behind" || state === "differs" || state === "wrong") return undefined;
  if (behind_since !== undefined) return notice([terms.behind, " ", time(feed, behind_since, "since")]);
  if (freshness === "in_sync") return nodeStatus.inSync;
  return (revision ?? target.reference) && nodeStatus.freshnessUnknown;
}

/** Whether the target's page already shows the mirror's revision, because the reference has the same one. */
function isOfReference({ revision, target: { reference, size } }: FeedNode): boolean {
  return size <= maxSections && reference !== undefined && revision?.startsWith(reference.revision) === true;
}

function contentTime(feed: PageFeed, { lag_seconds }: FeedNode, content_at: string): string {
  const lag = lag_seconds === undefined ? "" : `, ${olderText(feed, lag_seconds)}`;
  return `${feed.words.nodeFacts.contentOf(feed.format.timestamp(content_at))}${lag}`;
}
