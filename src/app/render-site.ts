import { basePath, type Config } from "../core/config/config-schema.ts";
import { renderDocs } from "../features/openapi/docs/docs-page.tsx";
import { product } from "../core/base/files/package.ts";
import { contentOf, type SiteFile } from "../core/base/files/site-file.ts";
import { jsonText } from "../core/contract/contract.ts";
import { exampleFeed } from "./example-feed.ts";
import { hostOf } from "../features/hosts/host-registry.ts";
import type { Feed } from "../core/feed/feed.ts";
import { renderPages } from "../features/pages/pages.tsx";
import { renderBadges } from "../features/badges/badge.ts";
import { renderCalendar } from "../features/changes/calendar.ts";
import { renderFeeds } from "../features/changes/change-feed.ts";
import { renderErrors, renderNetwork } from "../core/contract/network.ts";
import { renderMetrics } from "../features/metrics/metrics.ts";
import { renderMirrorlists } from "../features/lists/mirrorlist.ts";
import { describeFeed, type OpenapiDocument } from "../features/openapi/openapi.ts";
import { renderStatuspage } from "../features/statuspage/statuspage.ts";
import { renderReport } from "../core/site/report.ts";

/** Returns the site's generated files, so none from `public/`. */
export function renderSite(config: Config, feed: Feed): SiteFile[] {
  const description = describeSite(config, feed);
  return [
    ...renderContract(feed),
    ...renderPages(feed),
    ...renderData(feed),
    { path: "openapi.json", content: jsonText(description) },
    ...renderDocs(feed.site, description),
    renderCalendar(feed),
  ];
}

/** Returns the machine-readable files that are not part of the contract. */
function renderData(feed: Feed): SiteFile[] {
  const renderers = [
    renderReport,
    renderMirrorlists,
    renderBadges,
    renderFeeds,
    renderMetrics,
    renderStatuspage,
  ];
  return renderers.flatMap((render) => render(feed));
}

/** Returns the OpenAPI document of a feed. Its examples are the documents of a small feed. */
export function describeSite(
  config: Config,
  feed: Pick<Feed, "site" | "url" | "systems">,
  program: typeof product = product,
): OpenapiDocument {
  const example = exampleFeed(config);
  const files = [...renderNetwork(example), ...renderErrors(), ...renderData(example)];
  const examples = new Map(files.map((file) => [file.path, String(contentOf(file))]));
  return describeFeed(feed, examples, program);
}

/** Returns the contract's documents and errors, and the files that the host needs to serve them. */
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
