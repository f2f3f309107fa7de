import { expect, test } from "vitest";
import { withoutRunsAhead } from "../../src/state/clock.ts";
import { formatState, parseState } from "../../src/state/document.ts";
import type { Notifications } from "../../src/state/schema.ts";
import { notifiedConfig, playRun } from "../support/notified-feed.ts";
import { day, midnight } from "../support/playing.ts";

const [one, message] = ["000000000000000a", "0000000000000001"];
const ahead = midnight + 99 * day;
const state = playRun(notifiedConfig([{ id: 1 }]), undefined, { at: 0 });

test("notifications of a clock that was ahead are those of the last right run, and are due", () => {
  const at = (time: number): Notifications => ({
    events: { [one]: { event: "offline", nodes: [1], since: time, to: { ops: { rule: "rule-1" } } } },
    outbox: { [message]: { channel: "ops", phase: "begin", events: [one], at: time, attempts: 1 } },
    dropped: [1, time],
  });
  const wrong = at(ahead);
  for (const waiting of Object.values(wrong.outbox)) waiting.next = ahead;
  const right = withoutRunsAhead({ ...state, notifications: wrong }, midnight);
  expect(right.notifications).toEqual(at(midnight));
  const notifications = at(midnight);
  for (const waiting of Object.values(notifications.outbox)) waiting.next = ahead;
  const same = { ...state, notifications };
  expect(withoutRunsAhead(same, midnight)).toBe(same);
});

const event = {
  event: "offline",
  nodes: [1, 2],
  since: midnight,
  to: { ops: { rule: "rule-1", digest: message } },
};
const waiting = { channel: "ops", phase: "begin", events: [one], at: midnight };
/** Returns the text of a state with these notifications. */
function textWith(notifications: object): string {
  return JSON.stringify({ ...JSON.parse(formatState(state)), notifications });
}

test("the text of notifications has a line for each event and message, and is read again", () => {
  const text = textWith({ dropped: [2, midnight], outbox: { [message]: waiting }, events: { [one]: event } });
  const parsed = parseState(text, "the state");
  const written = formatState(parsed);
  expect(parseState(written, "the state")).toEqual(parsed);
  expect(written).toContain(
    [
      `"notifications":{`,
      `"dropped":[2,${midnight}],`,
      `"events":{`,
      `"${one}":{"event":"offline","nodes":[1,2],"since":${midnight},"to":{"ops":{"digest":"${message}","rule":"rule-1"}}}},`,
      `"outbox":{`,
      `"${message}":{"at":${midnight},"channel":"ops","events":["${one}"],"phase":"begin"}}},`,
    ].join("\n"),
  );
});

test.each<[string, object]>([
  ["an event with a short id", { events: { a: event }, outbox: {} }],
  ["an event without nodes", { events: { [one]: { ...event, nodes: undefined } }, outbox: {} }],
  ["a node that is none", { events: { [one]: { ...event, nodes: [0] } }, outbox: {} }],
  ["too many nodes", { events: { [one]: { ...event, nodes: Array<number>(1001).fill(1) } }, outbox: {} }],
  ["an unknown field of an event", { events: { [one]: { ...event, address: "a@example.org" } }, outbox: {} }],
  [
    "a channel with another name",
    { events: { [one]: { ...event, to: { "a b": event.to.ops } } }, outbox: {} },
  ],
  ["a receiver without a rule", { events: { [one]: { ...event, to: { ops: {} } } }, outbox: {} }],
  ["a message without a phase", { events: {}, outbox: { [message]: { ...waiting, phase: undefined } } }],
  ["a message of an unknown phase", { events: {}, outbox: { [message]: { ...waiting, phase: "change" } } }],
  ["a message of no event", { events: {}, outbox: { [message]: { ...waiting, events: [] } } }],
  ["no attempt", { events: {}, outbox: { [message]: { ...waiting, attempts: 0 } } }],
  ["too many attempts", { events: {}, outbox: { [message]: { ...waiting, attempts: 101 } } }],
  ["a text", { events: {}, outbox: { [message]: { ...waiting, text: "It is offline." } } }],
  ["no outbox", { events: {} }],
  ["nothing that was given up", { events: {}, outbox: {}, dropped: [0, midnight] }],
  ["an unknown field", { events: {}, outbox: {}, secrets: {} }],
])("a state is refused with %s", (_, notifications) => {
  expect(() => parseState(textWith(notifications), "the state")).toThrow(/is broken at "notifications/);
});
