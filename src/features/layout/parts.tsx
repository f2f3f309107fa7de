import type { ComponentChildren } from "preact";
import { nameWithUrl } from "../../core/base/text/url.ts";
import { nodePath } from "../../core/feed/page-paths.ts";
import { drawings, type ShapeName } from "./shapes.ts";
import { link, type PageFeed, type SitePage } from "./page-feed.ts";
import type { FeedNode, TargetInfo } from "../../core/feed/feed-node.ts";

/** Looks the same without a stylesheet. A page can have many shapes, so each shape has few attributes. */
export function Shape({ name }: { readonly name: ShapeName }) {
  const { r, d } = drawings[name];
  return (
    <svg
      class={`shape ${name}`}
      viewBox="-6 -6 12 12"
      width={12}
      height={12}
      {...(name === "online" ? {} : { fill: "none", stroke: "currentColor" })}
      aria-hidden="true"
    >
      {r !== undefined && <circle r={r} />}
      {d !== undefined && <path fill="currentColor" d={d} />}
    </svg>
  );
}

export function joined(items: readonly ComponentChildren[], separator = " · "): ComponentChildren {
  return items.map((item, index) => (index === 0 ? item : [separator, item]));
}

/** Lets text break after slashes, such as those of a URL. */
export function breakable(text: string): ComponentChildren {
  return text
    .split(/(?<=[^/<]\/)(?=[^/")])/)
    .flatMap((part, index) => (index === 0 ? [part] : [<wbr />, part]));
}

export function pageLink(page: SitePage, path: string, text: ComponentChildren) {
  return <a href={link(page, path)}>{text}</a>;
}

/** Isolates the title, so that right-to-left text doesn't reorder the text around it. */
export function titleLink(page: SitePage, path: string, title: ComponentChildren) {
  return pageLink(page, path, <bdi>{title}</bdi>);
}

export function mirrorName(page: SitePage, node: FeedNode, best?: string) {
  return <div class="name">{mirrorLinks(node, link(page, nodePath(node)), best)}</div>;
}

/** Longer names can break after slashes. Shorter names can't, since each possible break needs an element. */
const maxUnbroken = 40;

/**
 * Links a mirror's name to its details on this site, and its URL to the mirror. If one of these texts contains the other,
 * shows only the longer one and, with `hasArrow`, an arrow to the mirror. The script lets readers copy the `best` URL.
 */
export function mirrorLinks({ name, url, primary }: FeedNode, href: string, best?: string, hasArrow = true) {
  const whole = nameWithUrl(name, url);
  const text = whole ?? name;
  const links = [
    <a href={href} dir="auto">
      {text.length > maxUnbroken ? breakable(text) : text}
    </a>,
    primary && <small> primary</small>,
    best !== undefined && <small> {best}</small>,
  ];
  if (whole !== undefined && !hasArrow) return links;
  return [
    ...links,
    // Keeps the arrow from starting a line.
    whole === undefined ? " " : "\u00a0",
    <a
      class={whole === undefined ? "url" : "go"}
      href={url}
      rel="noreferrer"
      aria-label={whole && url}
      data-copy={best && ""}
    >
      {whole === undefined ? breakable(url) : "↗"}
    </a>,
  ];
}

export type NamedPath = readonly [name: string, path: string];

export function fileLinks(page: SitePage, title: string, files: readonly NamedPath[]) {
  const links = files.map(([name, path]) => pageLink(page, path, name));
  return (
    <p class="files">
      {title} {joined(links, ", ")}.
    </p>
  );
}

export function TableHead({ titles }: { readonly titles: readonly string[] }) {
  return (
    <thead>
      <tr>
        {titles.map((title) => (
          <th scope="col">{title}</th>
        ))}
      </tr>
    </thead>
  );
}

export type Fact = readonly [term: ComponentChildren, fact: ComponentChildren];

export function factRows(facts: readonly Fact[]) {
  return facts.map(([term, fact]) => (
    <div>
      <dt>{term}</dt>
      <dd>{fact}</dd>
    </div>
  ));
}

/** A placeholder that the script replaces with the URL from which the page was loaded. */
export const unknownUrl = "https://feed.example.org";

type CopyLine = readonly [title: string, line: string];

export function copyLines({ top }: Pick<SitePage, "top">, lines: readonly CopyLine[], isUrlKnown: boolean) {
  return (
    <dl data-url={isUrlKnown ? undefined : unknownUrl} data-top={top}>
      {lines.map(([title, line]) => [
        <dt>{title}</dt>,
        <dd>
          <code data-copy="">{breakable(line)}</code>
        </dd>,
      ])}
    </dl>
  );
}

/** Tells the page's script the URL of the target's report and the day of the last run. */
export function reportAttributes(feed: PageFeed, { place }: TargetInfo) {
  return {
    "data-report": link(feed, `/v1/report/${place}/`),
    "data-day": feed.run.generated_at.slice(0, 10),
  };
}

/** `from` and `to` are in ISO 8601. */
export function timeRange({ format }: Pick<SitePage, "format">, from: string, to: string) {
  return (
    <time datetime={from} data-to={to} class="exact">
      {format.range(from, to)}
    </time>
  );
}

/** The script shows `5 minutes ago`, `for 2 hours` (`since`), `for another 2 hours` (`until`) or no change (`exact`). */
export function time({ format }: Pick<SitePage, "format">, at: string, form?: "since" | "until" | "exact") {
  const text = format.timestamp(at);
  return (
    <time datetime={at} class={form}>
      {form === "since" || form === "until" ? `${form} ${text}` : text}
    </time>
  );
}
