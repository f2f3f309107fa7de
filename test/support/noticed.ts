import type { Config } from "../../src/core/config/config-schema.ts";
import { listNodes } from "../../src/core/config/nodes.ts";
import { parseNotice } from "../../src/core/config/notice.ts";
import { type Feed, nodesOf, targetsOf } from "../../src/core/feed/feed.ts";
import { noticesOf } from "../../src/core/feed/incidents.ts";
import { withHtml } from "../../src/features/incidents/notice-markdown.ts";

/** Returns the feed with the notice `disks`, whose file has this text. */
export function noticed(config: Config, feed: Feed, text: string): Feed {
  const notice = withHtml(parseNotice(text, "disks", "disks.md", listNodes(config)));
  return { ...feed, notices: noticesOf([notice], nodesOf(targetsOf(feed.systems))) };
}
