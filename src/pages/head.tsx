import { link } from "./links.ts";
import type { Page } from "./page.ts";

/** Loads only stylesheets, scripts and pictures of the site. Inline scripts and styles do not run. */
const contentSecurityPolicy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'";

/** Renders `<head>`: the title with the state, stylesheets, the script, icons and what link previews show. */
export function Head({ feed, title, description, state, head }: Page): preact.JSX.Element {
  const { site, words, path } = feed;
  const subject = title === undefined ? site.title : `${title} · ${site.title}`;
  const icon = state === undefined ? "icon" : `icon-${state.shape}`;
  return (
    <head>
      <meta charset="utf-8" />
      <meta http-equiv="Content-Security-Policy" content={contentSecurityPolicy} />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
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
      {site.url !== undefined &&
        linkPreview(site.title, subject, description, site.url.replace(/\/$/, ""), path)}
      <link
        rel="alternate"
        type="application/atom+xml"
        title={words.layout.changes}
        href={link(feed, "/feed.atom")}
      />
      {head}
      <script type="module" src={link(feed, "/assets/status.js")} />
    </head>
  );
}

/** Renders what link previews show. They need absolute URLs, so a site without a URL has none. */
function linkPreview(
  site: string,
  title: string,
  description: string | undefined,
  root: string,
  path: string,
): preact.JSX.Element {
  return (
    <>
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content={site} />
      <meta property="og:title" content={title} />
      {description !== undefined && <meta property="og:description" content={description} />}
      <meta property="og:url" content={root + path} />
      <meta property="og:image" content={`${root}/assets/preview.png`} />
      <meta property="og:image:width" content="1200" />
      <meta property="og:image:height" content="630" />
      <meta name="twitter:card" content="summary_large_image" />
    </>
  );
}
