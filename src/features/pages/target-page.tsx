import { formatCount } from "../../core/base/text/count.ts";
import { maxSections, nodePath } from "../../core/feed/page-paths.ts";
import type { Target } from "../../core/feed/feed.ts";
import { listOrder } from "../lists/lists.ts";
import { dayLink, ratioText } from "./day-bars.tsx";
import { operatorNotices } from "../incidents/current-notices.tsx";
import { countryName } from "../layout/country-name.ts";
import { pageDocument } from "../layout/layout.tsx";
import { isSearched, searchSlot } from "./mirror-list.tsx";
import { nodeDetails } from "./mirror-page.tsx";
import {
  evidenceNotes,
  notice,
  rowAttributes,
  shortRef,
  sinceNote,
  stateText,
  statusOf,
} from "../layout/node-status.tsx";
import { isOverview, link, type PageFeed } from "../layout/page-feed.ts";
import {
  breakable,
  joined,
  mirrorLinks,
  reportAttributes,
  Shape,
  TableHead,
  time,
} from "../layout/parts.tsx";
import { nowSection } from "./now.tsx";
import { breadcrumbs, feedLinks, runDetails, stateHeading } from "../layout/sections.tsx";
import { afterColon, pageState, summarize } from "../layout/state-summary.ts";
import { bestMirror } from "./use.tsx";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import type { RewrittenTag } from "../../core/feed/target-reference.ts";
import { isContentCode } from "../../core/kinds/kinds.ts";
import { targetWarnings } from "../../core/kinds/mirror-content.ts";
import { verdictOf } from "../../core/feed/verdict.ts";

/**
 * In larger tables, healthy mirrors have no mark next to their state, and only the pages of mirrors link to them, so that
 * the page has no more elements than a phone can handle.
 */
const maxDetailed = 400;

/** Larger tables are split into groups of this many rows, which are laid out only when they come into view. */
const maxRowsAtOnce = 50;

export function targetPage(feed: PageFeed, target: Target): string {
  const { system, project, reference, warnings } = target;
  const isHome = isOverview(feed);
  const summary = summarize(feed, [target]);
  const sentence = `${target.target}: ${afterColon(summary.sentence)}`;
  const nodes = listOrder(feed, target.nodes);
  return pageDocument({
    feed,
    ...(!isHome && { title: `${target.target} · ${system} / ${project}` }),
    description: sentence,
    state: pageState(verdictOf([target])),
    head: feedLinks(feed, target),
    children: (
      <>
        {!isHome && breadcrumbs(feed, target.target)}
        {operatorNotices(feed, isHome ? undefined : nodes)}
        {stateHeading(summary.shape, sentence, summary.details, [
          ...warnings.map((code) => <p>{notice(targetWarnings[code])}</p>),
          isHome && runDetails(feed),
        ])}
        {searchSlot(feed, nodes)}
        {bestMirror(feed, target, nodes)}
        {nowSection(feed, isHome || isSearched(nodes) ? [target] : [], nodes)}
        <div {...reportAttributes(feed, target)}>
          <div id="mirrors" class="projects">
            {mirrorTable(feed, nodes)}
          </div>
          <div class="state more">
            {reference !== undefined && referenceLine(feed, reference)}
            {reference?.rewritten.map((tag) => rewrittenLine(feed, tag))}
            {!isHome && runDetails(feed)}
          </div>
          {target.size <= maxSections && target.nodes.map((node) => foldedEvidence(feed, node))}
        </div>
      </>
    ),
  });
}

/** Opens for mirrors that need attention. In configuration order, so that no section moves when the ranking changes. */
function foldedEvidence(feed: PageFeed, node: FeedNode) {
  const isOpen = node.state !== "online" || node.target.size === 1;
  return (
    <details class="mirror" id={`mirror-${node.id}`} data-node={node.id} open={isOpen}>
      <summary>
        <h2>{breakable(node.name)}</h2>
      </summary>
      <div class="evidence" id={`node-${node.id}`}>
        {nodeDetails(feed, node)}
      </div>
    </details>
  );
}

function referenceLine(feed: PageFeed, { revision, branch, since }: NonNullable<Target["reference"]>) {
  return (
    <p class="reference">
      The reference is at <code>{revision}</code>
      {branch !== undefined && [" on ", <code>{shortRef(branch)}</code>]}, {time(feed, since, "since")}.
    </p>
  );
}

/** Shown as a notice, since tags should never move. */
function rewrittenLine(feed: PageFeed, { at, tag, from, to }: RewrittenTag) {
  const change = to === undefined ? "vanished from" : "was rewritten in";
  return (
    <p class="reference">
      {notice(`The tag ${shortRef(tag)} ${change} the reference`)} (<code>{from}</code>
      {to !== undefined && [" to ", <code>{to}</code>]}), {time(feed, at)}.
    </p>
  );
}

function mirrorTable(feed: PageFeed, nodes: readonly FeedNode[]) {
  const hasCountries = nodes.some(({ country }) => country !== undefined);
  return (
    <table class={nodes.length > maxRowsAtOnce ? "mirrors long" : "mirrors"}>
      <caption>Best first, as in the mirror list.</caption>
      <TableHead
        titles={[
          "Status",
          "Mirror",
          formatCount(Math.max(1, feed.daysKnown), "day"),
          "Uptime",
          "Latency, 7 days",
          ...(hasCountries ? ["Country"] : []),
          "Reason",
        ]}
      />
      {Array.from({ length: Math.ceil(nodes.length / maxRowsAtOnce) }, (_, group) => (
        <tbody data-group="">
          {nodes
            .slice(group * maxRowsAtOnce, (group + 1) * maxRowsAtOnce)
            .map((node) => mirrorRow(feed, node, hasCountries))}
        </tbody>
      ))}
    </table>
  );
}

function mirrorRow(feed: PageFeed, node: FeedNode, hasCountries: boolean) {
  const today = isOverview(feed) && feed.everReached ? node.today : undefined;
  const { country = "" } = node;
  const { shape } = statusOf(feed, node);
  const isLarge = node.target.size > maxSections;
  const isDetailed = node.target.size <= maxDetailed;
  const href = isLarge ? link(feed, nodePath(node)) : `#node-${node.id}`;
  const notes = [
    sinceNote(feed, node),
    ...evidenceNotes(feed, node),
    // Explains why a mirror that is offline because of its content can have good days and a good uptime.
    node.status === 0 &&
      isContentCode(node.code) &&
      "it answers, but counts as offline because of its content; days and uptime show only whether it answers",
  ].filter(Boolean);
  return (
    // Small tables have no search, so their rows don't need the attributes that it reads.
    <tr {...(isLarge ? rowAttributes(feed, node) : { "data-item": "", "data-node": node.id })}>
      <td class={shape}>
        {(isDetailed || shape !== "online") && <Shape name={shape} />}
        {stateText(feed, node)}
      </td>
      <th scope="row">{mirrorLinks(node, href, undefined, isDetailed)}</th>
      <td>{dayLink(node, href, today)}</td>
      <td class="ratio">{ratioText(node.uptime["90d"].ratio)}</td>
      <td>{node.mean_latency_ms !== undefined && `${node.mean_latency_ms} ms`}</td>
      {hasCountries && (
        <td class="country" title={country && countryName(country)}>
          {country}
        </td>
      )}
      {notes.length > 0 && <td class="reason">{joined(notes)}</td>}
    </tr>
  );
}
