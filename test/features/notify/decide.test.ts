import { describe, expect, test } from "vitest";
import { listNodes } from "../../../src/core/config/nodes.ts";
import type { Config } from "../../../src/core/config/config-schema.ts";
import { updateFeedEvent } from "../../../src/features/notify/decide.ts";
import { beginAttempts, mark } from "../../../src/features/notify/outbox.ts";
import { listWaiting } from "../../../src/features/notify/send.ts";
import {
  allSent,
  messagesOf,
  notifiedConfig,
  type NotifiedRun,
  playRun,
  withDecision,
} from "../../support/notified-feed.ts";
import { day, hour, midnight, minute } from "../../support/playing.ts";
import type { Seen } from "../../support/rounds.ts";
import type { Notifications } from "../../../src/features/notify/notifications.ts";
import { formatState, parseState } from "../../support/stored.ts";
import { resolveStored } from "../../../src/app/advance-feed.ts";
import type { FeedState } from "../../../src/app/state-document.ts";

const mirrors = [
  { id: 1, contact: "ann" },
  { id: 2, contact: "bob" },
  { id: 3, host: "b.example.org", target: "u" },
];
const config = notifiedConfig(mirrors);

function play(own: Config, runs: readonly NotifiedRun[], before?: FeedState): FeedState {
  const last = runs.reduce<FeedState | undefined>((state, run) => playRun(own, state, run), before);
  if (last === undefined) throw new Error("There is no run.");
  return last;
}

/** Returns the messages that these runs add. After each run, all messages are sent. */
function said(own: Config, runs: readonly NotifiedRun[], before?: FeedState): string[] {
  let state = before;
  return runs.flatMap((run) => {
    const after = playRun(own, state, run);
    state = { ...after, notifications: after.notifications && allSent(after.notifications) };
    return messagesOf(after);
  });
}

/** Returns the state after these runs, with all messages sent. */
function told(own: Config, runs: readonly NotifiedRun[]): FeedState {
  const state = play(own, runs);
  return { ...state, notifications: allSent(state.notifications) };
}

/** Returns runs at these hours, in which both mirrors of a host are offline. */
function down(...hours: number[]): NotifiedRun[] {
  return hours.map((at) => ({ at, seen: { 1: "timeout", 2: "timeout" } }));
}

const up = { at: 0 };
const begun = [up, ...down(1, 2)];
const [begin, end] = ["ops begin offline 1,2", "ops end offline 1,2"];

