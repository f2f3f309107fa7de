import { expect, test } from "vitest";
import { listNodes } from "../../../src/core/config/nodes.ts";
import { explain } from "../../../src/features/explain/explain.ts";
import type { RunSummary } from "../../../src/app/run-summary.ts";
import { summaryChanges, summaryJson, summaryTable } from "../../../src/app/run-summary.ts";
import { rowsOf } from "../../../src/features/explain/mirror-rows.ts";
import {
  day,
  except,
  hour,
  noon,
  roundOf,
  summaryOf as summaryOfRounds,
  type TimedRound,
} from "../../support/playing.ts";
import { networkAt, projectConfig, type Seen } from "../../support/rounds.ts";

const [one, two] = ["1", "2"].map((digit) => ({ revision: digit.repeat(40), branch: "main" }));
/** Content without a branch, of which nobody needs to be asked. */
const foreign = { revision: "1" };
const damping = { failureThreshold: 3, successThreshold: 2 };
const window = { from: "2026-03-10T11:30:00Z", to: "2026-04-01T00:00:00Z", reason: "moving to new disks." };

/** Returns a configuration with three mirrors. The first one is the primary. */
function configWith(more: object = {}) {
  const urls = [1, 2, 3].map((id) => `https://m${id}.example.org/a`);
  return projectConfig([{ target: "t", primary: 1, network: networkAt(urls) }], more);
}

/** Returns the summary of the last round. */
function summaryOf(rounds: readonly TimedRound[], more: object = {}): RunSummary {
  const config = configWith(more);
  const nodes = listNodes(config);
  return summaryOfRounds(
    config,
    rounds.map((timed) => roundOf(nodes, timed)),
  );
}

const exceptThird = (code: string) => (id: number) => (id === 3 ? code : "ok");
/** Two locations get these codes from the third mirror, and reach the other mirrors. */
const seenFrom = (eu: string, us: string) => ({ eu: exceptThird(eu), us: exceptThird(us) });
const [yesterday, before] = [noon - day, noon - hour];
/** A round in which the mirrors have the first revision, except for what `seen` says. */
const round = (at: number, seen: Parameters<typeof except>[0] = {}): TimedRound => ({
  at,
  vantages: except({ 1: one, 2: one, 3: one, ...seen }),
});
/** A round in which the reference has moved on, and the third mirror has not. */
const moved = (at: number, seen: Parameters<typeof except>[0] = {}) => round(at, { 1: two, 2: two, ...seen });
const votes = (eu: string, us: string): TimedRound => ({ at: noon, vantages: seenFrom(eu, us) });
/** A round in which only the third mirror has another result. */
const third = (at: number, seen: Seen) => round(at, { 3: seen });
const lagging = [round(yesterday), moved(before), moved(noon)];
const oldContent = { ...one, content_at: "2026-03-01T00:00:00.000Z" };
const newContent = { ...two, content_at: "2026-03-06T00:00:00.000Z" };
const aged = [
  round(yesterday, { 1: oldContent }),
  ...[before, noon].map((at) => moved(at, { 1: newContent, 3: oldContent })),
];
const twoReasons = [round(before), votes("timeout", "refused")];
const differing = { 1: foreign, 2: foreign, 3: { revision: "3" } };
const foreigners = [round(noon - 3 * day), round(noon - 2 * day, differing), round(noon, differing)];
const stale = [round(yesterday - day), moved(yesterday)];
const lastReachable = round(noon, { 1: "dns", 2: "dns" });
const notFound = { code: "http_status", http_status: 404 } as const;
const [grace, dampened] = [{ freshness: { grace: "1h" } }, { probe: damping }];
const maintained = { maintenance: [{ scope: 3, ...window }] };
const strict = { freshness: { offlineAfter: "1h" } };
const strictGrace = { freshness: { grace: "1h", offlineAfter: "1h" } };

const [late, reached] = ["It did not answer in time.", "This run reached it."];
const [refused, unseen] = ["It refused the connection.", "This run did not observe it."];
const [anHour, lag] = ["It has been offline for 60 minutes.", "It has been behind for 60 minutes"];
const earlier = "it still has the reference's earlier content";
const fork = "If it is a fork with commits of its own, it can never match; give it a target of its own.";
const work = "In maintenance: moving to new disks. Until it ends, the status stays";
const expired = "Its index has expired: the mirror is no longer updated.";
const limited = "It answered that there were too many requests, which is not evidence against it.";
const tooOld = "Its content is older than the operator allows.";
const untold = "No run has shown yet whether it is reachable.";
const [tie, both] = ["It was seen as timeout from eu,", "This run did not reach it."];
const kept =
  "It stays online despite freshness.offlineAfter, because no mirror of its target would be online otherwise.";

