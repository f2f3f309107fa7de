import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { listNodes } from "../../../src/config/nodes.ts";
import type { Config } from "../../../src/config/schema.ts";
import { renderNetwork } from "../../../src/contract/network.ts";
import { renderReport } from "../../../src/outputs/report/report.ts";
import { targetsOf } from "../../../src/feed/feed.ts";
import { resolveFeed } from "../../../src/feed/resolve.ts";
import {
  heartbeatSchema,
  projectReportSchema,
  systemReportSchema,
  type TargetHistory,
  targetHistorySchema,
} from "../../../src/outputs/report/report-schema.ts";
import { advance } from "../../../src/state/advance.ts";
import { nothing } from "../../../src/state/counts.ts";
import type { State } from "../../../src/state/schema.ts";
import type { Round } from "../../../src/state/round.ts";
import { configArbitrary } from "../../support/arbitrary.ts";
import { codes, sentenceOf } from "../../../src/kinds/kinds.ts";
import {
  configOf,
  day,
  hour,
  midnight,
  minute,
  noon,
  roundOf,
  textsOf,
  type TimedRound,
  type Vantages,
} from "../../support/playing.ts";
import type { Seen } from "../../support/rounds.ts";
import { trials } from "../../support/trials.ts";

const heartbeatPath = "v1/report/index.json";

type Documents = ReadonlyMap<string, string>;

/** A feed after a round: the id of the run, its state, and the documents of the report and the contract. */
interface Feed {
  readonly run: string;
  readonly state: State | undefined;
  readonly documents: Documents;
}

/** Returns a feed after a round with these observations of each vantage. By default every node is reachable. */
function step(
  config: Config,
  feed: Feed | undefined,
  at: number,
  vantages?: Vantages,
  missingShards?: readonly number[],
): Feed {
  const nodes = listNodes(config);
  const round = roundOf(nodes, { at, vantages, missingShards });
  const after = advance(config, nodes, round, feed?.state);
  const resolved = resolveFeed(config, nodes, round, after);
  const documents = textsOf([...renderReport(resolved), ...renderNetwork(resolved)]);
  return { run: round.run, state: after.state, documents };
}

/** Returns a feed after some rounds, the first one without a state. */
function play(config: Config, [first, ...others]: readonly TimedRound[]): Feed {
  if (first === undefined) throw new Error("a feed has a round");
  return others.reduce(
    (feed, { at, vantages }) => step(config, feed, at, vantages),
    step(config, undefined, first.at, first.vantages),
  );
}

/** Returns the paths whose documents differ. */
function changed(before: Feed, after: Feed): string[] {
  expect([...after.documents.keys()]).toEqual([...before.documents.keys()]);
  return [...after.documents].flatMap(([path, text]) => (before.documents.get(path) === text ? [] : [path]));
}

/** Returns a document. Fails if it is missing or is not the compact JSON of its fields in their order. */
function read<Value>({ documents }: Feed, schema: z.ZodType<Value>, ...names: string[]): Value {
  const text = documents.get(["v1/report", ...names, "index.json"].join("/")) ?? "";
  const value = schema.parse(JSON.parse(text));
  expect(text).toBe(`${JSON.stringify(value)}\n`);
  return value;
}

const keysOfProject = Object.keys(projectReportSchema.shape.targets.element.shape.network.element.shape);

/** Returns a target as in the document of its project. */
function inShort({ network, ...target }: TargetHistory): object {
  const nodes = network.map((node) => ({
    ...Object.fromEntries(Object.entries(node).filter(([key]) => keysOfProject.includes(key))),
    uptime: { "90d": node.uptime["90d"] },
  }));
  return { ...target, network: nodes };
}

/** Returns a target as in the document of its system. */
function inNumbers({ target, network }: TargetHistory): object {
  return { target, nodes: network.length, online: network.filter(({ status }) => status === 1).length };
}

/** Returns the id, name, URL and status of each node, as written in the text of a document. */
function statusesIn(text: string | undefined): string[] {
  return [...(text ?? "").matchAll(/"id":\d+,"name":"(?:[^"\\]|\\.)*","url":"[^"]*","status":[01]/g)].map(
    ([node]) => node,
  );
}