describe("mirrors of a host that go offline", () => {
  test.each<[string, NotifiedRun[], string[]]>([
    ["are no event at once", [up, ...down(1)], []],
    ["are no event for less than an hour", [up, ...down(1, 1.9)], []],
    ["are an event after an hour", begun, [begin]],
    ["are the same event in the next run", [...begun, ...down(3)], [begin]],
    ["are over once when they are back", [...begun, { at: 3 }, { at: 4 }], [begin, end]],
    ["are no event if they come back sooner", [up, ...down(1), { at: 1.5 }, { at: 3 }], []],
    ["are another event after the end", [...begun, { at: 3 }, ...down(4, 5)], [begin, end, begin]],
    [
      "join the event later",
      [up, { at: 1, seen: { 1: "timeout" } }, ...down(2, 3), { at: 4 }],
      ["ops begin offline 1", end],
    ],
    ["last until all are back", [...begun, { at: 4, seen: { 2: "timeout" } }], [begin]],
    ["count a repeated run once", [...begun, { at: 3, run: "r2" }], [begin]],
    ["do not count a late run", [...begun, { at: 1.5 }], [begin]],
  ])("%s", (_, runs, messages) => {
    expect(said(config, runs)).toEqual(messages);
  });

  test("end their event if they leave mirrors.json, or have another URL", () => {
    const state = told(config, begun);
    expect(said(notifiedConfig([{ id: 3 }]), [{ at: 3 }], state)).toEqual([end]);
    const moved = notifiedConfig(mirrors.map((one) => ({ ...one, path: `moved/${one.id}` })));
    expect(said(moved, down(3), state)).toEqual(["ops end offline "]);
  });

  test("go to every channel that a rule names, once, and later to those of a later rule", () => {
    const rules = notifiedConfig(mirrors, [
      { name: "all", to: ["ops", "contact"] },
      { name: "again", to: ["ops"] },
      { name: "late", to: ["boss"], after: "3h" },
    ]);
    expect(said(rules, begun)).toEqual(["ann begin offline 1,2", "bob begin offline 1,2", begin]);
    const later = play(rules, [...begun, ...down(4)]);
    expect(messagesOf(later)).toContain("boss begin offline 1,2");
    const [event] = Object.values(later.notifications?.events ?? {});
    const all = { rule: "all" };
    expect(event?.to).toEqual({ ann: all, bob: all, ops: all, boss: { rule: "late" } });
  });

  test("go to a later channel with any name", () => {
    const hook = { type: "webhook", urlEnv: "HOOK_URL" };
    const late = [{ to: ["ops"] }, { to: ["constructor"], after: "3h" }];
    const own = notifiedConfig([{ id: 1 }, { id: 2 }, { id: 3, host: "b.example.org" }], late, {
      channels: { ops: hook, constructor: hook },
    });
    expect(said(own, [...begun, ...down(4)])).toEqual([begin, "constructor begin offline 1,2"]);
  });

  test("end for the contact whose mirror is back, and last for the others", () => {
    const contacts = notifiedConfig(mirrors, { to: ["contact"] });
    const runs = [...begun, { at: 3, seen: { 2: "timeout" } }];
    expect(said(contacts, runs).slice(2)).toEqual(["ann end offline 1,2"]);
  });

  test.each([
    ["a.example.org", 1],
    ["s/p", 1],
    ["s/p/t", 1],
    [1, 1],
    ["b.example.org", 0],
    ["s/p/u", 0],
    [3, 0],
  ])("are an event of a rule about %s: %i", (scope, count) => {
    expect(said(notifiedConfig(mirrors, { scope, to: ["ops"] }), begun)).toHaveLength(count);
  });

  test("are no event for a channel that is gone, and one whose rule is gone gets the end", () => {
    const state = told(config, begun);
    const channels = { boss: { type: "webhook", urlEnv: "HOOK_URL" } };
    const without = notifiedConfig([{ id: 1 }, { id: 2 }, { id: 3 }], [], { channels });
    expect(play(without, down(3), state).notifications).toBeUndefined();
    expect(said(notifiedConfig(mirrors, []), down(3), state)).toEqual([end]);
  });

  test("are events of their own if they went offline before there were incidents", () => {
    const state = { ...play(config, [up, ...down(1)]), incidents: undefined };
    expect(said(config, down(2), state)).toEqual(["ops begin offline 1", "ops begin offline 2"]);
  });

  test.each<[string, number, NotifiedRun[], string[]]>([
    ["begin nothing", 1.5, [...begun, ...down(4)], []],
    ["begin what began before when it is over", 1.5, [...begun, ...down(5)], [begin]],
    ["end nothing", 2.5, [...begun, { at: 3 }], [begin]],
    ["end when it is over", 2.5, [...begun, { at: 3 }, { at: 5 }], [begin, end]],
  ])("in maintenance %s", (_, start, runs, messages) => {
    const [from, to] = [start, 5].map((at) => new Date(midnight + at * hour).toISOString());
    const maintenance = [{ scope: "a.example.org", reason: "Work", from, to }];
    expect(said(notifiedConfig(mirrors, undefined, { maintenance }), runs)).toEqual(messages);
  });
});

