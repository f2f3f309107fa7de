import { pageLink } from "./parts.tsx";
import type { ComponentChildren } from "preact";
import { renderToString } from "preact-render-to-string";
import { subscribePath } from "../../contract/page-paths.ts";
import { product } from "../../base/files/package.ts";
import { link, type SitePage } from "./page-feed.ts";
import type { ShapeName } from "./shapes.ts";
import type { Words } from "./words/english.ts";

export interface Page {
  readonly feed: SitePage;
  /** Precedes the site's title. Absent on the overview. */
  readonly title?: string;
  readonly description?: string;
  /** Shown in the browser's tab: a shape, and a few words such as `2 offline`. */
  readonly state?: { readonly shape: ShapeName; readonly text: string };
  /** When the statuses expire (ISO 8601). Only on the overview. */
  readonly expiresAt?: string;
  /** Whether the page shows statuses but not the time of the run, which the script then reads from the heartbeat. */
  readonly hasStatuses?: boolean;
  readonly head?: ComponentChildren;
  readonly children: ComponentChildren;
}

const headerLinks = 3;

export function pageDocument(page: Page): string {
  const { feed, state, expiresAt, hasStatuses = expiresAt === undefined, children } = page;
  const { words } = feed;
  const { timezone } = feed.site;
  const html = renderToString(
    <html lang="en" data-timezone={timezone === "UTC" ? undefined : timezone}>
      {headOf(page)}
      <body>
        <a class="skip" href="#content">
          {words.layout.skip}
        </a>
        {siteHeader(feed)}
        {staleBanner(words)}
        <main
          id="content"
          tabindex={-1}
          data-shape={state?.shape}
          data-state={state?.text}
          data-expires-at={expiresAt}
          data-heartbeat={hasStatuses ? link(feed, "/v1/report/index.json") : undefined}
        >
          {children}
        </main>
        <div class="live visually-hidden" role="status" />
        {siteFooter(feed)}
      </body>
    </html>,
  ).replace(/><\/(?:path|circle)>/g, "/>");
  // There can be thousands of pages with statuses, so they are worth compacting.
  return `<!doctype html>${hasStatuses ? compactHtml(html) : html}\n`;
}

/**
 * Removes quotes and end tags that are optional, which saves a twelfth of the bytes:
 * https://html.spec.whatwg.org/multipage/syntax.html#optional-tags
 */
