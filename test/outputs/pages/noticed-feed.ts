import { listNodes } from "../../../src/config/nodes.ts";
import { parseNotice } from "../../../src/config/notice.ts";
import { nodesOf, targetsOf } from "../../../src/feed/feed.ts";
import { maintenanceOf } from "../../../src/feed/incidents.ts";
import { noticesOf } from "../../../src/feed/incidents.ts";
import { renderMarkdown } from "../../../src/outputs/pages/markdown.ts";
import { lastRun, partialFeed, type PlayedFeed } from "./feeds.ts";

const texts = {
  move: `---
title: gitea.example.org moves to new disks
targets: [community/jcb/gitea]
from: 2026-11-21T05:00:00Z
state: identified
---

The disks of both mirrors are full. They are **replaced** one after the other.

## What you can do

- Take another target for now.
- Read [the page of the provider](https://provider.example.org/status).

| Mirror | Until |
| ------ | ----- |
| first  | 14:00 |

\`\`\`
git remote set-url origin https://git.vdm.dev/joomla/gitea
\`\`\`

> It takes some hours.

![A picture of a disk](https://pictures.example.org/disk.png)
`,
  "next-week": `---
title: A firewall is replaced
mirrors: [1, 3]
from: 2026-11-28T05:00:00Z
to: 2026-11-28T07:00:00Z
state: planned
---
Short interruptions.
`,
  "old-host": `---
title: An old host was shut down
mirrors: [1, 99]
targets: [community/jcb/retired]
from: 2026-11-10T05:00:00Z
to: 2026-11-12T05:00:00Z
state: resolved
---
Its mirrors have left.
`,
  survey: `---
title: Which mirrors do you miss
from: 2026-11-20T00:00:00Z
to: 2026-12-01T00:00:00Z
---
By mail.
`,
};

/** Returns the feed of a partial outage with two notices, an announcement, and maintenance that lasts and that comes. */
export function noticedFeed(): PlayedFeed {
  const played = partialFeed();
  const known = listNodes(played.config);
  const notices = Object.entries(texts).map(([name, text]) => {
    const notice = parseNotice(text, name, `${name}.md`, known, lastRun);
    return { ...notice, html: renderMarkdown(notice.markdown) };
  });
  const windows = [
    ...played.config.maintenance,
    { scope: "git.vdm.dev", from: "2026-11-25T06:00:00Z", to: "2026-11-25T08:00:00Z", reason: "updates" },
  ];
  const noticed = (feed: PlayedFeed["feed"]): PlayedFeed["feed"] => {
    const nodes = nodesOf(targetsOf(feed.systems));
    return { ...feed, notices: noticesOf(notices, nodes), maintenance: maintenanceOf(windows, nodes) };
  };
  return { ...played, feed: noticed(played.feed), later: () => noticed(played.later()) };
}
