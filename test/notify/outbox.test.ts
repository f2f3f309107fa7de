import { describe, expect, test } from "vitest";
import { dueMessages, markFailed, markSent } from "../../src/notify/outbox.ts";
import type { Notifications } from "../../src/state/schema.ts";
import { hour, midnight, minute } from "../support/playing.ts";

const [first, second, other] = ["0000000000000001", "0000000000000002", "0000000000000003"];
const [one, two] = ["000000000000000a", "000000000000000b"];

const notifications: Notifications = {
  events: {
    [one]: {
      event: "offline",
      nodes: [1],
      since: 0,
      to: { ops: { rule: "rule-1" }, ann: { rule: "rule-1" } },
    },
    [two]: {
      event: "rewritten",
      nodes: [1],
      place: "s/p/t",
      ref: "refs/tags/v1",
      since: 0,
      to: { ops: { rule: "rule-1" } },
    },
  },
  outbox: {
    [second]: { channel: "ops", phase: "end", events: [one], at: 2 },
    [first]: { channel: "ops", phase: "begin", events: [one], at: 1 },
    [other]: { channel: "ops", phase: "begin", events: [two], at: 1 },
  },
};

const ids = (known: Notifications, now = midnight): string[] => dueMessages(known, now).map(([id]) => id);
const failed = { outcome: "failed", reason: "" } as const;

describe("waiting messages", () => {
  test("are due in their order, an end after its begin was sent", () => {
    expect(ids(notifications)).toEqual([first, other]);
    expect(ids(markSent(notifications, first))).toEqual([other, second]);
  });

  test("that are sent take with them the channel of an end, and what has no end", () => {
    const begun = markSent(notifications, first);
    expect(begun.events).toEqual(notifications.events);
    const ended = markSent(begun, second);
    expect(ended.events[one]?.to).toEqual({ ann: { rule: "rule-1" } });
    expect(Object.keys(markSent(ended, other).events)).toEqual([one]);
  });

  test("that are not there change nothing", () => {
    expect(markSent(notifications, two)).toEqual(notifications);
    expect(markFailed(notifications, two, failed, midnight)).toBe(notifications);
  });

  test("that failed are tried again after 5 minutes, then after twice as long, and their ends wait", () => {
    const once = markFailed(notifications, first, failed, midnight);
    expect(ids(once, midnight + 5 * minute - 1)).toEqual([other]);
    expect(ids(once, midnight + 5 * minute)).toEqual([first, other]);
    const twice = markFailed(once, first, failed, midnight);
    expect(twice.outbox[first]).toMatchObject({ attempts: 2, next: midnight + 10 * minute });
  });

  test("wait as long as the receiver says, a day at most, whatever the clock was", () => {
    const asked = markFailed(notifications, first, { ...failed, retryAfterMs: 2 * hour }, midnight);
    expect(asked.outbox[first]?.next).toBe(midnight + 2 * hour);
    const long = markFailed(notifications, first, { ...failed, retryAfterMs: 99 * hour }, midnight);
    expect(long.outbox[first]?.next).toBe(midnight + 24 * hour);
    expect(ids(long, midnight - hour)).toEqual([first, other]);
  });

  test("are given up after ten attempts, or if they are refused, and counted", () => {
    let known = notifications;
    for (let attempt = 1; attempt < 10; attempt += 1) known = markFailed(known, first, failed, midnight);
    expect(known.outbox[first]?.attempts).toBe(9);
    known = markFailed(known, first, failed, midnight);
    expect(known.outbox[first]).toBeUndefined();
    expect(known.dropped).toEqual([1, midnight]);
    expect(known.events).toEqual(notifications.events);
    const refused = markFailed(known, other, { outcome: "refused", reason: "" }, midnight + 1);
    expect(refused.dropped).toEqual([2, midnight + 1]);
    expect(Object.keys(refused.events)).toEqual([one]);
  });
});
