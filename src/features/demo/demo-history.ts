import type { Node } from "../../core/config/nodes.ts";
import type { Config } from "../../core/config/config-schema.ts";
import type { Observation, Results } from "../../core/probe/observation.ts";
import { advance } from "../../core/state/advance.ts";
import { mergeResults, type VantageRound } from "../../core/state/round.ts";
import type { State } from "../../core/state/state-schema.ts";
import { evidence } from "../../core/kinds/kinds.ts";

const hour = 3_600_000;
const day = 24 * hour;

export const inventedMinutes = 360;
const inventedDays = 90;

/** Printed after the demo's table. */
export const story = `These mirrors really run on this machine, but their ${inventedDays}-day history is invented:
  - 40 days ago, the host with a copy of every target was down for 15 hours.
  - Some mirrors have been offline for days, one lags behind, and a broken one is in maintenance.`;

export function noticeOfHistory(now: number): string {
  const from = new Date(now - inventedDays * day).toISOString();
  return `---\ntitle: The ${inventedDays} days before this demo are invented\nfrom: ${from}\n---\n\nThe demo has no real history. Only the current states were observed.\n`;
}

/** How many hours ago the failing mirrors began to fail, in the order of mirrors.json. */
const failingHours = [20, 72, 290, 32, 480, 56, 130];

/** When the host of the copies was down, and for how long. */
const outage = { daysAgo: 40, hours: 15 };

/** When the repositories moved on, which is longer ago than mirrors have to follow. */
const movedHours = 32;

/**
 * Returns the state after 90 days of invented runs that fit the results from before and after the repositories moved on.
 * In these runs, the copies' host was down once, and the mirrors that fail in the results began to fail hours or days
 * ago.
 */
export function inventHistory(
  config: Config,
  nodes: readonly Node[],
  { before, after }: { readonly before: Results; readonly after: Results },
  now: number,
): State | undefined {
  const [earlier, later] = [observedIn(before), observedIn(after)];
  const failing = nodes.filter(({ id }) => {
    const code = later.seen.get(id)?.code;
    const isMaintained = config.maintenance.some(({ scope }) => scope === id);
    return code !== undefined && evidence(code) === 0 && !isMaintained;
  });
  const begins = new Map(
    failing.map(({ id }, index) => [id, now - (failingHours[index % failingHours.length] ?? 24) * hour]),
  );
  const interval = inventedMinutes * 60_000;
  const outageFrom = now - outage.daysAgo * day;
  let state: State | undefined;
  for (let at = now - inventedDays * day; at <= now - interval; at += interval) {
    const checked_at = new Date(at).toISOString();
    const shown = at < now - movedHours * hour ? earlier : later;
    const observed = nodes.map((node): [number, Observation] => {
      const real = shown.seen.get(node.id);
      const isDown =
        node.name.startsWith("copy ") && at >= outageFrom && at < outageFrom + outage.hours * hour;
      const code = at >= (begins.get(node.id) ?? Infinity) ? real?.code : isDown ? "refused" : undefined;
      return [node.id, observation(node.id, code, real, at)];
    });
    const round: VantageRound = {
      name: after.vantage,
      // The prober was online in every invented run.
      controls: [{ url: "https://control.example.org/", code: "ok", proof: "tls", attempts: 1, checked_at }],
      observations: new Map(observed),
      missingShards: [],
    };
    const { refs, history } = shown;
    const observations = { run: `invented-${at}`, at, vantages: [round], refs, history };
    state = advance(config, nodes, observations, state).state;
  }
  return state;
}

function observedIn(results: Results) {
  const { refs, history } = mergeResults([results]);
  return { refs, history, seen: new Map(results.observations.map((one) => [one.id, one])) };
}

function observation(id: number, code: string | undefined, real: Observation | undefined, at: number) {
  const base = { id, attempts: 1, checked_at: new Date(at).toISOString() };
  if (code !== undefined)
    return { ...base, code, http_status: code === real?.code ? real.http_status : undefined };
  const swing = 1 + 0.25 * Math.sin(at / (9 * day) + id);
  const latency_ms = Math.round((50 + (id % 5) * 20) * swing);
  const { revision, branch, refs } = real ?? {};
  return { ...base, code: "ok", latency_ms, revision, branch, refs };
}