const one = "1".repeat(40);
const two = "2".repeat(40);

const config = configOf();
const ofTargetT = ["v1/report/s/p/index.json", "v1/report/s/p/t/index.json"];

describe("for any configuration and any rounds", () => {
  const seen = fc.option(fc.constantFrom(...codes), { nil: undefined });
  const see = fc
    .array(seen, { minLength: 1, maxLength: 5 })
    .map((saw) => (id: number) => saw[id % saw.length]);
  const vantages = fc.dictionary(fc.constantFrom("eu", "usa", "default"), see, { minKeys: 1 });
  const round = fc.record({ gap: fc.integer({ min: 1, max: 3 * 1440 }), vantages });
  const played = fc
    .tuple(configArbitrary, fc.array(round, { minLength: 1, maxLength: 4 }))
    .map(([drawn, rounds]) => {
      let at = noon;
      const timed = rounds.map(({ gap, vantages }) => ({ at: (at += gap * minute), vantages }));
      return { drawn, feed: play(drawn, timed) };
    });

  test("the documents match their schemas, and each level agrees with those below it", () => {
    fc.assert(
      fc.property(played, ({ drawn, feed }) => {
        expect(read(feed, heartbeatSchema).nodes.map(({ id }) => id)).toEqual(
          listNodes(drawn).map(({ id }) => id),
        );
        for (const { system, projects } of drawn.systems) {
          const outlines = projects.map(({ project, targets }) => {
            const report = read(feed, projectReportSchema, system, project);
            const histories = targets.map(({ target }) => {
              return read(feed, targetHistorySchema, system, project, target);
            });
            expect(report).toEqual({ project, targets: histories.map(inShort) });
            return { project, targets: histories.map(inNumbers) };
          });
          expect(read(feed, systemReportSchema, system)).toEqual({ system, projects: outlines });
        }
      }),
      { numRuns: trials(40) },
    );
  });

  test("they have the paths, nodes and statuses of the contract, and no property error", () => {
    fc.assert(
      fc.property(played, ({ feed: { documents } }) => {
        const paths = [...documents.keys()];
        const beside = paths
          .filter((path) => path.startsWith("v1/network/") && !/\/[01]\/index\.json$/.test(path))
          .map((path) => path.replace("network", "report"));
        const report = paths.filter((path) => path.startsWith("v1/report/"));
        expect(report.filter((path) => !/\/[01]\/index\.json$/.test(path)).toSorted()).toEqual(
          beside.toSorted(),
        );
        for (const path of report) {
          expect(documents.get(path)).not.toContain('"error":');
          // The heartbeat and the document of a system have no names.
          if (path.split("/").length < 5) continue;
          expect(statusesIn(documents.get(path))).toEqual(
            statusesIn(documents.get(path.replace("report", "network"))),
          );
        }
      }),
      { numRuns: trials(40) },
    );
  });

  test("a round like the one before, on the same day, changes only the heartbeat", () => {
    fc.assert(
      fc.property(configArbitrary, see, (drawn, see) => {
        const vantages = { default: (id: number) => (id % 2 === 0 ? "ok" : see(id)) };
        const rounds = [0, 1, 2, 3, 4].map((hours) => ({ at: midnight + hours * hour, vantages }));
        const feed = play(drawn, rounds);
        const after = step(drawn, feed, midnight + 5 * hour, vantages);
        // A damped verdict may still change, and a void round is not published.
        const isSettled = Object.values(feed.state?.nodes ?? {}).every(({ streak }) => streak === undefined);
        fc.pre(isSettled && feed.state !== after.state);
        expect(changed(feed, after)).toEqual([heartbeatPath]);
      }),
      { numRuns: trials(20) },
    );
  });
});

