import { describe, expect, test } from "vitest";
import { beginAttempts, dueMessages, mark, withoutAttempts } from "../../../src/features/notify/outbox.ts";
import { hour, midnight, minute } from "../../support/playing.ts";
import type { Notifications } from "../../../src/features/notify/notifications.ts";

const [first, second, other] = ["0000000000000001", "0000000000000002", "0000000000000003"];
const [one, two] = ["000000000000000a", "000000000000000b"];
const event = { nodes: [1], since: 0, to: { ops: { rule: "rule-1" } } };
const begin = { channel: "ops", phase: "begin", events: [one], at: 1 } as const;

const notifications: Notifications = {
  events: {
    [one]: { ...event, event: "offline", to: { ...event.to, ann: { rule: "rule-1" } } },
    [two]: { ...event, event: "rewritten", place: "s/p/t", decided: 1 },
  },
  outbox: {
    [other]: { ...begin, events: [two] },
    [first]: { ...begin, events: [one], at: 2 },
    [second]: { ...begin, channel: "ann", events: [one], phase: "end", at: 2 },
  },
};

const ids = (known: Notifications, now = midnight): string[] => dueMessages(known, now).map(([id]) => id);
const sent = (known: Notifications, id: string): Notifications =>
  mark(known, id, { outcome: "sent" }, midnight);
const failed = (known: Notifications, id: string, retryAfterMs?: number): Notifications =>
  mark(beginAttempts(known, [id]), id, { outcome: "failed", reason: "", retryAfterMs }, midnight);

describe("waiting messages", () => {
  test("are due in their order, urgent ones first", () => {
    expect(ids(notifications)).toEqual([first, second, other]);
    expect(ids(sent(notifications, first))).toEqual([second, other]);
  });

  test("that are sent take with them the channel of an end, and the doubt about a begin", () => {
    const ended = sent(notifications, second);
    expect(ended.events[one]?.to).toEqual(event.to);
    const ops = { rule: "rule-1", unsure: true } as const;
    const doubted = { ...notifications, events: { [one]: { ...event, event: "offline", to: { ops } } } };
    expect(sent(doubted, first).events[one]?.to).toEqual({ ops: { rule: "rule-1" } });
  });

  test("have an attempt once it begins, and no more of them than there are", () => {
    const begun = beginAttempts(notifications, [first, two]);
    expect(begun.outbox[first]?.attempts).toBe(1);
    expect(Object.keys(begun.outbox)).toEqual(Object.keys(notifications.outbox));
    const killed = Array.from({ length: 200 }).reduce<Notifications>(
      (known) => beginAttempts(known, [first]),
      begun,
    );
    expect(killed.outbox[first]?.attempts).toBe(10);
  });

  test("lose only the attempt that was not made", () => {
    const once = beginAttempts(notifications, [first]);
    const twice = beginAttempts(once, [first]);
    expect(withoutAttempts(twice, [first])).toEqual(once);
    expect(withoutAttempts(once, [first]).outbox[first]?.attempts).toBeUndefined();
  });

  test("that are not there change nothing", () => {
    expect(sent(notifications, two)).toBe(notifications);
    expect(failed(notifications, two)).toEqual(notifications);
  });

  test("that failed are tried again after 5 minutes, then after twice as long", () => {
    const once = failed(notifications, first);
    expect(ids(once, midnight + 5 * minute - 1)).toEqual([second, other]);
    expect(ids(once, midnight + 5 * minute)).toEqual([first, second, other]);
    expect(failed(once, first).outbox[first]).toMatchObject({ attempts: 2, next: midnight + 10 * minute });
  });

  test.each([
    [2, 2],
    [99, 24],
  ])("wait for %i hours if the receiver says so, a day at most, whatever the clock was", (asked, waited) => {
    const known = failed(notifications, first, asked * hour);
    expect(known.outbox[first]?.next).toBe(midnight + waited * hour);
    expect(ids(known, midnight - 24 * hour)).toEqual([first, second, other]);
  });

  test("are given up after ten attempts, or if they are refused, and counted", () => {
    let known = notifications;
    for (let attempt = 1; attempt < 10; attempt += 1) known = failed(known, first);
    expect(known.outbox[first]?.attempts).toBe(9);
    known = failed(known, first);
    expect(known.outbox[first]).toBeUndefined();
    expect(known.dropped).toEqual([1, midnight]);
    expect(known.events).toEqual(notifications.events);
    const refused = mark(known, other, { outcome: "refused", reason: "" }, midnight + 1);
    expect(refused.dropped).toEqual([2, midnight + 1]);
    expect(refused.events).toEqual(notifications.events);
  });
});
