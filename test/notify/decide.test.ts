import { describe, expect, test } from "vitest";
import { listNodes } from "../../src/config/nodes.ts";
import type { Config } from "../../src/config/schema.ts";
import { resolveState } from "../../src/feed/resolve.ts";
import { markSent } from "../../src/notify/outbox.ts";
import { listDue } from "../../src/notify/send.ts";
import { formatState, parseState } from "../../src/state/document.ts";
import type { State } from "../../src/state/schema.ts";
import {
  messagesOf,
  notifiedConfig,
  type NotifiedRun,
  playRun,
  withDecision,
} from "../support/notified-feed.ts";
import { day, hour, midnight } from "../support/playing.ts";

const mirrors = [
  { id: 1, contact: "ann" },
  { id: 2, contact: "bob" },
  { id: 3, host: "b.example.org", target: "u" },
];
const down = { 1: "timeout", 2: "timeout" };

/** Returns the messages that wait after these runs. */
function messagesAfter(config: Config, runs: readonly NotifiedRun[]): string[] {
  return messagesOf(play(config, runs));
}

function play(config: Config, runs: readonly NotifiedRun[], before?: State): State {
  const last = runs.reduce<State | undefined>((state, run) => playRun(config, state, run), before);
  if (last === undefined) throw new Error("There is no run.");
  return last;
}

const begin = [{ at: 0 }, { at: 1, seen: down }, { at: 2, seen: down }];