describe("what changes", () => {
  const content = (id: number): Seen => ({ revision: one, branch: "main", http_status: 200, latency_ms: id });
  const see = { default: content };
  const except = (ids: readonly number[], seen: Seen) => ({
    default: (id: number): Seen => (ids.includes(id) ? seen : content(id)),
  });
  const yesterday = step(config, undefined, noon - day, see);
  const before = step(config, yesterday, noon, see);
  const next = noon + 30 * minute;

  test("in a quiet run is exactly one file", () => {
    expect(changed(before, step(config, before, next, see))).toEqual([heartbeatPath]);
    const slower = except([1, 2], { revision: one, branch: "main", latency_ms: 9000, attempts: 3 });
    expect(changed(before, step(config, before, next, slower))).toEqual([heartbeatPath]);
  });

  test("if a failure is damped, rate limited or not observed is exactly one file", () => {
    const damped = configOf({ probe: { failureThreshold: 2 } });
    expect(changed(before, step(damped, before, next, except([2], "timeout")))).toEqual([heartbeatPath]);
    expect(changed(before, step(config, before, next, except([2], "rate_limited")))).toEqual([heartbeatPath]);
    expect(changed(before, step(config, before, next, except([2], undefined)))).toEqual([heartbeatPath]);
  });

  test("with a transition is the documents of its target, project and system, and the contract's", () => {
    const down = step(config, before, next, except([2], "timeout"));
    expect(changed(before, down)).toEqual([
      heartbeatPath,
      "v1/report/s/index.json",
      ...ofTargetT,
      ...["s", "s/p", "s/p/t", "s/p/t/0", "s/p/t/1"].map((path) => `v1/network/${path}/index.json`),
    ]);
    // Offline for another reason changes nothing either.
    const still = step(config, down, next + hour, except([2], { code: "http_status", http_status: 500 }));
    expect(changed(down, still)).toEqual([heartbeatPath]);
  });

  test("with a new revision is the documents of its target, project and system", () => {
    const moved = step(config, before, next, except([1], { revision: two, branch: "main" }));
    expect(changed(before, moved)).toEqual([heartbeatPath, ...ofTargetT]);
  });

  test("with a new certificate is the documents of its target, project and system", () => {
    const tls_expires_at = "2026-09-01T00:00:00Z";
    const renewed = step(
      config,
      before,
      next,
      except([1], { revision: one, branch: "main", tls_expires_at }),
    );
    expect(changed(before, renewed)).toEqual([heartbeatPath, ...ofTargetT]);
  });

  test("when a maintenance starts and ends is the documents of its target, project and system", () => {
    const from = new Date(next - minute).toISOString();
    const to = new Date(next + minute).toISOString();
    const planned = configOf({ maintenance: [{ scope: 2, from, to, reason: "new disks" }] });
    const open = step(planned, before, next, except([2], "refused"));
    expect(changed(before, open)).toEqual([heartbeatPath, ...ofTargetT]);
    expect(read(open, targetHistorySchema, "s", "p", "t").network[1]).toMatchObject({
      status: 1,
      maintenance: "new disks",
    });
    const closed = step(planned, open, next + hour, see);
    expect(changed(open, closed)).toEqual([heartbeatPath, ...ofTargetT]);
    expect(changed(before, closed)).toEqual([heartbeatPath]);
  });

  test("on a new day is the report of every target, and no document of the contract", () => {
    const late = step(config, before, midnight + day - 1, see);
    expect(changed(before, late)).toEqual([heartbeatPath]);
    const tomorrow = step(config, late, midnight + day, see);
    // Those of projects and systems change only if an uptime or a count does.
    const targets = [...tomorrow.documents.keys()].filter((path) => /^v1\/report\/(?:\w\/){3}/.test(path));
    expect(changed(late, tomorrow)).toEqual([heartbeatPath, ...targets]);
  });

  test("by a late round is neither the time nor the day of the feed", () => {
    const late = step(config, before, noon - hour, see);
    expect(changed(before, late)).toEqual([heartbeatPath]);
    expect(read(late, heartbeatSchema).generated_at).toBe(new Date(noon).toISOString());
  });
});

