import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { listNodes } from "../../../src/core/config/nodes.ts";
import { verdictOf } from "../../../src/core/feed/verdict.ts";
import { renderNetwork } from "../../../src/core/contract/network.ts";
import { sentenceOf } from "../../../src/core/kinds/kinds.ts";
import { heartbeatSchema } from "../../../src/core/site/heartbeat-schema.ts";
import * as schemas from "../../../src/core/site/report-schema.ts";
import { renderBadges } from "../../../src/features/badges/badge.ts";
import { renderFeeds } from "../../../src/features/changes/change-feed.ts";
import { renderMirrorlists } from "../../../src/features/lists/mirrorlist.ts";
import { renderReport } from "../../../src/core/site/report.ts";
import { configArbitrary } from "../../support/arbitrary.ts";
import {
  configOf,
  day,
  hour,
  midnight,
  minute,
  noon,
  play,
  type Played,
  roundsArbitrary,
  step,
  textsOf,
  type TimedRound,
} from "../../support/playing.ts";
import type { Seen } from "../../support/rounds.ts";
import { trials } from "../../support/trials.ts";

type TargetHistory = z.infer<typeof schemas.targetHistorySchema>;

const heartbeatPath = "v1/report/index.json";
const config = configOf();
const one = "1".repeat(40);
const two = "2".repeat(40);

function documentsOf({ feed }: Played): Map<string, string> {
  return textsOf([...renderReport(feed), ...renderNetwork(feed)]);
}

/** Adds badges, change feeds and lists to `documentsOf`. */
function filesOf(played: Played): Map<string, string> {
  const renderers = [renderBadges, renderFeeds, renderMirrorlists];
  const others = renderers.flatMap((render) => render(played.feed));
  return new Map([...documentsOf(played), ...textsOf(others)]);
}

/** Returns the paths of changed documents, except the heartbeat's. Fails if the heartbeat has not changed. */
function changed(before: Played, after: Played): string[] {
  const [old, now] = [filesOf(before), filesOf(after)];
  expect([...now.keys()]).toEqual([...old.keys()]);
  const [heartbeat, ...paths] = [...now.keys()].filter((path) => old.get(path) !== now.get(path));
  expect(heartbeat).toBe(heartbeatPath);
  return paths;
}

/** Fails if the document is missing, or is not compact JSON with its fields in the schema's order. */
function read<Value>(played: Played, schema: z.ZodType<Value>, ...names: string[]): Value {
  const text = documentsOf(played).get(["v1/report", ...names, "index.json"].join("/")) ?? "";
  const value = schema.parse(JSON.parse(text));
  expect(text).toBe(`${JSON.stringify(value)}\n`);
  return value;
}

function historyOf(played: Played): TargetHistory {
  return read(played, schemas.targetHistorySchema, "s", "p", "t");
}

/** Returns a round in which the nodes in `seen` have those observations, and all other nodes have `usual`. */
function round(at: number, seen: Readonly<Record<number, Seen>> = {}, usual: Seen = "ok"): TimedRound {
  return { at, vantages: { default: (id) => (id in seen ? seen[id] : usual) } };
}

