import { contentOf } from "../../base/files/site-file.ts";
import type { Config } from "../../config/schema.ts";
import { exampleFeed } from "../../feed/example.ts";
import { renderBadges } from "../badges/badge.ts";
import { renderFeeds } from "../changes/change-feed.ts";
import { renderMetrics } from "../metrics/metrics.ts";
import { renderMirrorlists } from "../lists/mirrorlist.ts";
import { renderErrors, renderNetwork } from "../../contract/network.ts";
import { renderReport } from "../report/report.ts";

/** Returns the texts of the documents of the example feed by their paths. */
export function renderExamples(config: Config): ReadonlyMap<string, string> {
  const feed = exampleFeed(config);
  const files = [
    ...[renderNetwork, renderReport, renderMirrorlists, renderBadges, renderFeeds, renderMetrics].flatMap(
      (render) => render(feed),
    ),
    ...renderErrors(),
  ];
  return new Map(files.map((file) => [file.path, String(contentOf(file))]));
}