describe("the heartbeat", () => {
  test("has the observation of each node, and when the feed expires", () => {
    const feed = step(config, undefined, noon, {
      default: (id) =>
        id === 2 ? { code: "timeout", attempts: 3, latency_ms: 5000 } : id === 3 ? undefined : "ok",
    });
    const { run, generated_at, expires_at, prober, interval, totals, nodes } = read(feed, heartbeatSchema);
    expect({ run, generated_at, expires_at }).toEqual({
      run: feed.run,
      generated_at: "2026-03-10T12:00:00.000Z",
      expires_at: "2026-03-10T13:30:00.000Z",
    });
    expect(prober).toEqual({ state: "online", vantages: [{ vantage: "default", online: true }] });
    expect(interval).toEqual({ scheduled_minutes: 30 });
    expect(totals).toEqual({ nodes: 9, online: 8, offline: 1 });
    const checked_at = "2026-03-10T11:59:59.000Z";
    expect(nodes.slice(0, 3)).toEqual([
      {
        ...{ id: 1, status: 1, today: { ok: 1 }, last_24h: { ok: 1 } },
        ...{ code: "ok", checked_at, latency_ms: 50 + (noon % 7), attempts: 1 },
      },
      {
        ...{ id: 2, status: 0, today: { failed: 1 }, last_24h: { failed: 1 } },
        ...{ code: "timeout", checked_at, latency_ms: 5000, attempts: 3 },
      },
      { id: 3, status: 1, today: { unobserved: 1 }, last_24h: { unobserved: 1 } },
    ]);
  });

  test("has the runs of today and of the last 24 hours, without zeros", () => {
    const rounds = [-25, -23, -12, -1, 0].map((hours) => ({
      at: noon + hours * hour,
      vantages: { default: (id: number) => (id === 2 && hours === -1 ? "timeout" : "ok") },
    }));
    const [good, bad] = read(play(config, rounds), heartbeatSchema).nodes;
    expect(good).toMatchObject({ today: { ok: 3 }, last_24h: { ok: 4 } });
    expect(bad).toMatchObject({ today: { ok: 2, failed: 1 }, last_24h: { ok: 3, failed: 1 } });
    expect(good?.today).not.toHaveProperty("failed");
  });

  test("marks the mirrors of which only the first refs were read", () => {
    const feed = step(config, undefined, noon, {
      default: (id) => (id === 1 ? { code: "ok", partial: true } : "ok"),
    });
    const { nodes } = read(feed, heartbeatSchema);
    expect(nodes.filter(({ partial }) => partial === true).map(({ id }) => id)).toEqual([1]);
  });

  test("has the measured interval, and expires by it", () => {
    const timestamps = [0, 30, 60, 120, 240].map((minutes) => noon + minutes * minute);
    const feed = play(
      config,
      timestamps.map((at) => ({ at })),
    );
    const { interval, expires_at } = read(feed, heartbeatSchema);
    expect(interval).toEqual({ scheduled_minutes: 30, median_seconds: 1800, p90_seconds: 7200 });
    expect(expires_at).toBe("2026-03-10T20:00:00.000Z");
  });

  test("has the vantages with their missing shards, and their votes if they disagree", () => {
    const feed = step(
      config,
      undefined,
      noon,
      {
        asia: () => "dns",
        eu: (id) => (id === 3 ? undefined : id === 2 ? "timeout" : "ok"),
        usa: (id) => (id === 3 ? "refused" : "ok"),
      },
      [2],
    );
    const { prober, nodes } = read(feed, heartbeatSchema);
    expect(prober.vantages).toEqual([
      { vantage: "asia", online: false, missing_shards: [2] },
      { vantage: "eu", online: true, missing_shards: [2] },
      { vantage: "usa", online: true, missing_shards: [2] },
    ]);
    const votes = [
      { vantage: "eu", code: "timeout" },
      { vantage: "usa", code: "ok" },
    ];
    expect(nodes.slice(0, 3)).toMatchObject([
      { code: "ok" },
      { code: "timeout", votes },
      { code: "refused" },
    ]);
    expect(nodes.filter((node) => node.votes !== undefined)).toHaveLength(1);
  });

  test("says that the prober was offline if no vantage was ever online, and every status is 0", () => {
    const feed = step(config, undefined, noon, { default: () => "dns" });
    const { prober, totals } = read(feed, heartbeatSchema);
    expect(prober).toEqual({ state: "offline", vantages: [{ vantage: "default", online: false }] });
    expect(totals).toEqual({ nodes: 9, online: 0, offline: 9 });
    const [node] = read(feed, targetHistorySchema, "s", "p", "t").network;
    expect(node).toMatchObject({ status: 0, freshness: "unknown", transitions: [] });
    expect(node).not.toHaveProperty("since");
  });
});

