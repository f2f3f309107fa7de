import { kinds } from "../kinds/kinds.ts";
import { toolLists } from "../render/mirrorlist.ts";
import { shellWord } from "../text/shell-word.ts";
import type { Target } from "../model/feed.ts";
import { CopyLines, unknownUrl } from "./copy-lines.tsx";
import { link, type PageFeed } from "./links.ts";

/** Renders how to use a target from scripts: commands to copy, and links to its documents. */
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
  const tools = toolLists(target);
  const lines = [
    ["List the reachable mirrors", `curl -fsS ${url}/v1/network/${path}/1/`],
    ["List all mirrors, best first", `curl -fsS ${url}/mirrorlist/${path}.txt`],
    ...(usage === undefined ? [] : [[usage.title, usage.command(best)] as const]),
    ...tools.flatMap(({ list: { usage, extension }, nodes: own }) =>
      usage === undefined
        ? []
        : [
            [
              usage.title,
              usage.line(`${url}/mirrorlist/${path}.${extension}`, own[0]?.options ?? {}),
            ] as const,
          ],
    ),
    ["Stop a script if no mirror is reachable", `mirrorfeed check ${url} ${path}`],
    [
      "Show the state in a page",
      `<iframe src="${url}/embed/${path}/" title="${name}" height="160"></iframe>`,
    ],
    ["Show a badge, in Markdown", `[![${name}](${url}/badge/${path}.svg)](${url}/status/${path}/)`],
  ] as const;
  const files = [
    ["statuses", `/v1/network/${path}/`],
    ["evidence", `/v1/report/${path}/`],
    ["mirrorlist", `/mirrorlist/${path}.txt`],
    ...tools.map(
      ({ list: { tool, extension } }) => [`list for ${tool}`, `/mirrorlist/${path}.${extension}`] as const,
    ),
    ["badge", `/badge/${path}.svg`],
    ["embed", `/embed/${path}/`],
    ["changes of the project", `/feed/${system}/${project}.atom`],
    ["metrics", "/metrics.txt"],
    ["OpenAPI", "/openapi.json"],
  ] as const;
  return (
    <section class="use" aria-labelledby="use">
      <h2 id="use">Use it</h2>
      <CopyLines lines={lines} isUrlKnown={feed.url !== undefined} top={feed.top} />
      <p class="files">
        As files:{" "}
        {files.map(([name, file], index) => [index > 0 && ", ", <a href={link(feed, file)}>{name}</a>])}. The{" "}
        <a href={link(feed, "/docs/")}>API reference</a> describes each file.
      </p>
    </section>
  );
}

/** Returns the URL to use if the feed cannot be reached: the primary's, otherwise the first mirror's. */
function fallbackOf({ nodes }: Target): string {
  return (nodes.find(({ primary }) => primary) ?? nodes[0])?.url ?? "";
}
