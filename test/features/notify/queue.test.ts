import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  beginAttempts,
  dueMessages,
  mark,
  noNotifications,
  withoutOld,
} from "../../../src/features/notify/outbox.ts";
import { addMessages, type Decision, messagesPerHour } from "../../../src/features/notify/queue.ts";
import { eventId, notifiedConfig, notifyState, playRun } from "../../support/notified-feed.ts";
import { day, hour, midnight, minute } from "../../support/playing.ts";
import type { Seen } from "../../support/rounds.ts";
import { randomNumbers, trials } from "../../support/trials.ts";
import type { Notifications, WaitingMessage } from "../../../src/features/notify/notifications.ts";
import { formatState, parseState } from "../../support/stored.ts";
import type { FeedState } from "../../../src/app/state-document.ts";

function send(known: Notifications, at: number, sent: (message: WaitingMessage) => void): Notifications {
  return dueMessages(known, at).reduce((left, [id, message]) => {
    sent(message);
    return mark(beginAttempts(left, [id]), id, { outcome: "sent" }, at);
  }, known);
}

describe("a channel gets", () => {
  const step = fc.record({
    pause: fc.integer({ min: 1, max: 90 }),
    begins: fc.integer({ min: 0, max: 15 }),
    ends: fc.integer({ min: 0, max: 15 }),
    urgent: fc.integer({ min: 0, max: 12 }),
    isSent: fc.boolean(),
  });

  test("no more than its number an hour, digests hourly, everything once, and what is urgent with the next sending", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let known: Notifications = { ...noNotifications, events: {} };
        let at = midnight;
        let count = 0;
        const times: number[] = [];
        const got: string[] = [];
        const sent = (message: WaitingMessage): void => {
          got.push(...message.events);
          if (known.events[message.events[0] ?? ""]?.event === "behind") times.push(at);
        };
        for (const { pause, begins, ends, urgent, isSent } of steps) {
          at += pause * minute;
          const decide = (event: string, phase: Decision["phase"], number: number): Decision[] =>
            Array.from({ length: number }, () => {
              const id = eventId((count += 1));
              const to = { ops: { rule: "rule-1" } };
              known = { ...known, events: { ...known.events, [id]: { event, nodes: [], since: at, to } } };
              return { phase, channel: "ops", event: id, ...(phase === "begin" && { rule: "rule-1" }) };
            });
          const now = decide("offline", "begin", urgent);
          const others = [...decide("behind", "begin", begins), ...decide("behind", "end", ends)];
          known = withoutOld(addMessages(known, [...others, ...now], at), at);
          const state = notifyState({}, { notifications: known });
          expect(parseState(formatState(state), "here")).toEqual(state);
          const isUrgent = ([id]: readonly string[]): boolean => known.events[id ?? ""]?.event === "offline";
          const waiting = Object.values(known.outbox).filter(({ events }) => !isUrgent(events));
          expect(waiting.length).toBeLessThanOrEqual(messagesPerHour + 2);
          if (!isSent) continue;
          known = send(known, at, sent);
          expect(got).toEqual(expect.arrayContaining(now.map(({ event }) => event)));
        }
        for (let after = 0; after < 2; after += 1) known = send(known, (at += 3 * hour), sent);
        expect(known.outbox).toEqual({});
        expect(got.length).toBe(count);
        expect(new Set(got).size).toBe(count);
        for (const first of times) {
          const inHour = times.filter((time) => time >= first && time < first + hour);
          expect(inHour.length).toBeLessThanOrEqual(2 * messagesPerHour);
        }
      }),
      { numRuns: trials(300) },
    );
  });
});

test("twenty mirrors that change everything in each run keep no news of another one back", () => {
  const hostile = Array.from({ length: 20 }, (_, index) => ({
    ...{ id: index + 3, host: `m${index}.example.org`, target: "t" },
  }));
  const honest = [
    { id: 1, host: "primary.example.org", target: "t", primary: true },
    { id: 2, host: "honest.example.org", target: "t", contact: "ann" },
  ];
  const config = notifiedConfig([...honest, ...hostile], { to: ["ops", "contact"], after: "0s" });
  const random = randomNumbers();
  const [old, young] = ["a", "b"].map((digit) => digit.repeat(40));
  const seeHostile = (at: number): Seen => ({
    branch: "main",
    revision: random() < 0.5 ? old : young,
    tls_expires_at: new Date(midnight + at * hour + (random() < 0.5 ? 3 : 80) * day).toISOString(),
    ...(random() < 0.5 && { content_code: "missing_file" }),
  });
  let state: FeedState | undefined;
  let wasDown = false;
  const times = new Map<string, number[]>();
  const news: string[] = [];
  for (let run = 0; run < 96; run += 1) {
    const at = run / 2;
    const isDown = run > 2 && run % 7 < 3;
    const good = {
      revision: young,
      branch: "main",
      tls_expires_at: new Date(midnight + 90 * day).toISOString(),
    };
    const seen = Object.fromEntries<Seen>([
      [1, good],
      [2, isDown ? "timeout" : good],
      ...hostile.map(({ id }): [number, Seen] => [id, seeHostile(at)]),
    ]);
    const after = playRun(config, state, { at, seen });
    let first = true;
    const { events } = after.notifications ?? noNotifications;
    const notifications = send(after.notifications ?? noNotifications, midnight + at * hour, (message) => {
      const { channel, phase, events: ids } = message;
      const { event = "", nodes = [] } = events[ids[0] ?? ""] ?? {};
      if (event === "offline") news.push(`${run} ${channel} ${phase} ${nodes.join()} ${first}`);
      else {
        times.set(channel, [...(times.get(channel) ?? []), at]);
        first = false;
      }
    });
    if (isDown !== wasDown) {
      const phase = isDown ? "begin" : "end";
      expect(news.splice(0).sort()).toEqual([`${run} ann ${phase} 2 true`, `${run} ops ${phase} 2 true`]);
    }
    expect(news).toEqual([]);
    wasDown = isDown;
    state = { ...after, notifications };
  }
  // There are at most ten messages in the first hour, and then at most one digest of each phase per hour.
  expect(times.get("ops")?.length).toBeLessThanOrEqual(messagesPerHour + 2 * 48);
  expect(times.get("ops")?.length).toBeGreaterThan(40);
  expect(times.get("ann")).toBeUndefined();
});
