import { formatInteger } from "../../core/base/text/count.ts";
import { currentNotices, type Notice } from "../../core/feed/incidents.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import { incidentPath } from "../../core/feed/page-paths.ts";
import { stateTitle } from "./incident-list.tsx";
import type { PageFeed } from "../layout/page-feed.ts";
import { joined, pageLink, time, titleLink } from "../layout/parts.tsx";

const maxShown = 3;

/** Shows the operator's current notices, or only those that name one of the mirrors, each with its newest text. */
export function operatorNotices(feed: PageFeed, mirrors?: readonly FeedNode[]) {
  const current = currentNotices(feed).filter(
    ({ nodes }) => mirrors === undefined || mirrors.some((node) => nodes?.includes(node)),
  );
  if (current.length === 0) return null;
  const more = current.length - maxShown;
  return (
    <aside class="notices" aria-label="From the operator">
      {current.slice(0, maxShown).map((notice) => operatorNotice(feed, notice))}
      {more > 0 && <p>{pageLink(feed, incidentPath(), `and ${formatInteger(more)} more`)}</p>}
    </aside>
  );
}

function operatorNotice(feed: PageFeed, notice: Notice) {
  const { name, title, state, html, to, next, updates } = notice;
  const [latest] = updates;
  const times = [
    latest && ["updated ", time(feed, latest.at)],
    next && ["next update ", time(feed, next)],
    to && time(feed, to, "until"),
  ].filter(Boolean);
  return (
    <article>
      <p>
        <b>{titleLink(feed, incidentPath(name), title)}</b>
        {state && ` · ${stateTitle(state)}`}
      </p>
      <div class="latest" dangerouslySetInnerHTML={{ __html: firstParagraph(latest?.html ?? html) }} />
      {times.length > 0 && <p class="quiet">{joined(times)}</p>}
    </article>
  );
}

/** Leaves out links, since relative ones would lead elsewhere on this page. */
function firstParagraph(html: string): string {
  const [paragraph = ""] = /<p>[^]*?<\/p>/.exec(html) ?? [];
  return paragraph.replace(/<\/?a\b[^>]*>/g, "");
}
