import { renderToString } from "preact-render-to-string";
import type { Config } from "../config/schema.ts";
import { product } from "../files/package.ts";
import type { Words } from "../language/words.ts";
import { compactHtml } from "./compact.ts";
import { Head } from "./head.tsx";
import { link, type SitePage } from "./links.ts";
import type { Page } from "./page.ts";

/** How many of the operator's links are in the header. The others are in the footer. */
const headerLinks = 3;

/** Returns a whole HTML document: the head, the header with its navigation, `<main>` with the children, and the footer. */
export function pageDocument(page: Page): string {
  const html = renderToString(<Document {...page} />).replace(/><\/(?:path|circle)>/g, "/>");
  // A feed has one page of each kind, but thousands of these.
  return `<!doctype html>${page.hasStatuses ? compactHtml(html) : html}\n`;
}

function Document(page: Page): preact.JSX.Element {
  const { feed, state, expiresAt, hasStatuses = false, children } = page;
  const { words } = feed;
  return (
    <html lang={words.language}>
      <Head {...page} />
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
    </html>
  );
}

function siteHeader(page: SitePage): preact.JSX.Element {
  const { site, path, words } = page;
  const { layout } = words;
  const sections = [
    { to: "/", name: layout.status },
    { to: "/docs/", name: layout.api },
  ];
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
        {sections.map(({ to, name }) => [
          <a href={link(page, to)} aria-current={to === path ? "page" : undefined}>
            {name}
          </a>,
          " ",
        ])}
        <a href={link(page, "/feed.atom")}>{layout.changeFeed}</a>
        {site.links.slice(0, headerLinks).map((one) => [" ", ownLink(one)])}
      </nav>
    </header>
  );
}

function staleBanner({ layout }: Words): preact.JSX.Element {
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

function siteFooter(page: SitePage): preact.JSX.Element {
  const { site, words } = page;
  const { layout } = words;
  const documents = [
    ["/v1/network/", layout.statuses],
    ["/v1/report/", layout.heartbeat],
    ["/openapi.json", "OpenAPI"],
    ["/metrics.txt", layout.metrics],
    ["/feed.json", "JSON Feed"],
  ] as const;
  const [before = "", after = ""] = layout.generatedBy;
  return (
    <footer class="bottom">
      <ul>
        {documents.map(([to, name]) => (
          <li>
            <a href={link(page, to)}>{name}</a>
          </li>
        ))}
        {site.links.slice(headerLinks).map((one) => (
          <li>{ownLink(one)}</li>
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

function ownLink({ name, url }: Config["site"]["links"][number]): preact.JSX.Element {
  return (
    <a href={url} rel="noreferrer">
      {name}
    </a>
  );
}
