import { describe, expect, test } from "vitest";
import { dueMessages, mark } from "../../src/notify/outbox.ts";
import type { Notifications } from "../../src/state/schema.ts";
import { hour, midnight, minute } from "../support/playing.ts";

const [first, second, other] = ["0000000000000001", "0000000000000002", "0000000000000003"];
const [one, two] = ["000000000000000a", "000000000000000b"];
const event = { nodes: [1], since: 0, to: { ops: { rule: "rule-1" } } };
const begin = { channel: "ops", phase: "begin", events: [one], at: 1 } as const;

const notifications: Notifications = {
  events: {
    [one]: { ...event, event: "offline", to: { ...event.to, ann: { rule: "rule-1" } } },
    [two]: { ...event, event: "rewritten", place: "s/p/t", ref: "refs/tags/v1" },
  },
  outbox: {
    [second]: { ...begin, events: [one], phase: "end", at: 2 },
    [first]: { ...begin, events: [one] },
    [other]: { ...begin, events: [two] },
  },
};

const ids = (known: Notifications, now = midnight): string[] => dueMessages(known, now).map(([id]) => id);
const sent = (known: Notifications, id: string): Notifications =>
  mark(known, id, { outcome: "sent" }, midnight);
const failed = (known: Notifications, id: string, retryAfterMs?: number): Notifications =>
  mark(known, id, { outcome: "failed", reason: "", retryAfterMs }, midnight);

describe("waiting messages", () => {
  test("are due in their order, an end after its begin was sent", () => {
    expect(ids(notifications)).toEqual([first, other]);
    expect(ids(sent(notifications, first))).toEqual([other, second]);
  });

  test("that are sent take with them the channel of an end, and what has no end", () => {
    const begun = sent(notifications, first);
    expect(begun.events).toEqual(notifications.events);
    const ended = sent(begun, second);
    expect(ended.events[one]?.to).toEqual({ ann: { rule: "rule-1" } });
    expect(Object.keys(sent(ended, other).events)).toEqual([one]);
  });

  test("that are not there change nothing", () => {
    expect(sent(notifications, two)).toBe(notifications);
    expect(failed(notifications, two)).toBe(notifications);
  });

  test("that failed are tried again after 5 minutes, then after twice as long, and their ends wait", () => {
    const once = failed(notifications, first);
    expect(ids(once, midnight + 5 * minute - 1)).toEqual([other]);
    expect(ids(once, midnight + 5 * minute)).toEqual([first, other]);
    expect(failed(once, first).outbox[first]).toMatchObject({ attempts: 2, next: midnight + 10 * minute });
  });

  test.each([
    [2, 2],
    [99, 24],
  ])("wait for %i hours if the receiver says so, a day at most, whatever the clock was", (asked, waited) => {
    const known = failed(notifications, first, asked * hour);
    expect(known.outbox[first]?.next).toBe(midnight + waited * hour);
    expect(ids(known, midnight - 24 * hour)).toEqual([first, other]);
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
    expect(Object.keys(refused.events)).toEqual([one]);
  });
});
