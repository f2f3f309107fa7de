import { kinds } from "../kinds/kinds.ts";
import { shellWord } from "../text/shell-word.ts";
import type { Target } from "../model/feed.ts";
import { link, type PageFeed } from "./links.ts";

/** Stands where the url of the feed is not known; the script writes the one it was loaded from in its place. */
export const unknownUrl = "https://feed.example.org";

/** How to use a target from scripts: lines to copy, and the documents behind them. */
export function HowToUse({
  feed,
  target,
}: {
  readonly feed: PageFeed;
  readonly target: Target;
}): preact.JSX.Element {
  const { system, project, target: name, place: path, nodes } = target;
  const url = feed.url ?? unknownUrl;
  const known = nodes.find(({ revision }) => revision !== undefined);
  const usage = known && kinds[known.kind].usage;
  const best = `$(mirrorfeed pick ${url} ${path} --fallback ${shellWord(fallbackOf(target))})`;
  const lines = [
    ["The mirrors that are reachable", `curl -fsS ${url}/v1/network/${path}/1/`],
    ["All of them, the best first", `curl -fsS ${url}/mirrorlist/${path}.txt`],
    ...(usage === undefined ? [] : [[usage.title, usage.command(best)] as const]),
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
      <dl data-url={feed.url === undefined ? unknownUrl : undefined} data-top={feed.top}>
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

/** Returns what to use if the feed has no answer: the primary, else the first mirror. */
function fallbackOf({ nodes }: Target): string {
  return (nodes.find(({ primary }) => primary) ?? nodes[0])?.url ?? "";
}