describe("for any configuration and any rounds", () => {
  test("the documents match their schemas, and each level agrees with those below it", () => {
    const keys = Object.keys(schemas.nodeReport.shape);
    const inShort = ({ network, ...target }: TargetHistory): object => ({
      ...target,
      network: network.map((node) => ({
        ...Object.fromEntries(Object.entries(node).filter(([key]) => keys.includes(key))),
        uptime: { "90d": node.uptime["90d"] },
      })),
    });
    fc.assert(
      fc.property(roundsArbitrary, ({ config: drawn, rounds }) => {
        const played = play(drawn, rounds);
        const ids = read(played, heartbeatSchema).nodes.map(({ id }) => id);
        expect(ids).toEqual(listNodes(drawn).map(({ id }) => id));
        for (const { system, projects } of drawn.systems) {
          const outlines = projects.map(({ project, targets }) => {
            const histories = targets.map(({ target }) =>
              read(played, schemas.targetHistorySchema, system, project, target),
            );
            const report = read(played, schemas.projectReportSchema, system, project);
            expect(report).toEqual({ project, targets: histories.map(inShort) });
            const counts = histories.map(({ target, network }) => {
              const online = network.filter(({ status }) => status === 1).length;
              return { target, state: verdictOf([{ nodes: network }]).state, nodes: network.length, online };
            });
            return { project, targets: counts };
          });
          expect(read(played, schemas.systemReportSchema, system)).toEqual({ system, projects: outlines });
        }
      }),
      { numRuns: trials(30) },
    );
  });

  test("they have the paths, nodes and statuses of the contract, and no property error", () => {
    const node = /"id":\d+,"name":"(?:[^"\\]|\\.)*","url":"[^"]*","status":[01]/g;
    fc.assert(
      fc.property(roundsArbitrary, ({ config: drawn, rounds }) => {
        const documents = documentsOf(play(drawn, rounds));
        const report = [...documents.keys()].filter((path) => path.startsWith("v1/report/"));
        const contract = [...documents.keys()].filter((path) => !report.includes(path));
        const isFilter = (path: string): boolean => /^v1\/network(?:\/[^/]+){4}\/index/.test(path);
        expect(report.map((path) => path.replace("report", "network")).toSorted()).toEqual(
          contract.filter((path) => !isFilter(path)).toSorted(),
        );
        for (const path of report) {
          const text = documents.get(path);
          expect(text).not.toContain('"error":');
          // The heartbeat and a system's document contain no node names.
          if (path.split("/").length >= 5)
            expect(text?.match(node)).toEqual(documents.get(path.replace("report", "network"))?.match(node));
        }
      }),
      { numRuns: trials(30) },
    );
  });

  test("a round like the one before, on the same day, changes only the heartbeat", () => {
    fc.assert(
      fc.property(
        configArbitrary,
        fc.constantFrom<Seen>("timeout", "rate_limited", undefined),
        (drawn, seen) => {
          const vantages = { default: (id: number) => (id % 2 === 0 ? { latency_ms: 20 } : seen) };
          const rounds = [0, 1, 2, 3, 4].map((index) => ({ at: midnight + index * 30 * minute, vantages }));
          const before = play(drawn, rounds);
          const after = step(drawn, before, { at: midnight + 150 * minute, vantages });
          // Leaves out void rounds, which are not published, and mirrors with a streak of contrary votes, whose status
          // can still change.
          const states = Object.values(before.state?.nodes ?? {});
          const isSettled = states.every(({ streak }) => streak === undefined);
          fc.pre(isSettled && before.state !== after.state);
          expect(changed(before, after)).toEqual([]);
        },
      ),
      { numRuns: trials(20) },
    );
  });
});