test("a report has the time of the round if its state has no run", () => {
  const nodes = listNodes(config);
  const { state } = step(config, undefined, noon);
  if (state === undefined) throw new Error("there is a state");
  const round: Round = { run: "void", at: noon + hour, vantages: [] };
  const { run } = resolveFeed(config, nodes, round, { state: { ...state, runs: [] }, online: [] });
  expect(run.generated_at).toBe("2026-03-10T13:00:00.000Z");
});

describe("the evidence of a node", () => {
  test("that one vantage has not observed yet is that of the others", () => {
    const smaller = { ...config, systems: config.systems.slice(0, 1) };
    const both = { eu: (): Seen => "ok", usa: (): Seen => "ok" };
    const before = step(smaller, undefined, noon - day, both);
    const feed = step(config, before, noon, { eu: () => "ok", usa: () => "dns" });
    const later = step(config, feed, noon + day, { eu: () => "ok", usa: () => "dns" });
    const [fresh] = read(later, targetHistorySchema, "z", "p", "t").network;
    expect(fresh).toMatchObject({ status: 1, days: { from: "2026-03-10", ok: [[1, 1]] } });
    const [known] = read(later, targetHistorySchema, "s", "p", "t").network;
    expect(known?.days).toMatchObject({
      from: "2026-03-09",
      ok: [
        [2, 1],
        [1, 1],
      ],
    });
  });

  test("has the counts of today apart from its days", () => {
    const nodes = listNodes(config);
    const first = step(config, undefined, noon - day, { default: () => "timeout" });
    const { state } = step(config, first, noon, {
      default: (id) => (id === 2 ? undefined : id === 3 ? "timeout" : "ok"),
    });
    const round: Round = { run: "later", at: noon, vantages: [] };
    const today = (known: State | undefined): unknown =>
      targetsOf(resolveFeed(config, nodes, round, { state: known, online: [] }).systems)[0]?.nodes.map(
        (node) => node.today,
      );
    expect(today(state)).toMatchObject([
      { ok: 1, failed: 0 },
      { ok: 0, failed: 0 },
      { ok: 0, failed: 1 },
    ]);
    expect(today(undefined)).toEqual([nothing, nothing, nothing]);
  });

  test("has no reference if the state has one without a revision", () => {
    const { state } = step(config, undefined, noon, { default: () => ({ revision: one, branch: "main" }) });
    if (state === undefined) throw new Error("there is a state");
    const round: Round = { run: "later", at: noon, vantages: [] };
    const references = { "s/p/t": { branch: "main", revisions: [] } };
    const { systems } = resolveFeed(config, listNodes(config), round, {
      state: { ...state, references },
      online: [],
    });
    expect(targetsOf(systems)[0]).toMatchObject({
      reference: undefined,
      nodes: [{ freshness: "unknown" }, { freshness: "unknown" }, { freshness: "unknown" }],
    });
  });

  test("has no branch if HEAD names none, nor has the reference", () => {
    const feed = step(config, undefined, noon, { default: () => ({ revision: one }) });
    const { reference, network } = read(feed, targetHistorySchema, "s", "p", "t");
    expect(reference).toEqual({ revision: one.slice(0, 16), since: "2026-03-10T12:00:00.000Z" });
    expect(network[1]).toMatchObject({ revision: one, freshness: "in_sync" });
    expect(network[1]).not.toHaveProperty("branch");
  });

  test("is the reason of its status, with its known content", () => {
    const tls_expires_at = "2026-09-01T00:00:00Z";
    const content = (revision: string): Seen => ({
      revision,
      branch: "main",
      tls_expires_at,
      http_status: 200,
    });
    const first = step(config, undefined, noon - 2 * day, { default: () => content(one) });
    const moved = step(config, first, noon - day, { default: (id) => content(id === 3 ? one : two) });
    const down = { code: "http_status", http_status: 503 } as const;
    const feed = step(config, moved, noon, {
      default: (id) => (id === 2 ? down : content(id === 3 ? one : two)),
    });
    const { primary, reference, network } = read(feed, targetHistorySchema, "s", "p", "t");
    expect({ primary, reference }).toEqual({
      primary: 1,
      reference: { revision: two.slice(0, 16), branch: "main", since: "2026-03-09T12:00:00.000Z" },
    });
    expect(network[1]).toMatchObject({
      id: 2,
      name: "m2.example.org/a/b",
      status: 0,
      code: "http_status",
      sentence: sentenceOf("http_status"),
      since: "2026-03-10T12:00:00.000Z",
      http_status: 503,
      revision: two,
      branch: "main",
      freshness: "in_sync",
      tls_expires_at: "2026-09-01T00:00:00.000Z",
      transitions: [{ at: "2026-03-10T12:00:00.000Z", status: 0, code: "http_status" }],
    });
    expect(network[2]).toMatchObject({
      status: 1,
      code: "ok",
      since: "2026-03-08T12:00:00.000Z",
      freshness: "behind",
      behind_since: "2026-03-09T12:00:00.000Z",
      transitions: [],
    });
  });

  test("it says how far the request came that brought a status, and nothing that may hold an address", () => {
    const silent = { code: "timeout", phase: "connect", cause_text: "connect 192.0.2.1" };
    const up = step(config, undefined, noon - day);
    const down = step(config, up, noon, { default: (id) => (id === 2 ? silent : "ok") });
    expect(read(down, targetHistorySchema, "s", "p", "t").network[1]).toMatchObject({
      code: "timeout",
      phase: "connect",
      sentence: "It did not accept a connection in time.",
    });
    expect([...down.documents.values()].join("")).not.toContain("192.0.2.1");
    const later = { ...silent, phase: "wait" };
    const still = step(config, down, noon + hour, { default: (id) => (id === 2 ? later : "ok") });
    const documents = [...still.documents].filter(([path]) => path !== heartbeatPath);
    for (const [path, text] of documents) expect(text).toBe(down.documents.get(path));
  });

  test("has its transitions, newest first, with the duration of the previous status", () => {
    const outcomes: string[] = ["ok", "timeout", "timeout", "ok", "reset"];
    const rounds = outcomes.map((code, index) => ({
      at: noon + index * hour,
      vantages: { default: (id: number) => (id === 2 ? code : "ok") },
    }));
    const feed = play(config, rounds);
    expect(read(feed, targetHistorySchema, "s", "p", "t").network[1]?.transitions).toEqual([
      {
        at: "2026-03-10T16:00:00.000Z",
        status: 0,
        code: "reset",
        sentence: sentenceOf("reset"),
        after_seconds: 3600,
      },
      {
        at: "2026-03-10T15:00:00.000Z",
        status: 1,
        code: "ok",
        sentence: sentenceOf("ok"),
        after_seconds: 7200,
      },
      { at: "2026-03-10T13:00:00.000Z", status: 0, code: "timeout", sentence: sentenceOf("timeout") },
    ]);
  });

  test.each<[string, number, number, coverage: number]>([
    ["hour by hour if runs are that frequent", 30, 48, 0.5],
    ["day by day if they are not", 180, 8, 1],
  ])("has the uptime of the day before, %s", (_, intervalMinutes, perDay, coverage) => {
    const scheduled = configOf({ site: { interval: `${intervalMinutes}m` } });
    // From yesterday noon to the first run of today; every fourth run fails.
    const rounds = Array.from({ length: perDay / 2 + 1 }, (_, index) => ({
      at: noon - day + index * intervalMinutes * minute,
      vantages: { default: (id: number) => (id === 2 && index % 4 === 3 ? "timeout" : "ok") },
    }));
    const feed = play(scheduled, rounds);
    const [good, bad] = read(feed, targetHistorySchema, "s", "p", "t").network;
    expect(good?.uptime).toEqual({
      "24h": coverage === 1 ? { ratio: 1 } : { ratio: 1, coverage },
      "7d": { ratio: 1, coverage: 0.143 },
      "30d": { ratio: 1, coverage: 0.033 },
      "90d": { ratio: 1, coverage: 0.011 },
    });
    expect(bad?.uptime["24h"]).toEqual(coverage === 1 ? { ratio: 0.75 } : { ratio: 0.75, coverage });
    expect(bad?.days).toMatchObject({
      from: "2026-03-09",
      ok: [[(perDay / 2) * 0.75, 1]],
      failed: [[(perDay / 2) * 0.25, 1]],
    });
  });
});

