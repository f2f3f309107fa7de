import { listNodes, type Node } from "../core/config/nodes.ts";
import type { Config } from "../core/config/config-schema.ts";
import { kinds } from "../core/kinds/kinds.ts";
import type { Observation } from "../core/probe/observation.ts";
import { advance } from "../core/state/advance.ts";
import type { State } from "../core/state/state-schema.ts";
import type { Round } from "../core/state/round.ts";
import { type Feed, resolveFeed } from "../core/feed/feed.ts";
import { hourMs } from "../core/base/text/time.ts";
import { isoTimestamp } from "../core/base/text/timestamp.ts";

const firstRunAt = Date.parse("2026-03-08T00:00:00Z");
const offlineAt = Date.parse("2026-03-10T06:00:00Z");
const lastRunAt = Date.parse("2026-03-10T12:00:00Z");
const intervalHours = 6;

/**
 * Returns a feed for the API's examples: the first target with its first two nodes, of which the second is offline at
 * the end, and its primary. Fixed dates keep the examples stable.
 */
export function exampleFeed(config: Config): Feed {
  const small = withFirstTarget(config);
  const nodes = listNodes(small);
  let state: State | undefined;
  for (let at = firstRunAt; at < lastRunAt; at += intervalHours * hourMs)
    state = advance(small, nodes, roundAt(at, nodes), state).state;
  const round = roundAt(lastRunAt, nodes);
  return resolveFeed(small, nodes, round, advance(small, nodes, round, state));
}

function withFirstTarget(config: Config): Config {
  const systems = config.systems.slice(0, 1).map(({ system, projects }) => ({
    system,
    projects: projects.slice(0, 1).map((project) => ({
      ...project,
      targets: project.targets.slice(0, 1).map((target) => ({
        ...target,
        network: target.network.filter(({ id }, index) => index < 2 || id === target.primary),
      })),
    })),
  }));
  const probe = { ...config.probe, failureThreshold: 1 };
  const site = { ...config.site, interval: `${intervalHours}h` };
  return { ...config, systems, probe, site, maintenance: [], notify: [] };
}

function roundAt(at: number, nodes: readonly Node[]): Round {
  const observations = nodes.map(({ id, settings }, index): [number, Observation] => {
    const checked_at = isoTimestamp(at - 2000);
    if (index === 1 && at >= offlineAt) return [id, { id, code: "timeout", checked_at, attempts: 3 }];
    const { revision, branch } = kinds[settings.kind];
    const content = { revision: revision?.example, branch: branch?.example };
    const latency_ms = 84 + 57 * index + ((at / hourMs) % 9);
    return [id, { id, code: "ok", checked_at, attempts: 1, latency_ms, http_status: 200, ...content }];
  });
  const vantage = { name: "default", controls: [], observations: new Map(observations), missingShards: [] };
  return { run: `${at / hourMs}-1`, at, vantages: [vantage] };
}