describe("what changes besides the heartbeat", () => {
  const content: Seen = { revision: one, branch: "main", http_status: 200, latency_ms: 20 };
  const runs = Array.from({ length: 52 }, (_, index) => round(noon - index * 30 * minute, {}, content));
  const before = play(config, runs.toReversed());
  const next = noon + 30 * minute;
  const ofTarget = ["v1/report/s/p/index.json", "v1/report/s/p/t/index.json"];
  const ofSystem = ["s", "s/p", "s/p/t", "s/p/t/0", "s/p/t/1"].map((path) => `v1/network/${path}/index.json`);
  const feeds = ["feed.atom", "feed.json", "feed/s/p.atom", "feed/s/p.json"];
  const badges = ["badge/s/p/t.svg", "badge/s/p/t.json"];
  const lists = ["mirrorlist/s/p/t.txt"];
  const ofStatus = ["v1/report/s/index.json", ...ofTarget, ...ofSystem, ...badges, ...feeds, ...lists];
  const down = step(config, before, round(next, { 2: "timeout" }, content));
  const failed: Seen = { code: "http_status", http_status: 500 };

  test.each<[string, number, Record<number, Seen>, readonly string[], from?: Played]>([
    ["in a quiet run", next, {}, []],
    ["with slower answers", next, { 1: { ...content, latency_ms: 9000, attempts: 3 } }, []],
    ["if a node is rate limited, its coverage", next, { 2: "rate_limited" }, ["v1/report/s/p/t/index.json"]],
    ["if a node is not observed, its coverage", next, { 2: undefined }, ["v1/report/s/p/t/index.json"]],
    ["if a node is offline for a new reason, its uptime", next + 30 * minute, { 2: failed }, ofTarget, down],
    ["with a transition", next, { 2: "timeout" }, ofStatus],
    ["with a new revision", next, { 1: { ...content, revision: two } }, ofTarget],
    ["with a certificate", next, { 1: { ...content, tls_expires_at: "2026-09-01T00:00:00Z" } }, ofTarget],
    ["by a late round", noon - hour, {}, []],
  ])("%s", (_, at, seen, paths, from = before) => {
    expect(changed(from, step(config, from, round(at, seen, content)))).toEqual(paths);
  });

  test("when a maintenance starts and ends, the documents, badges and lists of its target", () => {
    const [from, to] = [next - minute, next + minute].map((time) => new Date(time).toISOString());
    const planned = configOf({ maintenance: [{ scope: 2, from, to, reason: "new disks" }] });
    const open = step(planned, before, round(next, { 2: "refused" }, content));
    expect(changed(before, open)).toEqual([...ofTarget, ...badges, ...lists]);
    expect(historyOf(open).network[1]).toMatchObject({ status: 1, maintenance: "new disks" });
    const closed = step(planned, open, round(next + 30 * minute, {}, content));
    expect(changed(open, closed)).toEqual([...ofTarget, ...badges, ...lists]);
  });

  test("on a new day, the report of every target, and no document of the contract", () => {
    let late = before;
    for (let at = next; at < midnight + day; at += 30 * minute)
      late = step(config, late, round(at, {}, content));
    expect(changed(before, late)).toEqual([]);
    const tomorrow = step(config, late, round(midnight + day, {}, content));
    const reports = [...documentsOf(late).keys()].filter((path) => /^v1\/report\/\w\/\w\//.test(path));
    expect(changed(late, tomorrow)).toEqual(reports);
  });
});

describe("the heartbeat", () => {
  test("names the site, wherever a copy of it is", () => {
    const named = configOf({ site: { url: "https://status.example.org/feed/" } });
    const { site_url } = read(play(named, [round(noon)]), heartbeatSchema);
    expect(site_url).toBe("https://status.example.org/feed");
    expect(read(play(config, [round(noon)]), heartbeatSchema)).not.toHaveProperty("site_url");
  });

  test("has the observation of each node, and when the feed expires", () => {
    const slow = { code: "timeout", attempts: 3, latency_ms: 5000 };
    const played = play(config, [round(noon, { 2: slow, 3: undefined, 4: { partial: true } })]);
    const { nodes, ...run } = read(played, heartbeatSchema);
    expect(run).toEqual({
      run: played.feed.run.run,
      generated_at: "2026-03-10T12:00:00.000Z",
      expires_at: "2026-03-10T13:30:00.000Z",
      prober: { state: "online", vantages: [{ vantage: "default", online: true }] },
      interval: { scheduled_minutes: 30 },
      totals: { nodes: 9, online: 8, offline: 1 },
      state: "online",
      states: { offline: 1, wrong: 0, differs: 0, behind: 0, maintenance: 0, unknown: 1, online: 7 },
    });
    const answer = { checked_at: "2026-03-10T11:59:59.000Z", latency_ms: 50 + (noon % 7), attempts: 1 };
    const [good, bad, missing] = [{ ok: 1 }, { failed: 1 }, { unobserved: 1 }];
    expect(nodes.slice(0, 4)).toEqual([
      { id: 1, status: 1, today: good, last_24h: good, code: "ok", ...answer },
      { id: 2, status: 0, today: bad, last_24h: bad, ...answer, ...slow },
      { id: 3, status: 1, today: missing, last_24h: missing },
      { id: 4, status: 1, today: good, last_24h: good, code: "ok", ...answer, partial: true },
    ]);
  });

  test("has the measured interval, and the runs of today and of the last 24 hours without zeros", () => {
    const hours = [-25, -23, -12, -1, 0];
    const rounds = hours.map((at) => round(noon + at * hour, at === -1 ? { 2: "timeout" } : {}));
    const heartbeat = read(play(config, rounds), heartbeatSchema);
    expect(heartbeat.interval).toEqual({ scheduled_minutes: 30, median_seconds: 7200, p90_seconds: 39_600 });
    const [good, bad] = heartbeat.nodes;
    expect(good).toMatchObject({ today: { ok: 3 }, last_24h: { ok: 4 } });
    expect(good?.today).not.toHaveProperty("failed");
    expect(bad).toMatchObject({ today: { ok: 2, failed: 1 }, last_24h: { ok: 3, failed: 1 } });
  });

  test("has the vantages with their missing shards, and their votes if they disagree", () => {
    const vantages = {
      asia: () => "dns",
      eu: (id: number) => (id === 3 ? undefined : id === 2 ? "timeout" : "ok"),
      usa: (id: number) => (id === 3 ? "refused" : "ok"),
    } as const;
    const played = play(config, [{ at: noon, vantages, missingShards: [2] }]);
    const { prober, nodes } = read(played, heartbeatSchema);
    expect(prober.vantages).toEqual([
      { vantage: "asia", online: false, missing_shards: [2] },
      { vantage: "eu", online: true, missing_shards: [2] },
      { vantage: "usa", online: true, missing_shards: [2] },
    ]);
    const told = nodes.slice(0, 3);
    expect(told.map(({ code }) => code)).toEqual(["ok", "timeout", "refused"]);
    const votes = [
      { vantage: "eu", code: "timeout" },
      { vantage: "usa", code: "ok" },
    ];
    expect(told.map((node) => node.votes)).toEqual([undefined, votes, undefined]);
  });

  test("says that the prober was offline if no vantage was ever online, and every status is 0", () => {
    const played = play(config, [round(noon, {}, "dns")]);
    expect(read(played, heartbeatSchema)).toMatchObject({
      prober: { state: "offline", vantages: [{ vantage: "default", online: false }] },
      totals: { nodes: 9, online: 0, offline: 9 },
    });
    const [node] = historyOf(played).network;
    expect(node).toMatchObject({ status: 0, freshness: "unknown", transitions: [] });
    expect(node).not.toHaveProperty("since");
  });
});

describe("the evidence of a node", () => {
  test("is the reason of its status, with its known content", () => {
    const usual = { branch: "main", tls_expires_at: "2026-09-01T00:00:00Z", http_status: 200 };
    const [former, newest] = [one, two].map((revision) => ({ ...usual, revision }));
    const played = play(config, [
      round(noon - 3 * day, {}, former),
      round(noon - 2 * day, { 3: former }, newest),
      round(noon, { 2: { code: "http_status", http_status: 503 }, 3: former }, newest),
    ]);
    const { primary, reference, network } = historyOf(played);
    expect(primary).toBe(1);
    expect(reference).toEqual({ revision: two, branch: "main", since: "2026-03-08T12:00:00.000Z" });
    expect(network.slice(1)).toMatchObject([
      {
        id: 2,
        name: "m2.example.org/a/b",
        status: 0,
        code: "http_status",
        sentence: sentenceOf("http_status"),
        since: "2026-03-10T12:00:00.000Z",
        http_status: 503,
        revision: two,
        branch: "main",
        state: "offline",
        freshness: "unknown",
        last_freshness: "in_sync",
        tls_expires_at: "2026-09-01T00:00:00.000Z",
        transitions: [{ at: "2026-03-10T12:00:00.000Z", status: 0, code: "http_status" }],
      },
      {
        status: 1,
        state: "behind",
        code: "ok",
        since: "2026-03-07T12:00:00.000Z",
        freshness: "behind",
        behind_since: "2026-03-08T12:00:00.000Z",
        transitions: [],
      },
    ]);
  });

  test("has its transitions, newest first, with the duration of the previous status", () => {
    const rounds = (["ok", "timeout", "timeout", "ok", "reset"] as const).map((code, index) =>
      round(noon + index * hour, { 2: code }),
    );
    const transition = (at: string, status: 0 | 1, code: string, after_seconds?: number) => {
      return { at, status, code, sentence: sentenceOf(code), after_seconds };
    };
    expect(historyOf(play(config, rounds)).network[1]?.transitions).toEqual([
      transition("2026-03-10T16:00:00.000Z", 0, "reset", 3600),
      transition("2026-03-10T15:00:00.000Z", 1, "ok", 7200),
      transition("2026-03-10T13:00:00.000Z", 0, "timeout"),
    ]);
  });
});

describe("a node without evidence", () => {
  const begin = noon - 2 * day;
  const first = play(config, [round(begin)]);
  const unverified = (played: Played) => historyOf(played).network[1]?.unverified_since;
  const iso = (at: number): string => new Date(at).toISOString();

  test("keeps its status, and is unverified since the last evidence if that is a day ago", () => {
    let played = first;
    for (let hours = 1; hours <= 30; hours += 1) {
      played = step(config, played, round(begin + hours * hour, { 2: "rate_limited" }));
      expect(unverified(played)).toBe(hours < 24 ? undefined : iso(begin));
      expect(historyOf(played).network[1]?.status).toBe(1);
    }
    expect(unverified(step(config, played, round(noon)))).toBeUndefined();
  });

  test("in maintenance is unverified only if nothing confirms its status", () => {
    const window = { from: "2026-03-01T00:00:00Z", to: "2026-04-01T00:00:00Z", reason: "disks" };
    const resting = configOf({ maintenance: [{ scope: 2, ...window }] });
    const later = (seen: Seen): Played =>
      step(resting, step(resting, first, round(noon - day, { 2: seen })), round(noon, { 2: seen }));
    expect(unverified(later("ok"))).toBeUndefined();
    expect(historyOf(later("timeout")).network[1]).toMatchObject({ status: 1, unverified_since: iso(begin) });
  });
});