describe("mirrors of a host that go offline", () => {
  const config = notifiedConfig(mirrors);

  test("are one event after an hour, and one when they are back", () => {
    expect(messagesAfter(config, begin.slice(0, 2))).toEqual([]);
    expect(messagesAfter(config, [...begin.slice(0, 2), { at: 1.9, seen: down }])).toEqual([]);
    expect(messagesAfter(config, begin)).toEqual(["ops begin offline 1,2"]);
    expect(messagesAfter(config, [...begin, { at: 3, seen: down }])).toEqual(["ops begin offline 1,2"]);
    const back = [...begin, { at: 3 }, { at: 4 }];
    expect(messagesAfter(config, back)).toEqual(["ops begin offline 1,2", "ops end offline 1,2"]);
  });

  test("are none if they come back sooner", () => {
    expect(play(config, [...begin.slice(0, 2), { at: 1.5 }, { at: 3 }]).notifications).toBeUndefined();
  });

  test("are another event if they fail again after the end, in the same incident", () => {
    const state = play(config, [...begin, { at: 3 }, { at: 4, seen: down }, { at: 5, seen: down }]);
    expect(Object.keys(state.incidents ?? {})).toHaveLength(1);
    expect(messagesOf(state)).toEqual([
      "ops begin offline 1,2",
      "ops end offline 1,2",
      "ops begin offline 1,2",
    ]);
    expect(Object.keys(state.notifications?.events ?? {})).toHaveLength(2);
  });

  test("join the event later, which lasts until all are back", () => {
    const joined = [
      { at: 0 },
      { at: 1, seen: { 1: "timeout" } },
      { at: 2, seen: down },
      { at: 3, seen: down },
    ];
    expect(messagesAfter(config, joined)).toEqual(["ops begin offline 1,2"]);
    const one = [...joined, { at: 4, seen: { 2: "timeout" } }];
    expect(messagesAfter(config, one)).toEqual(["ops begin offline 1,2"]);
    expect(messagesAfter(config, [...one, { at: 5 }])).toEqual([
      "ops begin offline 1,2",
      "ops end offline 1,2",
    ]);
  });

  test("end their event if they leave mirrors.json, or have another URL", () => {
    const state = play(config, begin);
    const gone = playRun(notifiedConfig([{ id: 3 }]), state, { at: 3 });
    expect(messagesOf(gone)).toEqual(["ops begin offline 1,2", "ops end offline 1,2"]);
    const moved = notifiedConfig(mirrors.map((one) => ({ ...one, path: `moved/${one.id}` })));
    const others = playRun(moved, state, { at: 3, seen: down });
    expect(messagesOf(others)).toEqual(["ops begin offline ", "ops end offline "]);
  });

  test("are one event for each run that a repetition, a late one or a void one is not", () => {
    const state = play(config, begin);
    const same = (run: NotifiedRun): unknown => playRun(config, state, run).notifications;
    expect(same({ at: 2, seen: {} })).toBe(state.notifications);
    expect(same({ at: 1.5, seen: {} })).toBe(state.notifications);
    expect(same({ at: 3, seen: {}, run: "r2" })).toBe(state.notifications);
  });

  test("go to every channel that a rule names, once, and later to those of a later rule", () => {
    const rules = notifiedConfig(mirrors, [
      { name: "all", to: ["ops", "contact"] },
      { name: "again", to: ["ops"] },
      { name: "late", to: ["boss"], after: "3h" },
    ]);
    expect(messagesAfter(rules, begin)).toEqual([
      "ann begin offline 1,2",
      "bob begin offline 1,2",
      "ops begin offline 1,2",
    ]);
    const later = play(rules, [...begin, { at: 4, seen: down }]);
    expect(messagesOf(later).at(-1)).toBe("boss begin offline 1,2");
    const [event] = Object.values(later.notifications?.events ?? {});
    expect(Object.entries(event?.to ?? {}).map(([channel, { rule }]) => [channel, rule])).toEqual([
      ["ann", "all"],
      ["bob", "all"],
      ["ops", "all"],
      ["boss", "late"],
    ]);
  });

  test("end for the contact whose mirror is back, and last for the others", () => {
    const contacts = notifiedConfig(mirrors, { to: ["contact"] });
    const state = play(contacts, [...begin, { at: 3, seen: { 2: "timeout" } }]);
    expect(messagesOf(state).slice(2)).toEqual(["ann end offline 1,2"]);
  });

  test("are an event of a rule about their host, path or id alone", () => {
    for (const scope of ["a.example.org", "s/p/t", "s/p", 1])
      expect(
        messagesAfter(notifiedConfig(mirrors, { scope, to: ["ops"] }), begin),
        String(scope),
      ).toHaveLength(1);
    for (const scope of ["b.example.org", "s/p/u", 3])
      expect(messagesAfter(notifiedConfig(mirrors, { scope, to: ["ops"] }), begin), String(scope)).toEqual(
        [],
      );
  });

  test("are no event for a channel that is gone, and one whose rule is gone gets the end", () => {
    const state = play(config, begin);
    const channels = { boss: { type: "webhook", urlEnv: "HOOK_URL" } };
    const without = notifiedConfig([{ id: 1 }, { id: 2 }, { id: 3 }], [], { channels });
    expect(playRun(without, state, { at: 3, seen: down }).notifications).toBeUndefined();
    const silent = notifiedConfig(mirrors, []);
    expect(messagesOf(playRun(silent, state, { at: 3, seen: down }))).toEqual([
      "ops begin offline 1,2",
      "ops end offline 1,2",
    ]);
  });
});

describe("mirrors in maintenance", () => {
  const window = { scope: "a.example.org", reason: "Work" };
  const [from, to] = [1.5, 5].map((at) => new Date(midnight + at * hour).toISOString());
  const config = notifiedConfig(mirrors, undefined, { maintenance: [{ ...window, from, to }] });

  test("begin nothing, also what began before, until it is over", () => {
    expect(messagesAfter(config, [...begin, { at: 4, seen: down }])).toEqual([]);
    expect(messagesAfter(config, [...begin, { at: 5, seen: down }])).toEqual(["ops begin offline 1,2"]);
  });

  test("end nothing", () => {
    const [late, end] = [2.5, 5].map((at) => new Date(midnight + at * hour).toISOString());
    const later = notifiedConfig(mirrors, undefined, { maintenance: [{ ...window, from: late, to: end }] });
    expect(messagesAfter(later, [...begin, { at: 3 }])).toEqual(["ops begin offline 1,2"]);
    expect(messagesAfter(later, [...begin, { at: 3 }, { at: 5 }])).toEqual([
      "ops begin offline 1,2",
      "ops end offline 1,2",
    ]);
  });
});