test("a mirror that was never online is an event after a day, and not offline", () => {
  const runs = [0, 23, 24].map((at) => ({ at, seen: { 3: "timeout" } }));
  expect(said(config, runs.slice(0, 2))).toEqual([]);
  expect(said(config, runs)).toEqual(["ops begin never_online 3"]);
  expect(said(config, [...runs, { at: 25 }]).at(-1)).toBe("ops end never_online 3");
});

test("a certificate that expires soon is an event, also while its mirror is offline, until there is another", () => {
  const run = (at: number, days: number): NotifiedRun => ({
    at,
    seen: { 3: { tls_expires_at: new Date(midnight + days * day).toISOString() } },
  });
  const [early, soon] = [run(0, 14), run(1, 13.9)];
  const offline = { at: 1.5, seen: { 3: "refused" } };
  const renewed = (count: number): NotifiedRun[] =>
    Array.from({ length: count }, (_, index) => run(2 + index / 10, 80));
  const [begins, ends] = ["ops begin certificate 3", "ops end certificate 3"];
  expect(said(config, [early])).toEqual([]);
  expect(said(config, [early, soon, offline])).toEqual([begins]);
  expect(said(config, [early, soon, offline, ...renewed(7)])).toEqual([begins]);
  expect(said(config, [early, soon, offline, ...renewed(8)])).toEqual([begins, ends]);
  // The event goes on while the mirror is offline, or while one of its servers has the old certificate.
  const unseen = [2.75, 2.76].map((at) => ({ ...offline, at }));
  expect(said(config, [early, soon, ...renewed(7), ...unseen])).not.toContain(ends);
  const servers = Array.from({ length: 96 }, (_, index) => run(2 + index / 2, index % 7 === 0 ? 13 : 80));
  expect(said(config, [early, soon, ...servers])).toEqual([begins]);
  const without = notifiedConfig(mirrors.slice(0, 2));
  expect(said(without, [{ at: 2 }], told(config, [early, soon]))).toEqual([ends]);
  expect(said(notifiedConfig(mirrors, { to: ["ops"], certificateDays: 30 }), [early])).toEqual([begins]);
});

describe("a family of a host that does not answer", () => {
  const host = "a.example.org";
  const checked = (at: number, ipv6?: "ok" | "timeout"): NotifiedRun => ({
    at,
    families: [{ host, ipv4: "ok", ipv6 }],
  });
  const dead = [1, 2].map((at) => checked(at, "timeout"));
  const [begins, ends] = ["ops begin ipv6_unreachable 1,2", "ops end ipv6_unreachable 1,2"];

  test("is one event of all its mirrors, from the second check in a row to the second good one", () => {
    expect(said(config, dead.slice(0, 1))).toEqual([]);
    expect(said(config, dead)).toEqual([begins]);
    expect(said(config, [...dead, checked(3, "ok"), checked(4, "timeout"), checked(5, "ok")])).toEqual([
      begins,
    ]);
    expect(said(config, [...dead, checked(3, "ok"), checked(4, "ok")])).toEqual([begins, ends]);
  });

  test.each<[string, NotifiedRun[]]>([
    ["no location observes it any more", [checked(3), { at: 30 }, { at: 60 }]],
    ["its mirrors are offline", down(3, 4, 50).map((run) => ({ ...run, seen: { ...run.seen, 3: "ok" } }))],
  ])("does not end because %s", (_, runs) => {
    expect(said(config, [...dead, ...runs]).filter((text) => text.includes("ipv6"))).toEqual([begins]);
  });

  test("begins for the mirrors of a rule, and is one event although others are before them", () => {
    const own = notifiedConfig(mirrors, { events: ["ipv6_unreachable"], scope: 2, to: ["ops"] });
    expect(said(own, [...dead, checked(3, "timeout"), { at: 4 }])).toEqual(["ops begin ipv6_unreachable 2"]);
    const without = notifiedConfig(mirrors.slice(1), { to: ["ops"] });
    expect(said(without, [checked(3, "timeout")], told(config, dead))).toEqual([]);
    expect(said(notifiedConfig(mirrors.slice(2)), [{ at: 3 }], told(config, dead))).toEqual([ends]);
  });
});

