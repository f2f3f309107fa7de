import type { ComponentChildren } from "preact";
import { formatCount, percent } from "../../core/base/text/count.ts";
import { formatDuration } from "../../core/base/text/duration.ts";
import { familyNames } from "../../core/base/http/address.ts";
import { maxSections } from "../../core/feed/page-paths.ts";
import type { Target } from "../../core/feed/feed.ts";
import type { Days } from "../../core/feed/uptime.ts";
import { dayLink, latencyChart, ratioText, uptimeWindows } from "./day-bars.tsx";
import { gitRemedies } from "../explain/explain.ts";
import { operatorNotices } from "../incidents/current-notices.tsx";
import { incidentLinks } from "../incidents/incident-list.tsx";
import { pageDocument } from "../layout/layout.tsx";
import {
  certificateNote,
  differenceText,
  disagreementText,
  keptText,
  lastSeenText,
  notice,
  olderText,
  sentenceIn,
  shortRef,
  stateSince,
  statusOf,
} from "../layout/node-status.tsx";
import { link, type PageFeed } from "../layout/page-feed.ts";
import {
  breakable,
  copyLines,
  type Fact,
  factRows,
  reportAttributes,
  TableHead,
  time,
} from "../layout/parts.tsx";
import { breadcrumbs, runDetails, stateHeading } from "../layout/sections.tsx";
import { afterColon } from "../layout/state-summary.ts";
import { nowSection } from "./now.tsx";
import type { FeedNode } from "../../core/feed/feed-node.ts";

