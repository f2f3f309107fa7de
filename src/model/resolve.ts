import type { NetworkNode } from "../config/nodes.ts";
import type { Config } from "../config/schema.ts";
import type { Advance } from "../state/advance.ts";
import type { Round } from "../state/round.ts";
import { nodeEvidence } from "./evidence.ts";
import type { Feed, Node, Target, TargetHead } from "./feed.ts";
import { observedBy, runOf } from "./run.ts";
import { isoTimestamp } from "./timestamp.ts";
import { verdictsOf } from "./verdicts.ts";

/**
 * Returns the feed after a round: what the configuration, the state and the round together say of each node. Only its
 * run, and of each node `today` and `observed`, change with every run. The rest changes with a status, a revision, a
 * certificate or a maintenance, and with the day. Throws if a node of the configuration is not among the nodes.
 */
export function resolveFeed(
  config: Config,
  nodes: readonly NetworkNode[],
  round: Round,
  { state, online }: Advance,
): Feed {
  const { site, maintenance } = config;
  // A round that comes late does not take the feed back.
  const at = Math.max(round.at, state?.runs.at(-1)?.[1] ?? 0);
  const verdicts = verdictsOf(nodes, state);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const resolveNode = (of: TargetHead, id: number): Node => {
    const node = byId.get(id);
    const verdict = verdicts.get(id);
    if (node === undefined || verdict === undefined)
      throw new Error(`Node ${id} is not among the nodes of the feed.`);
    const { name, url, host, settings } = node;
    const observed = observedBy(online, id, at);
    const evidence = nodeEvidence(node, verdict, state, {
      at,
      maintenance,
      intervalMinutes: site.intervalMinutes,
    });
    const { kind } = settings;
    return { of, id, name, url, host, kind, primary: id === of.primary, ...evidence, observed };
  };
  const run = runOf(site, verdicts, round, { state, online }, at);
  const isKnown = online.length > 0;
  return {
    site,
    url: site.url?.replace(/\/$/, ""),
    run,
    isKnown,
    everReached: isKnown || run.totals.online > 0,
    systems: config.systems.map(({ system, projects }) => ({
      system,
      projects: projects.map(({ project, targets }) => ({
        system,
        project,
        targets: targets.map(({ target, primary, network }): Target => {
          const place = `${system}/${project}/${target}`;
          const head = { system, project, target, place, primary, reference: referenceAt(state, place) };
          return { ...head, nodes: network.map(({ id }) => resolveNode(head, id)) };
        }),
      })),
    })),
  };
}

function referenceAt(state: Advance["state"], place: string): TargetHead["reference"] {
  const { branch, revisions } = state?.references[place] ?? {};
  const newest = revisions?.at(-1);
  if (newest === undefined) return undefined;
  const [revision, since] = newest;
  return { revision, branch: branch || undefined, since: isoTimestamp(since) };
}
