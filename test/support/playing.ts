import { textOf } from "./text-of.ts";
import fc, { type Arbitrary } from "fast-check";
import { listNodes, type Node } from "../../src/core/config/nodes.ts";
import type { Config } from "../../src/core/config/config-schema.ts";
import type { Feed } from "../../src/core/feed/feed.ts";
import type { NoticeText } from "../../src/core/feed/incidents.ts";
import type { SiteFile } from "../../src/core/base/files/site-file.ts";
import type { Round, VantageRound } from "../../src/core/state/round.ts";
import { configArbitrary } from "./arbitrary.ts";
import { configFrom } from "./mirrors-json.ts";
import { observationsOf, type Seen } from "./rounds.ts";
import { codes } from "../../src/core/kinds/kinds.ts";
import { advanceState, resolveRound, resolveStored, runBefore } from "../../src/app/advance-feed.ts";
import type { RunSummary } from "../../src/app/run-summary.ts";
import type { NotifiedFeed } from "../../src/features/notify/told.ts";
import type { FeedState } from "../../src/app/state-document.ts";

export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;
export const midnight = Date.parse("2026-03-10T00:00:00Z");
export const noon = midnight + 12 * hour;

/** The state and the feed after a round. The feed is resolved only on demand. */
export interface Played {
  readonly state: FeedState | undefined;
  readonly feed: Feed;
}

export type Vantages = Readonly<Record<string, (id: number) => Seen>>;

export interface TimedRound {
  readonly at: number;
  readonly vantages?: Vantages | undefined;
  readonly missingShards?: readonly number[] | undefined;
}

let lastRun = 0;

/** Returns a round with these vantages' observations. By default, one vantage sees every node online. */
export function roundOf(
  nodes: readonly Node[],
  { at, vantages = { default: () => "ok" }, missingShards = [] }: TimedRound,
): Round {
  lastRun += 1;
  return {
    run: `r${lastRun}`,
    at,
    vantages: Object.entries(vantages).map(([name, see]): VantageRound => {
      const usual = { latency_ms: 50 + (at % 7), checked_at: new Date(at - 1000).toISOString() };
      const observations = nodes.flatMap(({ id }) => observationsOf(id, see(id), usual));
      return { name, controls: [], observations: new Map(observations), missingShards };
    }),
  };
}

/** A void round changes nothing. */
export function step(
  config: Config,
  before: Played | undefined,
  timed: TimedRound,
  notices: readonly NoticeText[] = [],
): Played {
  const nodes = listNodes(config);
  const round = roundOf(nodes, timed);
  const { state, online } = advanceState(config, nodes, round, before?.state);
  if (online.length === 0 && before !== undefined) return before;
  return {
    state,
    get feed() {
      return resolveRound(config, nodes, round, { state, online }, notices);
    },
  };
}

/** Plays several rounds, starting without a state. */
export function play(config: Config, rounds: readonly TimedRound[], notices?: readonly NoticeText[]): Played {
  let last: Played | undefined;
  for (const round of rounds) last = step(config, last, round, notices);
  if (last === undefined) throw new Error("a feed has a round");
  return last;
}

/** Returns the summary of the last of several runs, starting without a state. */
export function summaryOf(config: Config, rounds: readonly Round[]) {
  const nodes = listNodes(config);
  let state: FeedState | undefined;
  let summary: (RunSummary & { readonly feed: NotifiedFeed }) | undefined;
  for (const round of rounds) {
    const before = state && resolveStored(config, nodes, state);
    const advanced = advanceState(config, nodes, round, state);
    state = advanced.state;
    const feed = resolveRound(config, nodes, round, advanced);
    summary = { nodes, round, isVoid: !feed.isKnown, feed, before: before && runBefore(before) };
  }
  if (summary === undefined) throw new Error("There is a run.");
  return summary;
}

/** Returns a notice that names these nodes, from `from` on. */
export function noticeOf(from: number, to: number | undefined, ...ids: readonly number[]): NoticeText {
  return {
    ...{ name: "new-disks", title: "New disks", nodes: new Set(ids), gone: [], from, to, state: undefined },
    ...{ next: undefined, markdown: "", html: "", updates: [] },
  };
}

/** Plays three rounds. In the second, some nodes fail: by default, node 2 times out. */
export function outage(config: Config, seen: Readonly<Record<number, Seen>> = { 2: "timeout" }): Feed {
  const rounds = [{ at: noon }, { at: noon + hour, vantages: except(seen) }];
  return play(config, [...rounds, { at: noon + 3.5 * hour }]).feed;
}

/** Returns one vantage's observations: those in `seen`, and `ok` for all other nodes. */
export function except(seen: Readonly<Record<number, Seen>>): Vantages {
  return { default: (id) => (id in seen ? seen[id] : "ok") };
}

/** Two systems. s/p/t has nodes 1 to 3; s/p/u, s/q/t and z/p/t have two each. */
export function configOf(more: object = {}): Config {
  let id = 0;
  const target = (name: string, size: number, rest: object = {}): object => ({
    target: name,
    network: Array.from({ length: size }, () => ({ id: ++id, url: `https://m${id}.example.org/a/b` })),
    ...rest,
  });
  const ofS = [
    { project: "p", targets: [target("t", 3, { primary: 1 }), target("u", 2)] },
    { project: "q", targets: [target("t", 2)] },
  ];
  const ofZ = [{ project: "p", targets: [target("t", 2)] }];
  const systems = [
    { system: "s", projects: ofS },
    { system: "z", projects: ofZ },
  ];
  return configFrom({ systems, ...more });
}

export function textsOf(files: readonly SiteFile[]): Map<string, string> {
  return new Map(files.map((file) => [file.path, textOf(file)]));
}

/** Half of the observations are ok; otherwise most rounds would be void. */
const seen = fc.oneof(fc.constant("ok" as const), fc.constantFrom(...codes, undefined));
const see = fc.array(seen, { minLength: 1, maxLength: 5 }).map((saw) => (id: number) => saw[id % saw.length]);
const vantages = fc.dictionary(fc.constantFrom("eu", "na", "default"), see, { minKeys: 1 });
const gap = fc.integer({ min: 1, max: 1440 });
const title = fc.constantFrom("Mirror status", '<i>&lt;"A"&amp;</i> ]]> & \u2665');
const siteUrl = fc.constantFrom(undefined, "https://example.org", "https://example.org/feed/");

export const roundsArbitrary: Arbitrary<{ config: Config; rounds: TimedRound[] }> = fc
  .tuple(
    configArbitrary,
    title,
    siteUrl,
    fc.array(fc.record({ gap, vantages }), { minLength: 1, maxLength: 12 }),
  )
  .map(([drawn, title, url, gaps]) => {
    let at = noon;
    return {
      config: { ...drawn, site: { ...drawn.site, title, ...(url === undefined ? {} : { url }) } },
      rounds: gaps.map(({ gap, vantages }) => ({ at: (at += gap * minute), vantages })),
    };
  });