describe("what waits is what is so now", () => {
  const one = notifiedConfig([{ id: 1 }, { id: 2, host: "b.example.org" }], { to: ["ops"], after: "0s" });
  /**
   * Plays one step for each letter. `u` and `d` are runs with the mirror up or down. The other letters send pending
   * messages: with `s`, sending succeeds; with `f`, it fails; with `k`, it is killed, so that the outcome is unknown.
   */
  function heard(letters: string): string[] {
    let state: FeedState | undefined;
    const all: string[] = [];
    for (const [at, letter] of letters.split("").entries()) {
      if (letter === "u" || letter === "d") {
        state = playRun(one, state, {
          at,
          seen: letter === "d" ? { 1: at % 2 === 0 ? "timeout" : "refused" } : {},
        });
        continue;
      }
      if (state?.notifications === undefined) continue;
      const ids = Object.keys(state.notifications.outbox);
      let notifications: Notifications = beginAttempts(state.notifications, ids);
      if (letter !== "f") all.push(...messagesOf(state).map((message) => message.split(" ")[1] ?? ""));
      for (const id of ids)
        if (letter !== "k")
          notifications = mark(
            notifications,
            id,
            { outcome: letter === "f" ? "failed" : "sent", reason: "" },
            0,
          );
      state = { ...state, notifications };
    }
    return all;
  }

  test.each([
    ["uduus", []],
    ["udududs", ["begin"]],
    ["udsuds", ["begin"]],
    ["udsudus", ["begin", "end"]],
    ["udsufds", ["begin"]],
    ["udfus", []],
    ["udkus", ["begin", "end"]],
    ["udkudks", ["begin", "begin", "begin"]],
    ["udsukds", ["begin", "end", "begin"]],
  ])("after %s a channel heard %j", (letters, messages) => {
    expect(heard(letters)).toEqual(messages);
  });
});

