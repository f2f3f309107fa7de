import { renderToString } from "preact-render-to-string";
import type { SiteFile } from "../../base/files/site-file.ts";
import { formatCount, formatInteger } from "../../base/text/count.ts";
import { formatIn } from "../../base/text/time-format.ts";
import { targetPath } from "../../contract/page-paths.ts";
import { type Feed, type FeedNode, mirrorStates, type Target, targetsOf } from "../../feed/feed.ts";
import { statusOf } from "./node-status.tsx";
import { link, type PageFeed, pageFeedOf } from "./page-feed.ts";
import { summarize } from "./summary.ts";

/** An embed lists at most this many mirrors, and says how many more there are. */
const maxNodes = 5;

/** Allows only the stylesheet. Any page can frame an embed. */
const contentSecurityPolicy = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'";

/** Renders an embed for each target: a small page without a script, to be framed by other sites. */
export function renderEmbeds(feed: Feed): SiteFile[] {
  const format = formatIn(feed.site.timezone);
  return targetsOf(feed.systems).map((target) => {
    const path = `/embed/${target.place}/`;
    return {
      path: `${path.slice(1)}index.html`,
      content: () => embedPage(pageFeedOf(feed, path, format), target),
    };
  });
}

/** Returns a height (in pixels) that fits all rows and a two-line sentence. */
export function embedHeight({ nodes }: Target): number {
  return 104 + 21 * (Math.min(nodes.length, maxNodes) + (nodes.length > maxNodes ? 1 : 0));
}

function embedPage(feed: PageFeed, target: Target): string {
  const { site } = feed;
  const { shape, sentence } = summarize(feed, [target]);
  const disputed = target.nodes.filter(({ disagreement }) => disagreement !== undefined).length;
  const rank = ({ state }: FeedNode): number => mirrorStates.indexOf(state);
  const worst = target.nodes.toSorted((one, other) => rank(one) - rank(other));
  const more = target.nodes.length - maxNodes;
  const document = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content={contentSecurityPolicy} />
        <meta name="viewport" content="width=device-width" />
        <meta name="robots" content="noindex" />
        <title>{`${target.target} · ${site.title}`}</title>
        <link rel="stylesheet" href={link(feed, "/assets/embed.css")} />
      </head>
      <body>
        <main>
          <h1 class={shape}>
            <a href={link(feed, targetPath(target))} target="_blank" rel="noopener">
              {target.target}
            </a>
          </h1>
          <p>{sentence}</p>
          {disputed > 0 && <p>The locations disagree about {formatCount(disputed, "mirror")}.</p>}
          <ul>
            {worst.slice(0, maxNodes).map((node) => {
              const status = statusOf(feed, node);
              return (
                <li class={status.shape}>
                  {node.name} <b>{status.word}</b>
                </li>
              );
            })}
            {more > 0 && <li>and {formatInteger(more)} more</li>}
          </ul>
        </main>
      </body>
    </html>
  );
  return `<!doctype html>${renderToString(document)}\n`;
}