export function nodePage(feed: PageFeed, target: Target, node: FeedNode): string {
  const { system, project } = target;
  const { shape, word } = statusOf(feed, node);
  const sentence = `${node.name}: ${afterColon(word)}`;
  return pageDocument({
    feed,
    title: `${node.name} · ${target.target} · ${system} / ${project}`,
    description: sentence,
    state: { shape, text: word },
    children: (
      <>
        {breadcrumbs(feed, node.name)}
        {operatorNotices(feed, [node])}
        {stateHeading(
          shape,
          <span>{breakable(sentence)}</span>,
          node.primary ? ["The other mirrors of its target copy this one."] : [],
          runDetails(feed),
        )}
        <section class="best" aria-label="Its URL">
          {copyLines(feed, [["URL", node.url]], true)}
          <p>
            <a href={node.url} rel="noreferrer">
              Open this mirror
            </a>
          </p>
        </section>
        {nowSection(feed, [], [node])}
        <section
          class="evidence"
          aria-label="What is known"
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
  const report = link(feed, `/v1/report/${node.target.place}/`);
  const hasOwnPage = node.target.size > maxSections;
  return (
    <>
      <div>
        <dl>{factRows(factsOf(feed, node))}</dl>
        {uptimeWindows(node)}
        {vantageTable(feed, node)}
        {incidentLinks(feed, node)}
      </div>
      <div>
        {hasOwnPage && dayLink(node, report, days)}
        {latencyChart(days)}
        <div class="day-table" id={`day-table-${node.id}`} />
        {days && hasOwnPage && (
          <p class="history">
            <a href={report}>All days as JSON</a>
          </p>
        )}
        {changeTable(feed, node)}
      </div>
    </>
  );
}

function vantageTable({ vantages: { length } }: PageFeed, node: FeedNode) {
  const vantages = length < 2 ? [] : node.vantages();
  if (vantages.length < 2) return null;
  return (
    <table class="vantages">
      <TableHead
        titles={["Location", `Uptime, ${formatCount(node.days_known, "day")}`, "Observed", "Latency, 7 days"]}
      />
      <tbody>
        {vantages.map((one) => (
          <tr>
            <th scope="row">{one.vantage}</th>
            <td>{ratioText(one.uptime.ratio)}</td>
            <td>{percent(one.uptime.coverage, 0)}</td>
            <td>{one.mean_latency_ms === undefined ? "–" : `${one.mean_latency_ms} ms`}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function changeTable(feed: PageFeed, { id, transitions }: FeedNode) {
  if (transitions.length === 0) return null;
  return (
    <details id={`changes-${id}`}>
      <summary>Changes</summary>
      <table>
        <TableHead titles={["Time", "Status", "Reason", "After"]} />
        <tbody>
          {transitions.map(({ at, status, code, after_seconds }) => {
            const verdict = status === 1 ? "online" : "offline";
            return (
              <tr>
                <td>{time(feed, at)}</td>
                <td>
                  <b class={verdict}>{verdict}</b>
                </td>
                <td>{sentenceIn(feed, code)}</td>
                <td>{after_seconds === undefined ? "–" : formatDuration(after_seconds * 1000)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </details>
  );
}

const refsUnread = { too_many: "too many to compare", unread: "could not be read" };

const keptOnlineReasons = {
  last_reachable: "because no mirror of this target would be online otherwise",
  primary_alone: "because no other mirror has copied the primary’s content",
};

/** Leaves out what the page already says about the reference. */
function factsOf(feed: PageFeed, node: FeedNode): Fact[] {
  const { code, content_code, http_status, revision, branch, maintenance, tls_expires_at } = node;
  const { content_at, difference, refs_unread, kept_online, families, unreachable_family: family } = node;
  const { shape, word } = statusOf(feed, node);
  const facts: Fact[] = [];
  const add = (term: string, fact: ComponentChildren): unknown => facts.push([term, fact]);
  const since = stateSince(node);
  const isInSync = node.state === "online" && node.freshness === "in_sync";
  add("Status", [
    <b class={shape}>{word}</b>,
    since && [" ", time(feed, since, "since")],
    isInSync && ", in sync",
  ]);
  if (maintenance !== undefined) add("Maintenance", [notice(maintenance), `, ${keptText(node)}`]);
  for (const reason of new Set([code, content_code]))
    if (reason !== undefined && reason !== "ok")
      add("Reason", [sentenceIn(feed, reason, node), " ", <code>{reason}</code>]);
  if (http_status !== undefined) add("HTTP status", http_status);
  const disagreement = disagreementText(node);
  if (disagreement !== undefined) add("Locations", disagreement);
  const familyCode = family && families?.[family];
  if (family !== undefined && familyCode !== undefined)
    add(familyNames[family], [sentenceIn(feed, familyCode), " ", <code>{familyCode}</code>]);
  const freshness = isInSync ? undefined : freshnessFact(feed, node);
  if (freshness !== undefined) add("Freshness", freshness);
  if (difference !== undefined) add("Refs", differenceText(difference));
  if (refs_unread !== undefined) add("Other refs", refsUnread[refs_unread]);
  if (kept_online !== undefined) add("Kept online", keptOnlineReasons[kept_online]);
  if (content_at !== undefined) add("Content", contentTime(feed, node, content_at));
  if (revision !== undefined && !isOfReference(node)) add("Revision", <code>{revision}</code>);
  if (branch !== undefined) add("Branch", <code>{shortRef(branch)}</code>);
  for (const remedy of gitRemedies(node)) add("Remedy", notice(breakable(remedy)));
  if (tls_expires_at !== undefined) {
    const valid = `valid until ${feed.format.date(tls_expires_at)}`;
    add("Certificate", certificateNote(feed, node) ?? valid);
  }
  return facts;
}

/** Leaves out what the mirror's state already says. */
function freshnessFact(feed: PageFeed, node: FeedNode): ComponentChildren {
  const { state, freshness, behind_since, target, revision } = node;
  if (state === "offline" && behind_since === undefined) return lastSeenText(node);
  if (state === "behind" || state === "differs" || state === "wrong") return undefined;
  if (behind_since !== undefined) return notice(["behind ", time(feed, behind_since, "since")]);
  if (freshness === "in_sync") return "in sync";
  return (revision ?? target.reference) && "freshness unknown";
}

/** Whether the target's page already shows the mirror's revision, because the reference has the same one. */
function isOfReference({ revision, target: { reference, size } }: FeedNode): boolean {
  return size <= maxSections && reference !== undefined && revision?.startsWith(reference.revision) === true;
}

function contentTime(feed: PageFeed, { lag_seconds }: FeedNode, content_at: string): string {
  const lag = lag_seconds === undefined ? "" : `, ${olderText(lag_seconds)}`;
  return `from ${feed.format.timestamp(content_at)}${lag}`;
}
