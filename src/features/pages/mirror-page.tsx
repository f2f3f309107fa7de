import type { ComponentChildren } from "preact";
import { formatCount, percent } from "../../core/base/text/count.ts";
import { formatDuration } from "../../core/base/text/time.ts";
import { familyNames } from "../../core/base/http/address.ts";
import { maxSections } from "../../core/feed/page-paths.ts";
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

export function nodePage(feed: PageFeed, node: FeedNode): string {
  const { system, project, target } = node.target;
  const { shape, word } = statusOf(feed, node);
  const sentence = `${node.name}: ${afterColon(word)}`;
  return pageDocument({
    feed,
    title: `${node.name} · ${target} · ${system} / ${project}`,
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
          {...reportAttributes(feed, node.target)}
        >
          {nodeDetails(feed, node)}
        </section>
      </>
    ),
  });
}

/**
 * Shows the days only on a mirror's own page, because the target's page has them in its list of mirrors. On both pages,
 * the script adds a table of days.
 */
export function nodeDetails(feed: PageFeed, node: FeedNode) {
  const days = node.days();
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
        {hasOwnPage && dayLink(node, report, undefined, days)}
        {latencyChart(days)}
        <div class="day-table" id={`day-table-${node.id}`} />
        {days.length > 0 && hasOwnPage && (
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
                <td>{sentenceIn(feed.format, code)}</td>
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
  const since = stateSince(node);
  const began = since && [" ", time(feed, since, "since")];
  const isInSync = node.state === "online" && node.freshness === "in_sync";
  const reasons = new Set([code, content_code].filter((reason) => reason !== "ok"));
  const familyCode = family && families?.[family];
  const { reference, size } = node.target;
  // The target's page already shows the revision if the reference has the same one.
  const isRepeated = size <= maxSections && reference && revision?.startsWith(reference.revision);
  const lag = node.lag_seconds === undefined ? "" : `, ${olderText(node.lag_seconds)}`;
  const valid = tls_expires_at && `valid until ${feed.format.date(tls_expires_at)}`;
  const facts: Fact[] = [
    ["Status", [<b class={shape}>{word}</b>, began, isInSync && ", in sync"]],
    ["Maintenance", maintenance && [notice(maintenance), `, ${keptText(node)}`]],
    ...[...reasons].map((reason): Fact => ["Reason", reason && codeText(feed, reason, node)]),
    ["HTTP status", http_status],
    ["Locations", disagreementText(node)],
    [family && familyNames[family], familyCode && codeText(feed, familyCode)],
    ["Freshness", isInSync ? undefined : freshnessFact(feed, node)],
    ["Refs", difference && differenceText(difference)],
    ["Other refs", refs_unread && refsUnread[refs_unread]],
    ["Kept online", kept_online && keptOnlineReasons[kept_online]],
    ["Content", content_at && `from ${feed.format.timestamp(content_at)}${lag}`],
    ["Revision", !isRepeated && revision && <code>{revision}</code>],
    ["Branch", branch && <code>{shortRef(branch)}</code>],
    ...gitRemedies(node).map((remedy): Fact => ["Remedy", notice(breakable(remedy))]),
    ["Certificate", certificateNote(feed, node) ?? valid],
  ];
  return facts.filter(([, fact]) => fact);
}

function codeText(feed: PageFeed, code: string, node?: FeedNode) {
  return [sentenceIn(feed.format, code, node), " ", <code>{code}</code>];
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
