import { parseDuration } from "../base/text/duration.ts";
import type { Node } from "../config/nodes.ts";
import type { Config } from "../config/schema.ts";
import type { Advance } from "../state/advance.ts";
import type { Round } from "../state/round.ts";
import { nodeEvidence } from "./evidence.ts";
import {
  type Feed,
  type FeedNode,
  nodesOf,
  type Target,
  type TargetInfo,
  type TargetReference,
  targetsOf,
} from "./feed.ts";
import { incidentsByNode, incidentsOf } from "./incidents.ts";
import { maintenanceOf } from "./maintenance.ts";
import { noticesOf, type NoticeText } from "./notices.ts";
import { observedBy, runOf } from "./run.ts";
import { isoTimestamp, timestampIfAny } from "./timestamp.ts";
import { verdictsOf } from "./verdicts.ts";

/**
 * Returns the feed after a round, from the configuration, the state, the round and the operator's notices. Only `run`, and `today`, `last24h` and
 * `observed` of each node, change with every run. The rest changes with a status, a revision, a certificate, a maintenance or the day.
 * Throws if `nodes` lacks a node of the configuration.
 */
export function resolveFeed(
  config: Config,
  nodes: readonly Node[],
  round: Round,
  { state, online }: Advance,
  notices: readonly NoticeText[] = [],
): Feed {
  const { site, maintenance } = config;
  // The results of an older run must not set back the time of the feed.
  const at = Math.max(round.at, state?.runs.at(-1)?.[1] ?? 0);
  const verdicts = verdictsOf(nodes, state);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const resolveNode = (target: TargetInfo, id: number): FeedNode => {
    const node = byId.get(id);
    const verdict = verdicts.get(id);
    if (node === undefined || verdict === undefined)
      throw new Error(`Node ${id} is missing from the nodes of the feed.`);
    const { name, url, host, country, weight, settings } = node;
    const observed = observedBy(online, id, at);
    const evidence = nodeEvidence(node, verdict, state, {
      at,
      maintenance,
      intervalMs: parseDuration(site.interval),
    });
    const { kind, options } = settings;
    const primary = id === target.primary;
    return { target, id, name, url, host, kind, options, country, weight, primary, ...evidence, observed };
  };
  const run = runOf(config, verdicts, round, { state, online }, at);
  const isKnown = online.length > 0;
  const systems = config.systems.map(({ system, projects }) => ({
    system,
    projects: projects.map(({ project, targets }) => ({
      system,
      project,
      targets: targets.map(({ target, primary, network }): Target => {
        const place = `${system}/${project}/${target}`;
        const size = network.length;
        const info = {
          system,
          project,
          target,
          place,
          primary,
          size,
          reference: referenceAt(state, place),
        };
        return { nodes: network.map(({ id }) => resolveNode(info, id)), ...info };
      }),
    })),
  }));
  const allNodes = nodesOf(targetsOf(systems));
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
  };
}

function referenceAt(state: Advance["state"], place: string): TargetReference | undefined {
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