export function compactHtml(html: string): string {
  // The head stays as it is: not all programs that show link previews have an HTML parser.
  const body = html.indexOf("<body");
  // Quotes in text and in values are escaped, so the patterns match only markup.
  const compact = html
    .slice(body)
    .replace(/="([^\s"'=<>`]+)"(?=[ >])/g, "=$1")
    .replace(/<\/(?:td|th|dt|dd|thead|tbody)>/g, "")
    .replaceAll("<wbr/>", "<wbr>");
  return html.slice(0, body) + compact;
}

function siteHeader(page: SitePage) {
  const { site, path, words } = page;
  const { layout } = words;
  const sections = [
    ["/", layout.status],
    ["/docs/", layout.api],
    [subscribePath, words.subscribe.heading],
  ] as const;
  return (
    <header class="top">
      <a class="brand" href={link(page, "/")}>
        {site.logo === undefined ? (
          <svg viewBox="0 0 20 20" width={18} height={18} stroke="currentColor" aria-hidden="true">
            <path d="M3 6v8M7.5 6v8M12 2v16M16.5 6v8" />
          </svg>
        ) : (
          <img src={link(page, `/${site.logo}`)} height={28} alt={layout.logo} />
        )}
        {site.title}
      </a>
      <nav aria-label={layout.site}>
        {sections.map(([to, name]) => [
          <a href={link(page, to)} aria-current={to === path ? "page" : undefined}>
            {name}
          </a>,
          " ",
        ])}
        {site.links.slice(0, headerLinks).map((to) => [" ", siteLink(to)])}
      </nav>
    </header>
  );
}

function staleBanner({ layout }: Words) {
  const [before = "", between = "", after = ""] = layout.expired;
  return (
    <div class="stale" role="alert" hidden>
      <b>{layout.outOfDate}</b> {before}
      <span />
      {between}
      <span />
      {after}
    </div>
  );
}

function siteFooter(page: SitePage) {
  const { site, words } = page;
  const { layout } = words;
  const documents = [
    ["/v1/network/", layout.statuses],
    ["/v1/report/", layout.heartbeat],
    ["/openapi.json", "OpenAPI"],
    ["/metrics.txt", layout.metrics],
  ] as const;
  const [before = "", after = ""] = layout.generatedBy;
  return (
    <footer class="bottom">
      <ul>
        {documents.map(([to, name]) => (
          <li>{pageLink(page, to, name)}</li>
        ))}
        {site.links.slice(headerLinks).map((to) => (
          <li>{siteLink(to)}</li>
        ))}
      </ul>
      <p>
        {before}
        {product.homepage === undefined ? (
          "mirrorfeed"
        ) : (
          <a href={product.homepage} rel="noreferrer">
            mirrorfeed
          </a>
        )}
        {after}
      </p>
    </footer>
  );
}

function siteLink({ name, url }: SitePage["site"]["links"][number]) {
  return (
    <a href={url} rel="noreferrer">
      {name}
    </a>
  );
}

/** Allows only the site's own stylesheets, scripts and pictures. Inline scripts and styles don't run. */
const contentSecurityPolicy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'";

/** The values of `--paper` in public/assets/status.css. */
const papers = { light: "#fdfcfa", dark: "#151514" };

function headOf({ feed, title, description, state, head }: Page) {
  const { site, words } = feed;
  const subject = title === undefined ? site.title : `${title} · ${site.title}`;
  const icon = state === undefined ? "icon" : `icon-${state.shape}`;
  return (
    <head>
      <meta charset="utf-8" />
      <meta http-equiv="Content-Security-Policy" content={contentSecurityPolicy} />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="theme-color" content={papers.dark} media="(prefers-color-scheme:dark)" />
      <meta name="theme-color" content={papers.light} />
      {state === undefined ? (
        <title>{subject}</title>
      ) : (
        <title data-subject={subject}>{`${state.text} · ${subject}`}</title>
      )}
      {description !== undefined && <meta name="description" content={description} />}
      <link rel="stylesheet" href={link(feed, "/assets/status.css")} />
      {site.accent !== undefined && <link rel="stylesheet" href={link(feed, "/assets/site.css")} />}
      <link rel="icon" href={link(feed, "/favicon.ico")} sizes="32x32" />
      <link rel="icon" type="image/svg+xml" href={link(feed, `/assets/${icon}.svg`)} />
      <link rel="apple-touch-icon" href={link(feed, "/assets/icon-180.png")} />
      <link rel="manifest" href={link(feed, "/site.webmanifest")} />
      {linkPreview(feed, subject, description, state?.shape)}
      <link
        rel="alternate"
        type="application/atom+xml"
        title={words.terms.changes}
        href={link(feed, "/feed.atom")}
      />
      {head}
      <script type="module" src={link(feed, "/assets/status.js")} />
    </head>
  );
}

/** Link previews need absolute URLs, so a site without a URL has none. */
function linkPreview({ site, path }: SitePage, title: string, description?: string, shape?: ShapeName) {
  if (site.url === undefined) return null;
  const root = site.url.replace(/\/$/, "");
  const picture = shape === undefined ? "preview" : `preview-${shape}`;
  const properties = [
    ["og:type", "website"],
    ["og:site_name", site.title],
    ["og:title", title],
    ["og:description", description],
    ["og:url", root + path],
    ["og:image", `${root}/assets/${picture}.png`],
    ["og:image:width", "1200"],
    ["og:image:height", "630"],
  ] as const;
  return (
    <>
      {properties.map(
        ([property, content]) => content !== undefined && <meta property={property} content={content} />,
      )}
      <meta name="twitter:card" content="summary_large_image" />
    </>
  );
}