describe("the content of a target", () => {
  const http = { probe: { kind: "http" }, freshness: { grace: "24h" } };
  const own = notifiedConfig([{ id: 1, primary: true }, { id: 2 }], undefined, http);
  const [old, young] = ["a", "b"].map((digit) => ({ revision: digit.repeat(40) }));
  const seen = (at: number, one: Seen, two: Seen): NotifiedRun => ({ at, seen: { 1: one, 2: two } });
  const pushed = [seen(0, old, old), seen(1, young, old), seen(25, young, old)];
  const wrong = { ...old, content_code: "missing_file" };
  const foreign = { ...old, revision: "c".repeat(40) };
  const unread = { revision: undefined };
  const [behind, inSync] = ["ops begin behind 2", "ops end behind 2"];

  test.each<[string, NotifiedRun[], string[]]>([
    ["is no event if a mirror is behind for less than a day", pushed.slice(0, 2), []],
    ["is an event if a mirror is behind for a day", pushed, [behind]],
    ["is over when the mirror has it", [...pushed, seen(26, young, young)], [behind, inSync]],
    ["is unknown while the mirror is offline", [...pushed, seen(25.5, young, "timeout")], [behind]],
    ["is no event if it is wrong for less than a day", [seen(0, old, wrong), seen(23, old, wrong)], []],
    [
      "is an event if it is wrong for a day",
      [seen(0, old, wrong), seen(24, old, wrong)],
      ["ops begin wrong_content 2"],
    ],
    [
      "is one event, of the worse state, if a mirror is wrong and behind",
      [seen(0, old, wrong), seen(1, young, wrong), seen(30, young, wrong)],
      ["ops begin wrong_content 2"],
    ],
    ["stays behind while it is wrong", [...pushed, seen(25.5, young, wrong), seen(26, young, old)], [behind]],
    ["stays behind while it cannot be compared", [...pushed, seen(26, young, unread)], [behind]],
    [
      "is no longer behind if it differs",
      [...pushed, seen(26, young, foreign), seen(51, young, foreign)],
      [behind, "ops begin differs 2", inSync],
    ],
  ])("%s", (_, runs, messages) => {
    expect(said(own, runs)).toEqual(messages);
  });

  test("ends no event in maintenance", () => {
    const [from, to] = [25.5, 26.5].map((at) => new Date(midnight + at * hour).toISOString());
    const maintenance = [{ scope: "a.example.org", reason: "Work", from, to }];
    const paused = notifiedConfig([{ id: 1, primary: true }, { id: 2 }], undefined, { ...http, maintenance });
    const back = seen(26, young, young);
    expect(said(paused, [...pushed, back])).toEqual([behind]);
    expect(said(paused, [...pushed, back, seen(27, young, young)])).toEqual([behind, inSync]);
  });

  test("is an event of one run, without an end, if a tag was rewritten", () => {
    const first = play(own, pushed.slice(0, 1));
    const [place, reference] = Object.entries(first.references)[0] ?? ["", undefined];
    if (reference === undefined) throw new Error("There is no reference.");
    const at = midnight + hour;
    const rewritten: [number, string, string, string][] = [[at, "refs/tags/v1", "0123456789", ""]];
    const after = withDecision(own, listNodes(own), first, {
      ...first,
      runs: [...first.runs, ["tag", at]],
      references: { [place]: { ...reference, rewritten } },
    });
    const [event] = Object.values(after.notifications?.events ?? {});
    expect(event).toMatchObject({ place: "s/p/t", since: at, decided: at });
    const late = notifiedConfig([{ id: 1, primary: true }, { id: 2 }], { to: ["ops"], after: "6h" });
    expect(messagesOf(withDecision(late, listNodes(late), first, after))).toEqual(["ops begin rewritten 1"]);
    const next = playRun(own, after, seen(2, old, old));
    expect(messagesOf(next)).toEqual(["ops begin rewritten 1"]);
    expect(playRun(own, after, seen(26, old, old)).notifications).toEqual(next.notifications);
    const sent = { ...next, notifications: allSent(next.notifications) };
    expect(playRun(own, sent, seen(26, old, old)).notifications).toBeUndefined();
  });

  test.each([
    ["is one event a day of all tags that were rewritten meanwhile", true, [0.5, 24.5]],
    ["is no other event while that waits to be sent", false, [0.5]],
  ])("%s", (_, isSent, hours) => {
    const begin = play(own, pushed.slice(0, 1));
    const [place, reference] = Object.entries(begin.references)[0] ?? ["", undefined];
    if (reference === undefined) throw new Error("There is no reference.");
    const tags: [number, string, string, string][] = [];
    let state = begin;
    const since = new Map<string, number>();
    for (let run = 1; run <= 96; run += 1) {
      const at = midnight + run * 30 * minute;
      for (let tag = 0; tag < 8; tag += 1) tags.push([at, `refs/tags/v${tag}`, "0123456789", "abcdefabcd"]);
      const rewritten = tags.slice(-8);
      const next = {
        ...state,
        runs: [["r", at]] as FeedState["runs"],
        references: { [place]: { ...reference, rewritten } },
      };
      const after = withDecision(own, listNodes(own), state, next);
      for (const id of Object.values(after.notifications?.outbox ?? {}).flatMap(({ events }) => events))
        since.set(id, after.notifications?.events[id]?.since ?? 0);
      state = isSent ? { ...after, notifications: allSent(after.notifications) } : after;
    }
    expect([...since.values()].map((at) => (at - midnight) / hour)).toEqual(hours);
  });
});

