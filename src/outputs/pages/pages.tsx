import { type SiteFile } from "../../base/files/site-file.ts";
import type { Feed } from "../../feed/feed.ts";
import { incidentPage, noticePage } from "./incident.tsx";
import { incidentsPage } from "./incidents.tsx";
import {
  incidentPath,
  maxSections,
  nodePath,
  type PageFeed,
  pageFeedOf,
  projectPath,
  systemPath,
  targetPath,
} from "./links.ts";
import { nodePage } from "./node.tsx";
import { overviewPage } from "./overview.tsx";
import { projectPage, systemPage, systemsPage } from "./places.tsx";
import { searchIndex, searchIndexPath } from "./search-index.ts";

import { siteFiles } from "./site-files.ts";
import { targetPage } from "./target.tsx";
import { wordingOf } from "./timestamp.tsx";

/**
 * Returns the status pages: the overview, one of all systems, and one for each system, project, target, and mirror of a large
 * target, with the list for their search. The overview changes with every run. The other files change with a status, a
 * revision, a certificate, a maintenance or the day.
 */
export function renderPages(feed: Feed, wording = wordingOf(feed.site)): SiteFile[] {
  const page = (path: string, render: (feed: PageFeed) => string): SiteFile => ({
    path: `${path.slice(1)}index.html`,
    content: () => render(pageFeedOf(feed, path, wording)),
  });
  return [
    ...siteFiles(feed.site),
    page("/", overviewPage),
    { path: searchIndexPath.slice(1), content: () => searchIndex(feed) },
    page(incidentPath(), incidentsPage),
    ...feed.incidents.map((one) => page(incidentPath(one.id), (of) => incidentPage(of, one))),
    ...feed.notices.map((one) => page(incidentPath(one.name), (of) => noticePage(of, one))),
    page("/status/", systemsPage),
    ...feed.systems.map((system) => page(systemPath(system.system), (of) => systemPage(of, system))),
    ...feed.systems
      .flatMap(({ projects }) => projects)
      .flatMap((project) => [
        page(projectPath(project), (of) => projectPage(of, project)),
        ...project.targets.flatMap((target) => [
          page(targetPath(target), (of) => targetPage(of, target)),
          ...(target.size > maxSections ? target.nodes : []).map((node) =>
            page(nodePath(node), (of) => nodePage(of, target, node)),
          ),
        ]),
      ]),
  ];
}
