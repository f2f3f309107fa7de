import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { listNodes } from "../../src/config/nodes.ts";
import type { Config } from "../../src/config/schema.ts";
import type { Condition } from "../../src/notify/conditions.ts";
import { applyConditions, digestAbove } from "../../src/notify/decide.ts";
import { noNotifications } from "../../src/notify/outbox.ts";
import { nodesOf, targetsOf } from "../../src/feed/feed.ts";
import { advance } from "../../src/state/advance.ts";
import { formatState, parseState } from "../../src/state/document.ts";
import type { State } from "../../src/state/schema.ts";
import { eventNodesKept, eventsKept, messagesKept, type Notifications } from "../../src/state/schema.ts";
import { feedWith } from "../support/feed-with.ts";
import { allSent, notifiedConfig, withDecision } from "../support/notified-feed.ts";
import { day, hour, midnight } from "../support/playing.ts";
import { vantageOf } from "../support/rounds.ts";
import { trials } from "../support/trials.ts";

const mirrors = Array.from({ length: 13 }, (_, index) => ({
  id: index + 1,
  host: `${"abcdefghijklm"[index] ?? ""}.example.org`,
  ...(index % 3 === 0 && { contact: "ann" }),
}));
const rules = [
  { to: ["ops", "contact"], after: "1h" },
  { to: ["boss"], after: "3h", events: ["offline"] },
];
const config = notifiedConfig(mirrors, rules);
const nodes = listNodes(config);

const code = fc.constantFrom("ok", "ok", "ok", "timeout", "refused");
const runs = fc.array(fc.array(code, { minLength: 13, maxLength: 13 }), { minLength: 1, maxLength: 12 });

/** Returns the state after runs of an hour each, with the nodes in an order. */
function play(all: readonly (readonly string[])[], own: Config, ordered: typeof nodes): State | undefined {
  return all.reduce<State | undefined>((before, seen, index) => {
    const round = { run: `r${index}`, at: midnight + index * hour, vantages: [vantageOf("v", seen, ["ok"])] };
    const { state: after, decidedAt } = advance(own, ordered, round, before);
    return after === undefined || decidedAt === undefined ? after : withDecision(own, ordered, before, after);
  }, undefined);
}

describe("notifications after any runs", () => {
  test("do not depend on the order of the nodes, and survive their text", () => {
    fc.assert(
      fc.property(runs, fc.shuffledSubarray(nodes, { minLength: nodes.length }), (all, shuffled) => {
        const state = play(all, config, nodes);
        if (state === undefined) return;
        const text = formatState(state);
        expect(formatState(play(all, config, shuffled) ?? state)).toBe(text);
        expect(formatState(parseState(text, "here"))).toBe(text);
      }),
      { numRuns: trials(100) },
    );
  });
});

describe("notifications of a large feed", () => {
  const config = notifiedConfig(
    Array.from({ length: eventsKept + 100 }, (_, index) => ({ id: index + 1 })),
    { to: ["ops"], after: "0s" },
  );
  const feed = feedWith(config, new Map());
  const all = nodesOf(targetsOf(feed.systems));
  const apply = (known: Notifications, conditions: readonly Condition[], at = midnight): Notifications =>
    applyConditions(feed, known, "mirrors", conditions, at);
  const conditionsOf = (nodes: typeof all): Condition[] =>
    nodes.map((node) => ({
      event: "never_online",
      nodes: [{ node, since: midnight, isFrozen: false }],
    }));

  test("have as many events as are kept, and the others once there is room", () => {
    const full = apply(noNotifications, conditionsOf(all));
    expect(Object.keys(full.events)).toHaveLength(eventsKept);
    expect(Object.keys(full.outbox)).toHaveLength(1);
    const sent = allSent(apply(full, []));
    expect(sent).toEqual(noNotifications);
    const begun = new Set(Object.values(full.events).flatMap(({ nodes: own }) => own));
    const missing = all.filter(({ id }) => !begun.has(id));
    expect(Object.keys(apply(sent, conditionsOf(missing)).events)).toHaveLength(100);
  });

  test("have as many mirrors in an event as are kept, and stay the same in the next run", () => {
    const condition: Condition = {
      event: "offline",
      incident: "2026-03-10-abcdef",
      nodes: all.map((node) => ({ node, since: midnight - day, isFrozen: false })),
    };
    const first = apply(noNotifications, [condition]);
    expect(Object.values(first.events)[0]?.nodes).toHaveLength(eventNodesKept);
    expect(apply(first, [condition])).toEqual(first);
  });

  test("have as many messages as are kept, the newest", () => {
    // More of them in a run would be one message.
    const conditions = conditionsOf(all.slice(0, digestAbove));
    let known: Notifications = noNotifications;
    for (let run = 0; run * digestAbove < messagesKept + 10; run += 1)
      known = apply(known, run % 2 === 0 ? conditions : [], midnight + run * hour);
    const waiting = Object.values(known.outbox);
    expect(waiting).toHaveLength(messagesKept);
    expect(known.dropped?.[0]).toBe(10);
    expect(Math.min(...waiting.map(({ at }) => at))).toBe(midnight + hour);
  });
});