describe("a new rule for a feed with many offline mirrors", () => {
  const many = Array.from({ length: 11 }, (_, index) => ({ id: index + 1, host: `m${index}.example.org` }));
  const all = [...many, { id: 12, host: "up.example.org" }];
  const seen = Object.fromEntries(many.map(({ id }) => [id, "timeout"]));
  const runs = [{ at: 0 }, { at: 1, seen }, { at: 40, seen }];
  const own = notifiedConfig(all);
  const state = playRun(own, play(notifiedConfig(all, []), runs), { at: 41, seen });
  const [id = ""] = Object.keys(state.notifications?.outbox ?? {});

  test("makes one message of more than ten events, which know it, and so do their ends", () => {
    expect(messagesOf(state)).toEqual(["ops begin 11 events"]);
    const digests = Object.values(state.notifications?.events ?? {}).map(({ to }) => to["ops"]?.digest);
    expect(new Set(digests)).toEqual(new Set([id]));
    const stored = parseState(formatState(state), "here");
    expect(formatState(stored)).toBe(formatState(state));
    expect(playRun(own, stored, { at: 42 }).notifications).toBeUndefined();
    const back = playRun(own, { ...stored, notifications: allSent(stored.notifications) }, { at: 42 });
    expect(messagesOf(back)).toEqual(["ops end 11 events"]);
    const notifications = allSent(back.notifications);
    expect(notifications).toEqual({ events: {}, outbox: {} });
    expect(playRun(own, { ...back, notifications }, { at: 43 }).notifications).toBeUndefined();
  });

  test("makes a message of many events, which is over with the last of them", () => {
    const isOver = (after: FeedState): (boolean | undefined)[] =>
      listWaiting(resolveStored(own, listNodes(own), after), midnight + 99 * hour, {}).flatMap(
        ({ message }) => message.events.map(({ digest }) => (digest?.id === id ? digest.isOver : undefined)),
      );
    const sent = { ...state, notifications: allSent(state.notifications) };
    const some = playRun(own, sent, { at: 42, seen: { 1: "timeout" } });
    expect(isOver(some)).toEqual(Array(10).fill(false));
    expect(isOver(playRun(own, some, { at: 43 }))).toEqual(Array(11).fill(true));
  });

  test("makes a message of each of ten events", () => {
    const before = play(notifiedConfig(all.slice(1), []), runs);
    expect(said(notifiedConfig(all.slice(1)), [{ at: 41, seen }], before)).toHaveLength(10);
  });
});

describe("a feed whose last run is old", () => {
  const own = notifiedConfig([{ id: 1 }], { to: ["ops", "contact"] });
  const state = playRun(own, undefined, { at: 0 });
  const judge = (before: FeedState, at: number, by = own): FeedState => ({
    ...before,
    notifications: updateFeedEvent(resolveStored(by, listNodes(by), before), midnight + at * hour),
  });

  test("is an event once the next run is overdue for as long as the rule says, and its next run ends it", () => {
    expect(messagesOf(judge(state, 2.49))).toEqual([]);
    const old = judge(state, 2.5);
    expect(messagesOf(old)).toEqual(["ops begin feed "]);
    expect(Object.values(old.notifications?.events ?? {})[0]?.since).toBe(midnight + 30 * minute);
    expect(judge(old, 9).notifications).toBe(old.notifications);
    expect(judge(playRun(own, old, { at: 10 }), 10.1).notifications).toEqual({ events: {}, outbox: {} });
    const told = { ...old, notifications: allSent(old.notifications) };
    const back = judge(playRun(own, told, { at: 10 }), 10.1);
    expect(messagesOf(back)).toEqual(["ops end feed "]);
    expect(allSent(back.notifications)).toEqual({ events: {}, outbox: {} });
  });

  test.each([[{ scope: "a.example.org", to: ["ops"] }], [[]]])("begins not for the rules %j", (notify) => {
    expect(judge(state, 99, notifiedConfig([{ id: 1 }], notify)).notifications).toBeUndefined();
  });

  test("is unknown without a run", () => {
    expect(judge({ ...state, runs: [] }, 99).notifications).toBeUndefined();
  });
});
