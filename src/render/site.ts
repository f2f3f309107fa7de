import { basePath } from "../config/base-path.ts";
import { listNodes } from "../config/nodes.ts";
import type { Config } from "../config/schema.ts";
import { hosts } from "../hosts/registry.ts";
import { product } from "../product.ts";
import type { SiteFile } from "../site-file.ts";
import type { Status } from "../state/verdict.ts";
import { renderBadges } from "./badge.ts";
import { renderErrors } from "./errors.ts";
import { renderFeeds } from "./feed.ts";
import { renderMetrics } from "./metrics.ts";
import { renderMirrorlists } from "./mirrorlist.ts";
import { describeFeed, renderOpenapi } from "./openapi/openapi.ts";
import { renderDocs } from "./page/docs.tsx";
import { renderPages } from "./page/pages.tsx";
import { renderNetwork } from "./network.ts";
import { renderReport } from "./report-documents.ts";
import { makeReport, type ReportInput } from "./report.ts";

/**
 * Every file of the site that mirrorfeed makes: the contract, and all that shows the report. What is copied from
 * `public/` comes on top.
 */
export function renderSite(
  config: Config,
  statuses: ReadonlyMap<number, Status>,
  reported: ReportInput,
): SiteFile[] {
  const report = makeReport(config, listNodes(config), reported);
  const description = describeFeed(config, product);
  return [
    ...renderContract(config, statuses),
    ...renderPages(config, report),
    ...renderReport(report),
    ...renderOpenapi(description),
    ...renderDocs(config, description),
    ...renderMirrorlists(report),
    ...renderBadges(report),
    ...renderFeeds(config, report),
    ...renderMetrics(report),
  ];
}

/** The files that answer every request of the contract: its documents, the errors, and what the host needs. */
export function renderContract(config: Config, statuses: ReadonlyMap<number, Status>): SiteFile[] {
  const host = hosts[config.site.host];
  return [
    ...renderNetwork(config, statuses),
    ...renderErrors(),
    ...host.siteFiles({ feed: config.systems, basePath: basePath(config) }),
  ];
}
