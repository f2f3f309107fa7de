import { isoTimestamp, timestampIfAny } from "../base/text/timestamp.ts";
import { parseDuration } from "../base/text/duration.ts";
import type { Node } from "../config/nodes.ts";
import { notifyRules } from "../config/notify.ts";
import type { Config } from "../config/schema.ts";
import type { Advance } from "../state/advance.ts";
import type { State } from "../state/schema.ts";
import type { Round } from "../state/round.ts";
import {
  type Feed,
  nodesOf,
  type Notifications,
  type Target,
  type TargetReference,
  targetsOf,
} from "./feed.ts";
import { incidentsByNode, incidentsOf, maintenanceOf, noticesOf, type NoticeText } from "./incidents.ts";
import { resolveNode } from "./node.ts";
import { messageCounts, runOf } from "./run.ts";

/**
 * Returns the feed after a round, from the configuration, the state, the round and the operator's notices. Only `run`, and
 * `today`, `last24h` and `observed` of each node, change with every run. The rest changes with a status, a revision, a
 * certificate, a maintenance or the day. Throws if `nodes` lacks a node of the configuration.
 */
export function resolveFeed(
  config: Config,
  nodes: readonly Node[],
  round: Round,
  { state, online }: Pick<Advance, "state" | "online">,
  notices: readonly NoticeText[] = [],
): Feed {
  const { site, maintenance } = config;
  // The results of an older run must not set back the time of the feed.
  const at = Math.max(round.at, state?.runs.at(-1)?.[1] ?? 0);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const evidence = { state, online, maintenance, intervalMs: parseDuration(site.interval), at };
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
  const run = runOf(evidence.intervalMs, allNodes, round, { state, online }, at, rules.length > 0);
  const isKnown = online.length > 0;
  const incidents = incidentsOf(state, allNodes);
  return {
    site,
    url: site.url?.replace(/\/$/, ""),
    run,
    isKnown,
    everReached: isKnown || run.totals.online > 0,
    vantages: Object.keys(state?.vantages ?? {}),
    systems,
    incidents,
    incidentsByNode: incidentsByNode(incidents),
    notices: noticesOf(notices, allNodes),
    maintenance: maintenanceOf(maintenance, allNodes),
    rules,
    channels: config.channels,
    notifications: state?.notifications,
    allowPrivate: config.probe.allowPrivate,
  };
}

/** Returns the feed that a state alone tells of, without what its last run observed. Its run has no id if there was none. */
export function resolveState(config: Config, nodes: readonly Node[], state: State): Feed {
  const [run, at] = state.runs.at(-1) ?? ["", 0];
  return resolveFeed(config, nodes, { run, at, vantages: [] }, { state, online: [] });
}

/** Returns a feed with these notifications instead of the stored ones. */
export function withNotifications(feed: Feed, notifications: Notifications | undefined): Feed {
  const counts = feed.run.notifications && messageCounts(notifications);
  return { ...feed, run: { ...feed.run, notifications: counts }, notifications };
}

function referenceAt(state: State | undefined, place: string): TargetReference | undefined {
  const { branch, revisions, contents = {}, refs, rewritten = [] } = state?.references[place] ?? {};
  const newest = revisions?.at(-1);
  if (revisions === undefined || newest === undefined) return undefined;
  const [revision, since] = newest;
  const former = revisions.slice(0, -1).flatMap(([older], index) => {
    const { at, index: own } = contents[older] ?? {};
    const until = isoTimestamp(revisions[index + 1]?.[1] ?? since);
    return own === undefined ? [] : [{ until, content_at: timestampIfAny(at), index: own }];
  });
  return {
    revision,
    branch: branch || undefined,
    since: isoTimestamp(since),
    content_at: timestampIfAny(contents[revision]?.at),
    refs: refs && Object.keys(refs).length,
    rewritten: rewritten
      .map(([at, tag, from, to]) => ({ at: isoTimestamp(at), tag, from, to: to || undefined }))
      .reverse(),
    index: contents[revision]?.index,
    former: former.reverse(),
  };
}
