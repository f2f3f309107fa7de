import type { SiteFile } from "../site-file.ts";
import { rankNetwork } from "./ranking.ts";
import type { Report } from "./report.ts";

/**
 * The lists of mirrors, one a target: the urls of all its nodes, one a line and nothing else, the best first. Where the
 * prober was offline nothing is known of them, and they stand in the order of the network.
 */
export function renderMirrorlists({ heartbeat, systems }: Report): SiteFile[] {
  const isKnown = heartbeat.prober.state === "online";
  return systems.flatMap(({ system, projects }) =>
    projects.flatMap(({ project, targets }) =>
      targets.map(({ history }) => {
        const network = isKnown ? rankNetwork(history) : history.network;
        return {
          path: `mirrorlist/${system}/${project}/${history.target}.txt`,
          content: network.map(({ url }) => `${url}\n`).join(""),
        };
      }),
    ),
  );
}
