import type { Format } from "../../core/base/text/time.ts";
import { bareUrl } from "../../core/base/text/url.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import { type Feed, targetsOf } from "../../core/feed/feed.ts";
import { currentNotices } from "../../core/feed/incidents.ts";
import { incidentPath, maxSections } from "../../core/feed/page-paths.ts";
import { disagreementText, reasonText, stateSince, statesOf } from "../layout/node-status.tsx";
import { listOrder } from "../lists/lists.ts";
import type { IndexedNotice, MirrorDetails } from "./mirror-answer.ts";

export const searchIndexPath = "/search.json";

/**
 * Returns the mirrors of each target, best first, for the search and its answers. A mirror's name is empty if it is just
 * the URL without the scheme. If a target has more than `sections` mirrors, each of them has its own page.
 */
export function searchIndex(feed: Feed, format: Format): string {
  const notices = currentNotices(feed).filter(({ nodes }) => nodes !== undefined);
  const noticeOf = (node: FeedNode): number => notices.findIndex(({ nodes }) => nodes?.includes(node));
  const targets = targetsOf(feed.systems).map(({ place, nodes }) => [
    place,
    ...listOrder(feed, nodes).map((node) => {
      const details = detailsOf(node, format, noticeOf(node));
      return [
        node.id,
        node.name === bareUrl(node.url) ? "" : node.name,
        node.url,
        statesOf(feed, node).join(" "),
        node.uptime["90d"].ratio ?? null,
        node.mean_latency_ms ?? null,
        ...(node.country === undefined && details === undefined ? [] : [node.country ?? null]),
        ...(details === undefined ? [] : [details]),
      ];
    }),
  ]);
  const shown = notices.map(({ name, title, next }): IndexedNotice => {
    return { title, href: incidentPath(name).slice(1), next };
  });
  return `${JSON.stringify({ sections: maxSections, notices: shown, targets })}\n`;
}

function detailsOf(node: FeedNode, format: Format, notice: number): MirrorDetails | undefined {
  const reasons = [reasonText(format, node), disagreementText(node)].filter(Boolean);
  const details = {
    since: node.state === "online" ? undefined : stateSince(node),
    reason: reasons.length > 0 ? reasons.join("; ") : undefined,
    notice: notice < 0 ? undefined : notice,
  };
  return Object.values(details).some((detail) => detail !== undefined) ? details : undefined;
}
