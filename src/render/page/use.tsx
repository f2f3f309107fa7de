import type { Feed, FeedTarget } from "./feed.ts";
import { link } from "./feed.ts";

/** Stands where the url of the feed is not known; the script writes the one it was loaded from in its place. */
export const unknownUrl = "https://feed.example.org";

/** How to use a target from scripts: lines to copy, and the documents behind them. */
export function HowToUse({
  feed,
  target,
}: {
  readonly feed: Feed;
  readonly target: FeedTarget;
}): preact.JSX.Element {
  const { system, project, target: name, nodes } = target;
  const path = `${system}/${project}/${name}`;
  const url = feed.url ?? unknownUrl;
  const isGit = nodes.some(({ node }) => node.revision !== undefined);
  const lines = [
    ["The mirrors that are reachable", `curl -fsS ${url}/v1/network/${path}/1/`],
    ["All of them, the best first", `curl -fsS ${url}/mirrorlist/${path}.txt`],
    ...(isGit
      ? [
          [
            "Clone from the best",
            `git clone "$(curl -fsS ${url}/mirrorlist/${path}.txt | head -n 1)"`,
          ] as const,
        ]
      : []),
    ["Stop a script where none is reachable", `mirrorfeed check ${url} ${path}`],
    ["A badge, in Markdown", `[![${name}](${url}/badge/${path}.svg)](${url}/status/${path}/)`],
  ] as const;
  const files = [
    ["statuses", `/v1/network/${path}/`],
    ["evidence", `/v1/report/${path}/`],
    ["mirrorlist", `/mirrorlist/${path}.txt`],
    ["badge", `/badge/${path}.svg`],
    ["changes of the project", `/feed/${system}/${project}.atom`],
    ["metrics", "/metrics.txt"],
    ["OpenAPI", "/openapi.json"],
  ] as const;
  return (
    <section class="use" aria-labelledby="use">
      <h2 id="use">Use it</h2>
      <dl data-url={feed.url === undefined ? unknownUrl : undefined} data-base={feed.base}>
        {lines.map(([words, line]) => (
          <div>
            <dt>{words}</dt>
            <dd>
              <code data-copy>{line}</code>
            </dd>
          </div>
        ))}
      </dl>
      <p class="files">
        As files:{" "}
        {files.map(([words, file], index) => [index > 0 && ", ", <a href={link(feed, file)}>{words}</a>])}.{" "}
        <a href={link(feed, "/docs/")}>What each of them holds</a>.
      </p>
    </section>
  );
}
