import { describe, expect, test } from "vitest";
import { listNodes } from "../../src/config/nodes.ts";
import type { Feed } from "../../src/feed/feed.ts";
import { resolveState } from "../../src/feed/resolve.ts";
import { updateFeedEvent } from "../../src/notify/decide.ts";
import { markSent } from "../../src/notify/outbox.ts";
import type { State } from "../../src/state/schema.ts";
import { messagesOf, notifiedConfig, playRun } from "../support/notified-feed.ts";
import { hour, midnight, minute } from "../support/playing.ts";

const config = notifiedConfig([{ id: 1 }], { to: ["ops", "contact"] });

function feedOf(state: State, own = config): Feed {
  return resolveState(own, listNodes(own), state);
}

function withEvent(state: State, at: number): State {
  return { ...state, notifications: updateFeedEvent(feedOf(state), midnight + at * hour) };
}

describe("a feed whose last run is old", () => {
  const state = playRun(config, undefined, { at: 0 });

  test("is an event once the next run is overdue for as long as the rule says, and its next run ends it", () => {
    expect(messagesOf(withEvent(state, 2.49))).toEqual([]);
    const old = withEvent(state, 2.5);
    expect(messagesOf(old)).toEqual(["ops begin feed "]);
    const [event] = Object.values(old.notifications?.events ?? {});
    expect(event?.since).toBe(midnight + 30 * minute);
    expect(withEvent(old, 9).notifications).toBe(old.notifications);

    const next = playRun(config, old, { at: 10 });
    expect(messagesOf(next)).toEqual(["ops begin feed "]);
    const back = withEvent(next, 10.1);
    expect(messagesOf(back)).toEqual(["ops begin feed ", "ops end feed "]);
    const sent = Object.keys(back.notifications?.outbox ?? {}).reduce(
      markSent,
      back.notifications ?? { events: {}, outbox: {} },
    );
    expect(sent).toEqual({ events: {}, outbox: {} });
  });

  test("begins for no rule about some mirrors", () => {
    for (const notify of [{ scope: "a.example.org", to: ["ops"] }, []]) {
      const without = notifiedConfig([{ id: 1 }], notify);
      expect(updateFeedEvent(feedOf(state, without), midnight + 99 * hour)).toBeUndefined();
    }
  });

  test("is unknown without a run", () => {
    expect(updateFeedEvent(feedOf({ ...state, runs: [] }), midnight)).toBeUndefined();
  });
});
