import { describe, expect, test } from "vitest";
import type { Node } from "../../../src/core/config/nodes.ts";
import type { Incident, Incidents } from "../../../src/core/state/state-schema.ts";
import { incidentsKept, outagesKept } from "../../../src/core/state/state-schema.ts";
import * as log from "../../../src/core/state/outages.ts";
import type { Status } from "../../../src/core/contract/network.ts";
import { nodesAt } from "../../support/rounds.ts";
import { parseState } from "../../support/stored.ts";

const hour = 3_600_000;
const start = Date.parse("2026-11-21T12:00:00Z");
const nodes = nodesAt(["a", "a", "a", "b", "b"].map((host) => `${host}.example.org`));

/** Updates the incidents of a feed that now has these nodes. */
const updateIncidents: typeof log.updateIncidents = (known, own, change) => {
  const ids = new Set(own.map(({ id }) => id));
  return log.updateIncidents(known && log.withoutNodes(known, (id) => !ids.has(id)), own, change);
};

type Seen = string | Status;

/**
 * Each letter is a node. `t` means offline with a timeout, `d` offline with a DNS failure, and any other letter online.
 */
function seenAs(letters: string): Seen[] {
  return Array.from(letters, (letter) => (letter === "t" ? "timeout" : letter === "d" ? "dns" : 1));
}

/** Returns the verdicts of nodes 1, 2, …: online, or offline with a code. */
function verdicts(
  seen: readonly Seen[],
  own: readonly Node[] = nodes,
): Record<string, { status: Status; code: string }> {
  return Object.fromEntries(
    own.map(({ id }, index) => {
      const one = seen[index] ?? 1;
      return [String(id), one === 1 ? { status: 1, code: "ok" } : { status: 0, code: String(one) }];
    }),
  );
}

/** Plays rounds an hour apart, each with the verdicts of all nodes. */
function play(rounds: readonly (readonly Seen[])[], own = nodes): Incidents | undefined {
  return playEach(rounds, own).at(-1);
}

function playEach(rounds: readonly (readonly Seen[])[], own = nodes): (Incidents | undefined)[] {
  let incidents: Incidents | undefined;
  let before: ReturnType<typeof verdicts> | undefined;
  return rounds.map((seen, index) => {
    const after = verdicts(seen, own);
    incidents = updateIncidents(incidents, own, { before, after, at: start + index * hour });
    before = after;
    return incidents;
  });
}

/** An incident of the host a.example.org that begins with the second round. */
const timeouts = { host: "a.example.org", code: "timeout", start: start + hour };
const all = seenAs(".....");
const at = (hours: number): number => start + hours * hour;

function only(incidents: Incidents | undefined): Incident {
  const [first, ...others] = Object.values(incidents ?? {});
  if (first === undefined || others.length > 0) throw new Error("there is one incident");
  return first;
}

