import type { Config } from "../../config/schema.ts";
import type { SiteFile } from "../../site-file.ts";
import type { Report } from "../report.ts";
import { feedOf } from "./feed.ts";
import { overviewPage } from "./overview.tsx";
import { projectPage } from "./project.tsx";
import { targetPage } from "./target.tsx";

/**
 * The status pages: the overview, which may change with every run, and a page for each project and target, which
 * change with a status, a revision, a certificate, a maintenance and the day.
 */
export function renderPages(config: Config, report: Report): SiteFile[] {
  const feed = feedOf(config, report);
  return [
    file("/", overviewPage(feed, report.heartbeat)),
    ...feed.projects.flatMap((project) => [
      file(project.path, projectPage(feed, project)),
      ...project.targets.map((target) => file(target.path, targetPage(feed, target))),
    ]),
  ];
}

function file(path: string, content: string): SiteFile {
  return { path: `${path.slice(1)}index.html`, content };
}
