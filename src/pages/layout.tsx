import type { ComponentChildren } from "preact";
import { renderToString } from "preact-render-to-string";
import { product } from "../files/package.ts";
import { link, linksFrom } from "./links.ts";

export interface Page {
  /** The site's title. */
  readonly site: string;
  /** What the page is of, shown before the site's title; left out on the overview. */
  readonly title?: string | undefined;
  /** What a search engine or a preview shows of it. */
  readonly description?: string | undefined;
  /** The path of the page below the top of the site, with a slash at its start and its end. */
  readonly path: string;
  /** From when on the page proves nothing (ISO 8601); only the overview knows it. */
  readonly expiresAt?: string | undefined;
  /** Whether it shows statuses, and no run's moment: the script then asks the overview how old they are. */
  readonly hasStatuses?: boolean | undefined;
  /** What stands in `<main>`; its heading of the first level is the caller's. */
  readonly children: ComponentChildren;
}

/** Nothing is loaded but the site's own stylesheet, script and pictures; nothing in a page itself is run. */
const contentSecurityPolicy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'";

/** The pages that the header leads to. */
const sections = [
  { path: "/", name: "Status" },
  { path: "/docs/", name: "Documents" },
] as const;

/** A whole HTML document: the head, the site's header with its navigation, `<main>` with the children, the footer. */
export function pageDocument(page: Page): string {
  return `<!doctype html>${renderToString(<Document {...page} />)}\n`;
}

function Document({
  site,
  title,
  description,
  path,
  expiresAt,
  hasStatuses = false,
  children,
}: Page): preact.JSX.Element {
  const links = linksFrom(path);
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content={contentSecurityPolicy} />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <meta name="generator" content={`mirrorfeed ${product.version}`} />
        <title>{title === undefined ? site : `${title} · ${site}`}</title>
        {description !== undefined && <meta name="description" content={description} />}
        <link rel="stylesheet" href={link(links, "/assets/status.css")} />
        <link rel="icon" type="image/svg+xml" href={link(links, "/assets/icon.svg")} />
        <link rel="alternate" type="application/atom+xml" title="Changes" href={link(links, "/feed.atom")} />
        <script type="module" src={link(links, "/assets/status.js")} />
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <header class="top">
          <a class="brand" href={link(links, "/")}>
            <svg viewBox="0 0 20 20" aria-hidden="true">
              <path d="M3 6v8M7.5 6v8M12 2v16M16.5 6v8" />
            </svg>
            {site}
          </a>
          <nav aria-label="Site">
            {sections.map((section) => (
              <a href={link(links, section.path)} aria-current={section.path === path ? "page" : undefined}>
                {section.name}
              </a>
            ))}
            <a href={link(links, "/feed.atom")}>Feed</a>
          </nav>
        </header>
        <div class="stale" role="alert" hidden>
          <b>This feed stands still.</b> Its last run was <span />, and what it says expired <span />.
        </div>
        <main
          id="content"
          tabindex={-1}
          data-expires-at={expiresAt}
          data-overview={hasStatuses ? link(links, "/") : undefined}
        >
          {children}
        </main>
        <div class="said unseen" role="status" />
        <footer class="bottom">
          <ul>
            <li>
              <a href={link(links, "/v1/network/")}>Statuses as JSON</a>
            </li>
            <li>
              <a href={link(links, "/v1/report/")}>Heartbeat</a>
            </li>
            <li>
              <a href={link(links, "/openapi.json")}>OpenAPI</a>
            </li>
            <li>
              <a href={link(links, "/metrics.txt")}>Metrics</a>
            </li>
            <li>
              <a href={link(links, "/feed.json")}>JSON Feed</a>
            </li>
          </ul>
          <p>
            Made by{" "}
            {product.homepage === undefined ? (
              "mirrorfeed"
            ) : (
              <a href={product.homepage} rel="noreferrer">
                mirrorfeed
              </a>
            )}
            , served as files.
          </p>
        </footer>
      </body>
    </html>
  );
}