describe("a mirror", () => {
  const config = notifiedConfig(mirrors);

  test("that was never online is an event after a day, and not offline", () => {
    const runs = [0, 23, 24].map((at) => ({ at, seen: { 3: "timeout" } }));
    expect(messagesAfter(config, runs.slice(0, 2))).toEqual([]);
    expect(messagesAfter(config, runs)).toEqual(["ops begin never_online 3"]);
    expect(messagesAfter(config, [...runs, { at: 25 }]).at(-1)).toBe("ops end never_online 3");
  });

  test("that went offline before there were incidents is an event of its own", () => {
    const state = play(config, begin.slice(0, 2));
    const old = playRun(config, { ...state, incidents: undefined }, { at: 2, seen: down });
    expect(messagesOf(old)).toEqual(["ops begin offline 1", "ops begin offline 2"]);
  });

  test("whose certificate expires soon is an event, also while it is offline, until it has another", () => {
    const until = (days: number) => ({ tls_expires_at: new Date(midnight + days * day).toISOString() });
    const runs = [
      { at: 0, seen: { 3: until(14) } },
      { at: 1, seen: { 3: until(13.9) } },
    ];
    expect(messagesAfter(config, runs.slice(0, 1))).toEqual([]);
    expect(messagesAfter(config, runs)).toEqual(["ops begin certificate 3"]);
    const offline = [...runs, { at: 1.5, seen: { 3: "refused" } }];
    expect(messagesAfter(config, offline)).toEqual(["ops begin certificate 3"]);
    expect(messagesAfter(config, [...offline, { at: 2, seen: { 3: until(80) } }]).slice(0, 2)).toEqual([
      "ops begin certificate 3",
      "ops end certificate 3",
    ]);
    const days = notifiedConfig(mirrors, { to: ["ops"], certificateDays: 30 });
    expect(messagesAfter(days, runs.slice(0, 1))).toEqual(["ops begin certificate 3"]);
  });
});

describe("the content of a target", () => {
  const config = notifiedConfig(
    [
      { id: 1, primary: true },
      { id: 2, contact: "bob" },
    ],
    {
      to: ["ops", "contact"],
    },
  );
  const [old, young] = ["a", "b"].map((digit) => ({ revision: digit.repeat(40), branch: "main" }));
  const pushed = [
    { at: 0, seen: { 1: old, 2: old } },
    { at: 1, seen: { 1: young, 2: old } },
    { at: 25, seen: { 1: young, 2: old } },
  ];

  test("is an event if a mirror is behind for a day, until it is not", () => {
    expect(messagesAfter(config, pushed.slice(0, 2))).toEqual([]);
    const begun = ["bob begin behind 2", "ops begin behind 2"];
    expect(messagesAfter(config, pushed).sort()).toEqual(begun);
    const later = [...pushed, { at: 26, seen: { 1: young, 2: young } }];
    expect(messagesAfter(config, later).slice(2).sort()).toEqual(["bob end behind 2", "ops end behind 2"]);
  });

  test("is unknown while the mirror is offline, so that nothing ends", () => {
    const offline = [...pushed, { at: 25.5, seen: { 1: young, 2: "timeout" } }];
    expect(messagesAfter(config, offline)).toHaveLength(2);
    expect(messagesAfter(config, [...offline, { at: 26, seen: { 1: young, 2: young } }])).toHaveLength(4);
  });

  test("is an event if it is wrong for a day", () => {
    const wrong = (at: number) => ({ at, seen: { 1: old, 2: { ...old, content_code: "missing_file" } } });
    expect(messagesAfter(config, [wrong(0), wrong(23)])).toEqual([]);
    expect(messagesAfter(config, [wrong(0), wrong(24)]).sort()).toEqual([
      "bob begin wrong_content 2",
      "ops begin wrong_content 2",
    ]);
  });

  test("is an event of one run, without an end, if a tag was rewritten", () => {
    const first = play(config, pushed.slice(0, 1));
    const [place, reference] = Object.entries(first.references)[0] ?? ["", undefined];
    if (reference === undefined) throw new Error("There is no reference.");
    const at = midnight + hour;
    const rewritten: [number, string, string, string][] = [[at, "refs/tags/v1", "0123456789", ""]];
    const after = { ...first, references: { [place]: { ...reference, rewritten } } };
    const { notifications } = withDecision(config, listNodes(config), first, {
      ...after,
      runs: [...after.runs, ["tag", at]],
    });
    expect(messagesOf({ notifications })).toEqual(["ops begin rewritten 1"]);
    const [event] = Object.values(notifications?.events ?? {});
    expect(event).toMatchObject({ place: "s/p/t", ref: "refs/tags/v1", since: at });
    const next = playRun(config, { ...after, notifications }, { at: 2, seen: { 1: old, 2: old } });
    expect(messagesOf(next)).toEqual(["ops begin rewritten 1"]);
    const [id = ""] = Object.keys(next.notifications?.outbox ?? {});
    expect(markSent(next.notifications ?? { events: {}, outbox: {} }, id)).toEqual({
      events: {},
      outbox: {},
    });
  });
});

