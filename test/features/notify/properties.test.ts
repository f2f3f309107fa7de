import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { listNodes } from "../../../src/core/config/nodes.ts";
import type { Config } from "../../../src/core/config/config-schema.ts";
import type { Condition } from "../../../src/features/notify/conditions.ts";
import { applyConditions } from "../../../src/features/notify/decide.ts";
import { noNotifications } from "../../../src/features/notify/outbox.ts";
import { addMessages } from "../../../src/features/notify/queue.ts";
import { nodesOf, targetsOf } from "../../../src/core/feed/feed.ts";
import { feedWith } from "../../support/feed-with.ts";
import { allSent, eventId, notifiedConfig, notifyState, withDecision } from "../../support/notified-feed.ts";
import { day, hour, midnight } from "../../support/playing.ts";
import { vantageOf } from "../../support/rounds.ts";
import { trials } from "../../support/trials.ts";
import { eventsKept, messagesKept, type Notifications } from "../../../src/features/notify/notifications.ts";
import { formatState, parseState } from "../../support/stored.ts";
import { advanceState } from "../../../src/app/advance-feed.ts";
import type { FeedState } from "../../../src/app/state-document.ts";

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

/** Returns the state after hourly runs, with the nodes in the given order. */
function play(
  all: readonly (readonly string[])[],
  own: Config,
  ordered: typeof nodes,
): FeedState | undefined {
  return all.reduce<FeedState | undefined>((before, seen, index) => {
    const round = { run: `r${index}`, at: midnight + index * hour, vantages: [vantageOf("v", seen, ["ok"])] };
    const { state: after, decidedAt } = advanceState(own, ordered, round, before);
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
  const stateWith = (notifications: Notifications): FeedState => notifyState({}, { notifications });
  const conditionsOf = (nodes: typeof all): Condition[] =>
    nodes.map((node) => ({
      event: "never_online",
      nodes: [{ node, since: midnight, isFrozen: false }],
    }));

  test("keep a limited number of events that can wait, and add the others once there is room", () => {
    const behind = all.map((node): Condition => {
      return { event: "behind", nodes: [{ node, since: midnight, isFrozen: false }] };
    });
    const full = apply(noNotifications, behind);
    expect(Object.keys(full.events)).toHaveLength(eventsKept);
    expect(Object.keys(full.outbox)).toHaveLength(1);
    // Although the limit is reached, events about offline mirrors are added.
    const offline = apply(full, [...behind, ...conditionsOf(all)]);
    expect(Object.keys(offline.events)).toHaveLength(eventsKept + all.length);
    expect(parseState(formatState(stateWith(offline)), "here")).toEqual(stateWith(offline));
    const over = apply(allSent(full), []);
    const sent = allSent(over);
    expect(sent.events).toEqual({});
    const begun = new Set(Object.values(full.events).flatMap(({ nodes: own }) => own));
    const missing = behind.filter(({ nodes: [one] }) => !begun.has(one?.node?.id ?? 0));
    expect(Object.keys(apply(sent, missing).events)).toHaveLength(100);
  });

  test("keep all mirrors of an incident in one event, and stay the same in the next run", () => {
    const condition: Condition = {
      event: "offline",
      incident: "2026-03-10-abcdef",
      nodes: all.map((node) => ({ node, since: midnight - day, isFrozen: false })),
    };
    const first = apply(noNotifications, [condition]);
    expect(Object.values(first.events)[0]?.nodes).toHaveLength(all.length);
    expect(apply(first, [condition])).toEqual(first);
  });

  test("keep the newest messages that can wait, up to a limit, and all urgent ones", () => {
    const outbox = Object.fromEntries(
      Array.from({ length: messagesKept + 10 }, (_, index) => {
        const id = eventId(index + 1);
        return [id, { channel: "ops", phase: "end" as const, events: [id], at: midnight + index }];
      }),
    );
    const eventsOf = (event: string): Notifications["events"] =>
      Object.fromEntries(
        Object.keys(outbox).map((id) => [
          id,
          { event, nodes: [], since: midnight, to: { ops: { rule: "r" } } },
        ]),
      );
    const known = addMessages({ outbox, events: eventsOf("behind") }, [], midnight);
    expect(Object.keys(known.outbox)).toHaveLength(messagesKept);
    expect(known.dropped?.[0]).toBe(10);
    expect(known.outbox[eventId(10)]).toBeUndefined();
    expect(known.outbox[eventId(11)]).toBeDefined();
    const urgent = { outbox, events: eventsOf("offline") };
    expect(addMessages(urgent, [], midnight)).toEqual(urgent);
  });
});
