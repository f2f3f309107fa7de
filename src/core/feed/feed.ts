import { parseDuration } from "../base/text/time.ts";
import type { Node } from "../config/nodes.ts";
import type { Config } from "../config/config-schema.ts";
import type { FeedNames } from "../contract/contract.ts";
import type { Advance } from "../state/advance.ts";
import type { Round } from "../state/round.ts";
import type { State } from "../state/state-schema.ts";
import { incidentsByNode, incidentsOf, maintenanceOf, noticesOf, type NoticeText } from "./incidents.ts";
import { type FeedNode, type Reachability, resolveNode, type TargetInfo } from "./feed-node.ts";
import { referenceAt } from "./target-reference.ts";
import { runOf } from "./feed-run.ts";
import { verdictOf } from "./verdict.ts";

/** A feed after a run, with everything known about its mirrors. Times are ISO 8601 in UTC. */
export type Feed = Readonly<ReturnType<typeof resolveFeed>>;

/** `overviewPath` is the path of the status page, unless that is the top of the site. */
export type Site = Config["site"] & { readonly overviewPath?: string };
export type System = Feed["systems"][number];
export type Project = System["projects"][number];

export interface Target extends TargetInfo {
  readonly nodes: readonly FeedNode[];
}

/** What features know beyond the state. */
export interface Additions {
  readonly notices?: readonly NoticeText[] | undefined;
  /** `at` is the time of the feed in epoch milliseconds. */
  readonly reachability?: ((host: string, isOnline: boolean, at: number) => Reachability) | undefined;
}

/**
 * Returns the feed after a round. Only `run`, and each node's `today`, `last24h` and `observed`, change with every run.
 * The rest changes once a day, and when a mirror does. Throws if `nodes` lacks a configured node.
 */
export function resolveFeed(
  config: Config,
  nodes: readonly Node[],
  round: Round,
  { state, online }: Pick<Advance, "state" | "online">,
  { notices = [], reachability }: Additions = {},
) {
  const { maintenance } = config;
  const site: Site = config.site;
  // The results of an older run must not move the feed's time back.
  const at = Math.max(round.at, state?.runs.at(-1)?.[1] ?? 0);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const evidence = { state, online, maintenance, notices, reachability, at };
  const systems = config.systems.map(({ system, projects }) => ({
    system,
    projects: projects.map(({ project, targets }) => ({
      system,
      project,
      targets: targets.map(({ target, primary, network }): Target => {
        const place = `${system}/${project}/${target}`;
        const reference = referenceAt(state, place);
        const warnings = state?.references[place]?.warnings ?? [];
        const info = { system, project, target, place, primary, size: network.length, reference, warnings };
        const own = network.map(({ id }) => {
          const node = byId.get(id);
          if (node === undefined) throw new Error(`Node ${id} is missing from the nodes of the feed.`);
          return resolveNode(node, info, evidence);
        });
        return { ...info, nodes: own };
      }),
    })),
  }));
  const allNodes = nodesOf(targetsOf(systems));
  const verdict = verdictOf(targetsOf(systems));
  const run = runOf(parseDuration(site.interval), verdict, allNodes, round, { state, online }, at);
  const incidents = incidentsOf(state, allNodes);
  return {
    site,
    /** The URL of the published site, without a trailing slash. */
    url: site.url?.replace(/\/$/, ""),
    run,
    /** Whether the prober was online in the last run. If not, the current statuses are unknown. */
    isKnown: online.length > 0,
    verdict,
    /** False until a run finds the prober online. Until then, a status of 0 doesn't mean that a mirror is unreachable. */
    everReached: state !== undefined,
    /** The number of days from the first run to today, at most 90. */
    daysKnown: allNodes.reduce((most, { days_known }) => Math.max(most, days_known), 0),
    /** The vantages that observed mirrors in the last 90 days. */
    vantages: Object.keys(state?.vantages ?? {}),
    systems,
    incidents,
    incidentsByNode: incidentsByNode(incidents),
    notices: noticesOf(notices, allNodes, state?.former),
    maintenance: maintenanceOf(maintenance, allNodes),
  };
}

/** Returns the feed from a state alone, without observations. Before the first run, the run's id is empty. */
export function resolveState(config: Config, nodes: readonly Node[], state: State, additions?: Additions) {
  const [run, at] = state.runs.at(-1) ?? ["", 0];
  return resolveFeed(config, nodes, { run, at, vantages: [] }, { state, online: [] }, additions);
}

export function targetsOf<Target>(systems: FeedNames<Target>): Target[] {
  return systems.flatMap(({ projects }) => projects.flatMap(({ targets }) => targets));
}

export function nodesOf<Node>(targets: readonly { readonly nodes: readonly Node[] }[]): Node[] {
  return targets.flatMap(({ nodes }) => nodes);
}