describe("a new rule for a feed with many offline mirrors", () => {
  const many = Array.from({ length: 11 }, (_, index) => ({ id: index + 1, host: `m${index}.example.org` }));
  const up = [...many, { id: 12, host: "up.example.org" }];
  const seen = Object.fromEntries(many.map(({ id }) => [id, "timeout"]));
  const runs = [{ at: 0 }, { at: 1, seen }, { at: 40, seen }];

  test("makes one message of more than ten events, which know it, and so do their ends", () => {
    const before = play(notifiedConfig(up, []), runs);
    expect(before.notifications).toBeUndefined();
    const config = notifiedConfig(up);
    const state = playRun(config, before, { at: 41, seen });
    expect(messagesOf(state)).toEqual(["ops begin 11 events"]);
    const [id] = Object.keys(state.notifications?.outbox ?? {});
    const digests = Object.values(state.notifications?.events ?? {}).map(({ to }) => to["ops"]?.digest);
    expect(new Set(digests)).toEqual(new Set([id]));
    const stored = parseState(formatState(state), "here");
    expect(formatState(stored)).toBe(formatState(state));
    const back = playRun(config, stored, { at: 42 });
    expect(messagesOf(back)).toEqual(["ops begin 11 events", "ops end 11 events"]);
    const sent = Object.keys(back.notifications?.outbox ?? {}).reduce(
      markSent,
      back.notifications ?? { events: {}, outbox: {} },
    );
    expect(sent).toEqual({ events: {}, outbox: {} });
    expect(playRun(config, { ...back, notifications: sent }, { at: 43 }).notifications).toBeUndefined();
  });

  test("makes a message of many events, which is over with the last of them", () => {
    const config = notifiedConfig(up);
    const begun = playRun(config, play(notifiedConfig(up, []), runs), { at: 41, seen });
    const [begin = ""] = Object.keys(begun.notifications?.outbox ?? {});
    const sent = begun.notifications && markSent(begun.notifications, begin);
    const isOver = (state: State): (boolean | undefined)[] =>
      listDue(resolveState(config, listNodes(config), state), midnight + 99 * hour).flatMap(({ message }) =>
        message.events.map(({ digest }) => (digest?.id === begin ? digest.isOver : undefined)),
      );
    const some = playRun(config, { ...begun, notifications: sent }, { at: 42, seen: { 1: "timeout" } });
    expect(isOver(some)).toEqual(Array(10).fill(false));
    expect(isOver(playRun(config, some, { at: 43 }))).toEqual(Array(11).fill(true));
  });

  test("makes a message of each of ten events", () => {
    const before = play(notifiedConfig(up.slice(1), []), runs);
    expect(messagesOf(playRun(notifiedConfig(up.slice(1)), before, { at: 41, seen }))).toHaveLength(10);
  });
});
