import type { HttpCode } from "../../http/codes.ts";
import { kinds } from "../../kinds/kinds.ts";
import { listNodes, listTargets, type NetworkNode } from "../../config/nodes.ts";
import type { Config } from "../../config/schema.ts";
import type { Observation } from "../../probe/observation.ts";
import { type Advance, advance } from "../../state/advance.ts";
import type { Round } from "../../state/round.ts";
import { renderBadges } from "../badge.ts";
import { renderErrors, renderNetwork } from "../network.ts";
import { renderFeeds } from "../change-feed.ts";
import { renderMetrics } from "../metrics.ts";
import { renderMirrorlists } from "../mirrorlist.ts";
import { resolveFeed } from "../../model/resolve.ts";
import { isoTimestamp } from "../../model/timestamp.ts";
import { renderReport } from "../report-documents.ts";

/** The names in the examples: those of the feed's first target. */
export interface ExampleNames {
  readonly system: string;
  readonly project: string;
  readonly target: string;
}

export interface Examples {
  readonly names: ExampleNames;
  /** The rendered documents of a small feed, by their paths in the site. */
  readonly documents: ReadonlyMap<string, string>;
}

const hourMs = 3_600_000;
const firstRunAt = Date.parse("2026-03-08T00:00:00Z");
const lastRunAt = Date.parse("2026-03-10T12:00:00Z");
const offlineAt = Date.parse("2026-03-10T09:00:00Z");

/**
 * Renders examples with up to two nodes of the feed's first target. They are probed every hour for two and a half days, until
 * the second one goes offline. The dates are fixed, so that the examples change only with the configuration.
 */
export function makeExamples(config: Config): Examples {
  const { names, small } = firstTarget(config);
  const nodes = listNodes(small);
  const offlineId = nodes.length > 1 ? nodes.at(-1)?.id : undefined;
  const codeAt = (id: number, at: number): HttpCode =>
    id === offlineId && at >= offlineAt ? "timeout" : "ok";
  let round: Round = roundAt(firstRunAt, codeAt, nodes);
  let after: Advance = advance(small, nodes, round, undefined);
  for (let at = firstRunAt + hourMs; at <= lastRunAt; at += hourMs) {
    round = roundAt(at, codeAt, nodes);
    after = advance(small, nodes, round, after.state);
  }
  const feed = resolveFeed(small, nodes, round, after);
  const files = [
    ...renderNetwork(feed),
    ...renderErrors(),
    ...renderReport(feed),
    ...renderMirrorlists(feed),
    ...renderBadges(feed),
    ...renderFeeds(feed),
    ...renderMetrics(feed),
  ];
  return { names, documents: new Map(files.map(({ path, content }) => [path, content.toString()])) };
}

function firstTarget(config: Config): { names: ExampleNames; small: Config } {
  const [first] = listTargets(config);
  if (first === undefined) throw new Error("A configuration has a target.");
  const { system, target } = first;
  const { project } = first.project;
  const network = target.network.slice(0, 2);
  const primary = network.find(({ id }) => id === target.primary)?.id;
  const small: Config = {
    systems: [
      {
        system,
        projects: [
          {
            project,
            targets: [{ target: target.target, ...(primary !== undefined && { primary }), network }],
          },
        ],
      },
    ],
    probe: { ...config.probe, failureThreshold: 1 },
    site: { ...config.site, interval: "1h" },
    maintenance: [],
    notify: [],
    contacts: {},
    channels: {},
  };
  return { names: { system, project, target: target.target }, small };
}

function roundAt(
  at: number,
  codeAt: (id: number, at: number) => HttpCode,
  nodes: readonly NetworkNode[],
): Round {
  const observations = nodes.map(({ id, settings }, index): [number, Observation] => {
    const code = codeAt(id, at);
    const observation = { id, code, checked_at: isoTimestamp(at - 2000) };
    if (code !== "ok") return [id, { ...observation, attempts: 3 }];
    const latency_ms = 84 + 57 * index + ((at / hourMs) % 9);
    const { revision, branch } = kinds[settings.kind].content;
    const content = {
      ...(revision && { revision: revision.example }),
      ...(branch && { branch: branch.example }),
    };
    return [id, { ...observation, attempts: 1, latency_ms, http_status: 200, ...content }];
  });
  const vantage = {
    name: "default",
    controls: [],
    observations: new Map(observations),
    missingShards: [],
  };
  return { run: `${at / hourMs}-1`, at, vantages: [vantage] };
}
