import { parseDuration } from "../base/text/duration.ts";
import type { Node } from "../config/nodes.ts";
import { notifyRules } from "../config/notify-rules.ts";
import type { Config } from "../config/config-schema.ts";
import type { Advance } from "../state/advance.ts";
import type { Round } from "../state/round.ts";
import type { Notifications } from "../state/notifications.ts";
import type { State } from "../state/state-schema.ts";
import { incidentsByNode, incidentsOf, maintenanceOf, noticesOf, type NoticeText } from "./incidents.ts";
import { type FeedNode, referenceAt, resolveNode, type TargetInfo } from "./feed-node.ts";
import { messageCounts, runOf } from "./feed-run.ts";
import { verdictOf } from "./verdict.ts";

// Re-exported for outputs and notifications, which import neither the configuration nor the state.
export { accentOf } from "../config/site-settings.ts";
export { isContentCode } from "../state/content-rule.ts";
export { type Count, dayMs } from "../state/counts.ts";
export { evidence } from "../state/decide-status.ts";
export type { ChannelConfig } from "../config/notify-rules.ts";
export { contactName, type EventName, eventNames, type NotifyRule } from "../config/notify-rules.ts";
export {
  eventNodesKept,
  eventsKept,
  messagesKept,
  type Notifications,
  type NotifiedEvent,
  type WaitingMessage,
} from "../state/notifications.ts";
export { attentionStates, type MirrorState, mirrorStates } from "../verdict/mirror-state.ts";
export { formatStates, type Verdict, verdictOf } from "./verdict.ts";
export type { NoticeFile } from "../config/notice.ts";
export type { Incident, Maintenance, Notice, NoticeText } from "./incidents.ts";
export type { FeedNode, Observed, RewrittenTag, TargetInfo, Transition } from "./feed-node.ts";

/** A feed after a run, with everything known about its mirrors. Times are ISO 8601 in UTC. */
export type Feed = Readonly<ReturnType<typeof resolveFeed>>;
export type Site = Feed["site"];
export type System = Feed["systems"][number];
export type Project = System["projects"][number];

export interface Target extends TargetInfo {
  readonly nodes: readonly FeedNode[];
}

/**
 * Returns the feed after a round. Only `run`, and each node's `today`, `last24h` and `observed`, change with every run.
 * The rest changes once a day, and also when a mirror's state, rank, revision, certificate or rounded uptime changes, or
 * a disagreement between vantages does. Throws if `nodes` lacks a configured node.
 */
export function resolveFeed(
  config: Config,
  nodes: readonly Node[],
  round: Round,
  { state, online }: Pick<Advance, "state" | "online">,
  notices: readonly NoticeText[] = [],
) {
  const { site, maintenance } = config;
  // The results of an older run must not move the feed's time back.
  const at = Math.max(round.at, state?.runs.at(-1)?.[1] ?? 0);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const evidence = { state, online, maintenance, notices, at };
  const systems = config.systems.map(({ system, projects }) => ({
    system,
    projects: projects.map(({ project, targets }) => ({
      system,
      project,
      targets: targets.map(({ target, primary, network }): Target => {
        const place = `${system}/${project}/${target}`;
        const reference = referenceAt(state, place);
        const info = { system, project, target, place, primary, size: network.length, reference };
        const own = network.map(({ id }) => {
          const node = byId.get(id);
          if (node === undefined) throw new Error(`Node ${id} is missing from the nodes of the feed.`);
          return resolveNode(node, info, evidence);
        });
        return { ...info, nodes: own };
      }),
    })),
  }));
  const rules = notifyRules(config);
  const allNodes = nodesOf(targetsOf(systems));
  const verdict = verdictOf(targetsOf(systems));
  const run = runOf(
    parseDuration(site.interval),
    verdict,
    allNodes,
    round,
    { state, online },
    at,
    rules.length > 0,
  );
  const isKnown = online.length > 0;
  const incidents = incidentsOf(state, allNodes);
  return {
    site,
    /** The URL of the published site, without a trailing slash. */
    url: site.url?.replace(/\/$/, ""),
    run,
    /** Whether the prober was online in the last run. If not, the current statuses are unknown. */
    isKnown,
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
    /** Like `channels` and `notifications`, `rules` is never published. */
    rules,
    channels: config.channels,
    notifications: state?.notifications,
    allowPrivate: config.probe.allowPrivate,
  };
}

/** Returns the feed from a state alone, without observations. Before the first run, the run's id is empty. */
export function resolveState(config: Config, nodes: readonly Node[], state: State): Feed {
  const [run, at] = state.runs.at(-1) ?? ["", 0];
  return resolveFeed(config, nodes, { run, at, vantages: [] }, { state, online: [] });
}

export function withNotifications(feed: Feed, notifications: Notifications | undefined): Feed {
  const counts = feed.run.notifications && messageCounts(notifications);
  return { ...feed, run: { ...feed.run, notifications: counts }, notifications };
}

type Systems<Target> = readonly {
  readonly projects: readonly { readonly targets: readonly Target[] }[];
}[];

export function targetsOf<Target>(systems: Systems<Target>): Target[] {
  return systems.flatMap(({ projects }) => projects.flatMap(({ targets }) => targets));
}

export function nodesOf<Node>(targets: readonly { readonly nodes: readonly Node[] }[]): Node[] {
  return targets.flatMap(({ nodes }) => nodes);
}