describe("an incident", () => {
  test("is nodes of one host that go offline for one code, at once or while it lasts, until all are online", () => {
    const down = seenAs("tt...");
    const more = seenAs("ttt..");
    const last = seenAs("t....");
    const began = [
      [1, at(1)],
      [2, at(1)],
    ];
    expect(play([all, down])).toEqual({ "2026-11-21-b579aa": { ...timeouts, outages: began } });
    const outages = [
      [1, at(1)],
      [2, at(1), at(3)],
      [3, at(2), at(3)],
    ];
    expect(only(play([all, down, more, last]))).toEqual({ ...timeouts, outages });
    expect(only(play([all, down, more, last, all, all])).end).toBe(at(4));
  });

  test("is another one for another host, and for another code, and none begins with a node never seen online", () => {
    const incidents = Object.values(play([all, seenAs("td.t.")]) ?? {});
    const found = incidents.map(({ host, code }) => `${host.charAt(0)} ${code}`);
    expect(found.sort()).toEqual(["a dns", "a timeout", "b timeout"]);
    expect(playEach([seenAs("tt..."), all])).toEqual([undefined, undefined]);
  });

  test("goes on if its host fails again for the same code within six hours, under its id", () => {
    const down = seenAs("t....");
    const other = seenAs(".t...");
    const quiet = (count: number) => Array.from({ length: count }, () => all);
    const soon = play([all, down, ...quiet(log.reopenMs / hour - 1), other]);
    const outages = [
      [1, at(1), at(2)],
      [2, at(7)],
    ];
    expect(only(soon)).toEqual({ ...timeouts, outages });
    expect(Object.keys(soon ?? {})).toEqual(Object.keys(play([all, down]) ?? {}));
    expect(Object.values(play([all, down, ...quiet(log.reopenMs / hour), other]) ?? {})).toHaveLength(2);
  });

  test("keeps the newest eight outages of a node that fails again and again", () => {
    const flapping = [seenAs(".t..."), seenAs("tt...")];
    const rounds = Array<typeof flapping>(20).fill(flapping).flat();
    const { outages } = only(play(rounds.with(0, all)));
    expect(outages.filter(([id]) => id === 1)).toHaveLength(log.outagesOfNode);
    expect(outages.filter(([id]) => id === 1).at(-1)).toEqual([1, at(39)]);
    expect(outages.filter(([id]) => id === 2)).toEqual([[2, at(1)]]);
  });

  test("is left by a node that leaves the feed, which is counted, and ends if it was the last one", () => {
    const before = verdicts(seenAs("tt..."));
    const known = play([all, seenAs("tt...")]);
    const [, ...rest] = nodes;
    const left = updateIncidents(known, rest, { before, after: verdicts(["timeout"], rest), at: at(2) });
    expect(only(left)).toEqual({ ...timeouts, outages: [[2, at(1)]], gone: 1 });
    const [, , ...others] = nodes;
    const ended = updateIncidents(left, others, { before, after: verdicts([], others), at: at(3) });
    expect(only(ended)).toMatchObject({ end: at(3), outages: [], gone: 2 });
  });

  test("is kept for ninety days after its end", () => {
    const known = play([all, seenAs("t...."), all]);
    const quiet = (time: number) =>
      updateIncidents(known, nodes, { before: verdicts(all), after: verdicts(all), at: time });
    expect(quiet(at(2) + log.incidentKeptMs - 1)).toEqual(known);
    expect(quiet(at(2) + log.incidentKeptMs)).toBeUndefined();
  });
});

describe("the log of incidents", () => {
  const many = nodesAt(Array.from({ length: incidentsKept + 20 }, (_, index) => `m${index}.example.org`));
  const down = many.map((): Seen => "timeout");

  test("keeps all that last, and otherwise the five hundred that ended last", () => {
    const open = play([[], down], many);
    expect(Object.keys(open ?? {})).toHaveLength(incidentsKept + 20);
    const ended = Object.values(play([[], down, [1, ...down.slice(1)], []], many) ?? {});
    expect(ended).toHaveLength(incidentsKept);
    expect(ended.every(({ end }) => end === at(3))).toBe(true);
  });

  test("keeps twenty thousand ended outages: those of the incidents that ended last", () => {
    const hosts = Array.from({ length: 9000 }, (_, index) => `h${index % 3}.example.org`);
    const large = nodesAt(hosts);
    const offline = (host: number): Seen[] => hosts.map((_, index) => (index % 3 === host ? "timeout" : 1));
    // Every eight hours, another host fails for an hour, which starts a new incident with three thousand outages.
    const rounds = Array.from({ length: 32 }, (_, index) =>
      index % 8 === 0 ? offline((index / 8) % 3) : [],
    );
    const incidents = play([[], ...rounds.slice(0, 24), ...rounds.slice(0, 24), offline(0)], large);
    const ended = Object.values(incidents ?? {}).filter(({ end }) => end !== undefined);
    expect(ended).toHaveLength(Math.floor(outagesKept / 3000));
    expect(Object.values(incidents ?? {})).toHaveLength(ended.length + 1);
  });
});

describe("a stored log", () => {
  const id = "2026-11-21-1a2b3c";
  const incident = { host: "a.example.org", code: "dns", start: 1, outages: [[1, 1]] };
  const many = Array.from({ length: incidentsKept + 1 }, (_, index) => [
    `2026-11-21-${String(index).padStart(6, "0")}`,
    { ...incident, end: 2 },
  ]);
  const outages = Array<number[]>(outagesKept + 1).fill([1, 1]);
  test.each([
    ["an id that a path cannot have", { "../x": incident }],
    ["an outage without a node", { [id]: { ...incident, outages: [[]] } }],
    ["more ended incidents than are kept", Object.fromEntries(many)],
    ["more outages than are kept", { [id]: { ...incident, end: 2, outages } }],
  ])("is refused with %s", (_, incidents) => {
    const state = { schema: 1, runs: [], nodes: {}, references: {}, incidents, vantages: {} };
    expect(() => parseState(JSON.stringify(state), "here")).toThrow("The state in here is broken");
  });
});