test("a report is not rendered if a node is missing", () => {
  const round: Round = { run: "r", at: noon, vantages: [] };
  expect(() => resolveFeed(config, [], round, { state: undefined, online: [] })).toThrow(
    "Node 1 is missing from the nodes of the feed.",
  );
});

describe("a node without evidence", () => {
  const limited = {
    default: (id: number): Seen => (id === 2 ? { code: "rate_limited", http_status: 429 } : "ok"),
  };
  const first = step(config, undefined, noon - 2 * day, { default: () => "ok" });
  const reportOf = (feed: Feed) => read(feed, targetHistorySchema, "s", "p", "t").network[1];

  test("keeps its status, and is unverified since the last evidence if that is a day ago", () => {
    const hours = Array.from({ length: 30 }, (_, index) => index + 1);
    const feeds: Feed[] = [];
    for (const hoursLater of hours)
      feeds.push(step(config, feeds.at(-1) ?? first, noon - 2 * day + hoursLater * hour, limited));
    const since = new Date(noon - 2 * day).toISOString();
    expect(feeds.map((feed) => reportOf(feed)?.unverified_since)).toEqual(
      hours.map((passed) => (passed < 24 ? undefined : since)),
    );
    expect(feeds.every((feed) => reportOf(feed)?.status === 1)).toBe(true);
    const again = step(config, feeds.at(-1), noon, { default: () => "ok" });
    expect(reportOf(again)).not.toHaveProperty("unverified_since");
  });

  test.each<[string, Seen]>([
    ["not observed", undefined],
    ["of no address family of the prober", "no_route"],
  ])("that is %s is unverified too", (_, seen) => {
    const see = { default: (id: number): Seen => (id === 2 ? seen : "ok") };
    const feed = step(config, step(config, first, noon - day, see), noon, see);
    expect(reportOf(feed)?.unverified_since).toBe(new Date(noon - 2 * day).toISOString());
  });

  test("from the start is unverified since then", () => {
    const begun = step(config, undefined, noon - day, limited);
    expect(reportOf(begun)).not.toHaveProperty("unverified_since");
    expect(reportOf(step(config, begun, noon, limited))?.unverified_since).toBe(
      new Date(noon - day).toISOString(),
    );
  });

  test("in maintenance is unverified only if nothing confirms its status", () => {
    const window = { from: "2026-03-01T00:00:00Z", to: "2026-04-01T00:00:00Z", reason: "disks" };
    const resting = configOf({ maintenance: [{ scope: 2, ...window }] });
    const see = (seen: Seen) => ({ default: (id: number): Seen => (id === 2 ? seen : "ok") });
    const up = step(resting, step(resting, first, noon - day, see("ok")), noon, see("ok"));
    expect(reportOf(up)).not.toHaveProperty("unverified_since");
    const down = step(resting, step(resting, first, noon - day, see("timeout")), noon, see("timeout"));
    expect(reportOf(down)).toMatchObject({ status: 1, unverified_since: expect.any(String) });
  });
});
