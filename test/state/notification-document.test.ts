import { expect, test } from "vitest";
import { withoutRunsAhead } from "../../src/state/clock.ts";
import type { Notifications } from "../../src/state/notification-document.ts";
import { notifiedConfig, playRun } from "../support/notified-feed.ts";
import { day, midnight } from "../support/playing.ts";

const [one, message] = ["000000000000000a", "0000000000000001"];
const ahead = midnight + 99 * day;

test("notifications of a clock that was ahead are those of the last right run, and are due", () => {
  const state = playRun(notifiedConfig([{ id: 1 }]), undefined, { at: 0 });
  const at = (time: number): Notifications => ({
    events: { [one]: { event: "offline", nodes: [1], since: time, to: { ops: ["rule-1", time, message] } } },
    outbox: { [message]: { channel: "ops", phase: "begin", events: [one], at: time, attempts: 1 } },
    dropped: [1, time],
  });
  const wrong = at(ahead);
  for (const waiting of Object.values(wrong.outbox)) waiting.next = ahead;
  const right = withoutRunsAhead({ ...state, notifications: wrong }, midnight);
  expect(right.notifications).toEqual(at(midnight));
  const same = { ...state, notifications: at(midnight) };
  expect(withoutRunsAhead(same, midnight)).toBe(same);
});