test.each<[string, readonly TimedRound[], state: string, explanation: string, settings?: object]>([
  ["online", [round(noon)], "online", ""],
  ["offline in this run", [third(noon, notFound)], "offline", "It answered with an HTTP error (HTTP 404)."],
  ["offline for long", [third(before, "refused"), third(noon, "refused")], "offline", `${refused} ${anHour}`],
  ["behind", lagging, "behind", `${lag}: ${earlier}.`, grace],
  ["behind for less than the grace", lagging, "online", `${lag}.`],
  ["behind, by age", aged, "behind", `${lag}: its content is 5 days older than the reference.`, grace],
  ["different", foreigners, "differs", `It has differed from the reference for 2 days. ${fork}`],
  ["wrong", [round(before), third(noon, { ...one, content_code: "expired" })], "wrong", expired],
  ["in maintenance", [round(before), round(noon)], "maintenance", `${work} online. ${reached}`, maintained],
  [
    "in maintenance, was offline and does not answer",
    [third(before, "timeout"), third(noon, { code: "timeout", phase: "connect" })],
    "maintenance",
    `${work} offline. ${both} It did not accept a connection in time.`,
    maintained,
  ],
  ["failing once", [round(before), third(noon, "timeout")], "online", `${both} ${late}`, dampened],
  ["back once", [third(before, "timeout"), round(noon)], "offline", `${late} ${anHour} ${reached}`, dampened],
  ["not proved anything against", [round(before), third(noon, "rate_limited")], "online", limited],
  ["not observed", [round(before), third(noon, undefined)], "online", unseen],
  [
    "not observed for two days",
    [round(noon - 2 * day), third(noon, undefined)],
    "online",
    `${unseen} Nothing has confirmed its status since 2026-03-08 12:00 UTC.`,
  ],
  ["kept online by a tie", [round(before), votes("timeout", "ok")], "online", `${tie} ok from us.`],
  ["tied in the first run", [votes("timeout", "ok")], "unknown", `${untold} ${tie} ok from us.`],
  ["offline for two reasons", twoReasons, "offline", `${late} ${tie} refused from us.`],
  ["offline for its content", [...stale, moved(noon)], "offline", tooOld, strict],
  [
    "kept online although it is behind, since no other answers",
    [...stale, lastReachable],
    "behind",
    `It has been behind for 24 hours: ${earlier}. ${kept}`,
    strictGrace,
  ],
])("a mirror that is %s explains itself", (_, rounds, state, explanation, more) => {
  const summary = summaryOf(rounds, more);
  const row = rowsOf(summary)[2];
  expect([row?.state, row?.explanation()]).toEqual([state, explanation]);
  const line = summaryTable(summary)
    .split("\n")
    .find((text) => text.includes("m3.example.org"));
  expect(line?.trimEnd().endsWith(explanation)).toBe(true);
  expect(line).not.toMatch(/offline.* ok | offline .* ms/);
  const json = JSON.parse(summaryJson(summary)) as { nodes: object[] };
  expect(json.nodes[2]).toMatchObject({ state, ...(explanation !== "" && { explanation }) });
});

test("a mirror that differs counts the refs that do", () => {
  const summary = summaryOf([round(noon)]);
  const [row] = rowsOf(summary);
  if (row?.is === undefined) throw new Error("There is a mirror.");
  const difference = { missing: 2, different: 1, extra: 0, names: { missing: [], different: [], extra: [] } };
  expect(explain({ ...row.is, state: "differs", difference }, undefined, noon)).toBe(
    "It has differed from the reference: 2 refs missing, 1 ref different.",
  );
});

test("a run tells of each change of a state, and of nothing else", () => {
  const runs = [
    round(yesterday),
    round(before - hour, { 1: two }),
    round(before, { 1: two, 3: "timeout" }),
    round(noon, { 1: { ...two, content_code: "half_synced" }, 2: "timeout", 3: "refused" }),
  ];
  const name = (id: number) => `m${id}.example.org/a (s/p/t, mirror ${id})`;
  expect(summaryChanges(summaryOf(runs.slice(0, 2), grace))).toEqual([]);
  expect(summaryChanges(summaryOf(runs.slice(0, 3), grace))).toEqual([
    `${name(2)} is behind now (was online). It has been behind for 60 minutes: it still has the reference's earlier content.`,
    `${name(3)} is offline now (was online). It did not answer in time.`,
    "3 mirrors: 1 online, 1 behind, 1 offline.",
  ]);
  const last = summaryOf(runs, grace);
  expect(summaryChanges(last)).toEqual([
    `${name(1)} is wrong now (was online). Its index lists content that it does not have: its last sync was interrupted.`,
    `${name(2)} is offline now (was behind). It did not answer in time.`,
    "3 mirrors: 1 wrong, 2 offline.",
  ]);
  expect(JSON.parse(summaryJson(last))).toMatchObject({
    state: "wrong",
    states: { wrong: 1, offline: 2, online: 0 },
    changes: [
      { id: 1, state: "wrong", state_before: "online", content_code: "half_synced" },
      { id: 2, state: "offline", state_before: "behind" },
    ],
  });
  expect(summaryChanges(summaryOf([...runs, runs.at(-1) ?? round(noon)], grace))).toEqual([]);
});
