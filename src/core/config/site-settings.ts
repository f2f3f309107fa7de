import * as z from "../base/zod.ts";
import { quote } from "../base/text/quote.ts";
import { linkUrlProblem, siteUrlProblem } from "../base/text/url.ts";
import { described } from "../kinds/kind.ts";
import { checkedText, durationKey, label } from "./values.ts";

/** The hosts that `site.host` can name. Each has an adapter in features/hosts. */
export const hostNames = [
  "github-pages",
  "nginx",
  "apache",
  "caddy",
  "cloudflare",
  "netlify",
  "vercel",
] as const;

export type HostName = (typeof hostNames)[number];

export const defaultHost = "github-pages" satisfies HostName;

/** The hosts that support `site.slashless`. */
export const slashlessHosts: readonly HostName[] = ["github-pages"];

export function isHostName(name: unknown): name is HostName {
  return hostNames.some((known) => known === name);
}

const timezone = checkedText((text) => {
  if (!/^[+-]/.test(text) && isTimezone(text)) return undefined;
  return `${quote(text)} is not a time zone; write an IANA name such as Europe/Berlin`;
});

function isTimezone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    return true;
  } catch {
    // The constructor throws only if it does not know the time zone (RangeError).
    return false;
  }
}

const logo = checkedText((text) =>
  /^(?!\/)(?:(?!\.{1,2}\/)[^/\\\s"<>?#%]+\/)*[^/\\\s"<>?#%]+\.(?:svg|png|webp)$/i.test(text)
    ? undefined
    : `${quote(text)} is not the path of an image below public/; write one that ends in .svg, .png or .webp, such as logo.svg`,
);

const accent = checkedText((text) =>
  /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(text)
    ? undefined
    : `${quote(text)} is not a hex colour; write one such as #0b6e50`,
).meta({ title: "hex colour", pattern: "^#(?:[0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$" });

const link = z
  .strictObject({
    name: described(label, "The link's text.", "Help"),
    url: described(
      checkedText(linkUrlProblem).meta({ format: "uri", pattern: "^(?:https?://|mailto:)" }),
      "The link's URL: HTTP, HTTPS or mailto.",
      "https://example.org/help",
      "URL",
    ),
  })
  .meta({ title: "link" });

export const site = z.strictObject({
  title: described(
    label.default("Mirror status"),
    "The title of the status page and of the change feeds.",
    "Mirrors of Example",
  ),
  url: described(
    checkedText(siteUrlProblem).meta({ format: "uri", pattern: "^https?://" }).exactOptional(),
    "The URL where the site is published, including any path. Required if the site is below a path, except on GitHub Pages.",
    "https://status.example.org/",
    "URL",
  ),
  interval: described(
    durationKey("1m", "7d").default("30m"),
    "The time between scheduled runs. A feed is valid for at least three intervals after its latest run.",
    "15m",
  ),
  host: described(
    z.enum(hostNames).default(defaultHost),
    "The web server or hosting service that the site is written for.",
    "nginx",
  ),
  slashless: described(
    z.boolean().default(false),
    `On ${slashlessHosts.join(", ")}: whether to serve contract paths without a trailing slash as text/html instead of redirecting them.`,
    true,
  ),
  timezone: described(
    timezone.default("UTC"),
    "The time zone of times on the pages, as an IANA name. Days are always UTC days.",
    "Europe/Berlin",
    "time zone",
  ),
  accent: described(
    accent.exactOptional(),
    "The colour of links and accents. It is darkened on light pages and lightened on dark ones until its contrast is at least 4.5:1.",
    "#7a1fa2",
  ),
  logo: described(
    logo.exactOptional(),
    "A logo for the page header: the path of an SVG, PNG or WebP file in the public/ folder next to mirrors.json.",
    "logo.svg",
    "path",
  ),
  links: described(
    z.array(link).max(10).default([]),
    "Links to your own pages. The first three appear in the header, the rest in the footer.",
  ),
});
