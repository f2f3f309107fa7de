import { basePath } from "../../config/base-path.ts";
import type { Config } from "../../config/schema.ts";
import type { Count } from "../../state/counts.ts";
import type { Report, ReportedTarget } from "../report.ts";
import type { Heartbeat, NodeHistory } from "../report-schema.ts";

/** What every page of a feed needs of it. */
export interface Feed {
  readonly title: string;
  /** The path the site is mounted at, as `basePath` gives it. */
  readonly base: string;
  /** The url the site is published at, without a slash at its end, where it is known. */
  readonly url: string | undefined;
  /** The day of the feed (ISO 8601): pages without a run's moment measure time from its beginning. */
  readonly day: string;
  /** Whether a mirror was ever reached: else every status is 0, and accuses nobody. */
  readonly everReached: boolean;
  readonly projects: readonly FeedProject[];
}

export interface FeedProject {
  readonly system: string;
  readonly project: string;
  /** The path of its page. */
  readonly path: string;
  readonly targets: readonly FeedTarget[];
}

export interface FeedTarget {
  readonly system: string;
  readonly project: string;
  readonly target: string;
  readonly path: string;
  readonly primary: number | undefined;
  readonly reference: ReportedTarget["history"]["reference"];
  readonly nodes: readonly FeedNode[];
}

export interface FeedNode {
  readonly node: NodeHistory;
  readonly target: Omit<FeedTarget, "nodes">;
  /** What changes with every run, for the overview alone: what was counted today, and what this run saw. */
  readonly today: Count;
  readonly seen: Heartbeat["nodes"][number] | undefined;
}

/** A report as the pages show it: each project, target and node with its place and its path. */
export function feedOf(config: Config, { heartbeat, systems }: Report): Feed {
  const seen = new Map(heartbeat.nodes.map((node) => [node.id, node]));
  return {
    title: config.site.title,
    base: basePath(config),
    url: config.site.url?.replace(/\/$/, ""),
    day: heartbeat.generated_at.slice(0, 10),
    everReached: heartbeat.totals.online > 0 || heartbeat.prober.state === "online",
    projects: systems.flatMap(({ system, projects }) =>
      projects.map(({ project, targets }): FeedProject => {
        const path = `/status/${system}/${project}/`;
        return {
          system,
          project,
          path,
          targets: targets.map(({ history, today }): FeedTarget => {
            const { target, primary, reference, network } = history;
            const place = { system, project, target, path: `${path}${target}/`, primary, reference };
            const nodes = network.map((node, index): FeedNode => {
              const counted = today[index];
              if (counted === undefined) throw new Error(`Node ${node.id} has no count of today.`);
              return { node, target: place, today: counted, seen: seen.get(node.id) };
            });
            return { ...place, nodes };
          }),
        };
      }),
    ),
  };
}

/** Every node of some targets. */
export function nodesOf(targets: readonly FeedTarget[]): FeedNode[] {
  return targets.flatMap(({ nodes }) => nodes);
}

/** Where a page of a feed is, as a link: an absolute path, since hosts serve it with and without its last slash. */
export function link({ base }: Feed, path: string): string {
  return base + path;
}
