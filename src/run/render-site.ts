import { basePath, type Config } from "../config/schema.ts";
import { renderDocs } from "../outputs/pages/docs/docs.tsx";
import { product } from "../base/files/package.ts";
import type { SiteFile } from "../base/files/site-file.ts";
import { hostOf } from "../hosts/registry.ts";
import type { Feed } from "../feed/feed.ts";
import { renderEmbeds } from "../outputs/pages/embeds.tsx";
import { renderPages } from "../outputs/pages/pages.tsx";
import { renderBadges } from "../outputs/badges/badge.ts";
import { renderCalendar } from "../outputs/changes/calendar.ts";
import { renderFeeds } from "../outputs/changes/change-feed.ts";
import { renderErrors, renderNetwork } from "../contract/network.ts";
import { renderMetrics } from "../outputs/metrics/metrics.ts";
import { renderMirrorlists } from "../outputs/lists/mirrorlist.ts";
import { describeFeed, renderOpenapi } from "../outputs/openapi/openapi.ts";
import { renderReport } from "../outputs/report/report.ts";

/**
 * Returns every generated file of the site: the contract, the pages, the report, the documentation, lists, badges, change
 * feeds, the calendar and metrics. The files of `public/` are not among them.
 */
export function renderSite(config: Config, feed: Feed): SiteFile[] {
  return [
    ...renderContract(feed),
    ...renderPages(feed),
    ...renderEmbeds(feed),
    ...renderReport(feed),
    ...renderReference(config),
    ...renderMirrorlists(feed),
    ...renderBadges(feed),
    ...renderFeeds(feed),
    renderCalendar(feed),
    ...renderMetrics(feed),
  ];
}

const references = new WeakMap<Config, readonly SiteFile[]>();

/** Returns the documentation of the feed. It changes only with the configuration, and takes longer than other files. */
function renderReference(config: Config): readonly SiteFile[] {
  const rendered = references.get(config);
  if (rendered !== undefined) return rendered;
  const description = describeFeed(config, product);
  const files = [...renderOpenapi(description), ...renderDocs(config.site, description)];
  references.set(config, files);
  return files;
}

/** Returns the files behind every path of the contract: its documents, the errors, and the files for the host. */
export function renderContract(feed: Pick<Feed, "site" | "systems">): SiteFile[] {
  const { site, systems } = feed;
  const host = hostOf(site.host);
  const documents = renderNetwork(feed);
  return [
    ...documents,
    ...(site.slashless ? (host.slashlessPages?.(documents) ?? []) : []),
    ...renderErrors(),
    ...host.siteFiles({ feed: systems, basePath: basePath(feed) }),
  ];
}
