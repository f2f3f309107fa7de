import { describe, expect, test } from "vitest";
import type { Config } from "../../../src/core/config/config-schema.ts";
import { listNodes } from "../../../src/core/config/nodes.ts";
import { resolveStored } from "../../../src/app/advance-feed.ts";
import type { FeedState } from "../../../src/app/state-document.ts";
import { confirm, toldAfterRestoring } from "../../../src/features/notify/claims.ts";
import type { Line } from "../../../src/features/notify/told.ts";
import type { Delivery } from "../../../src/features/notify/channels/channel.ts";
import {
  notifiedConfig,
  type NotifiedRun,
  playRun,
  tell,
  type TellOptions,
} from "../../support/notified-feed.ts";
import { day, hour, midnight, minute } from "../../support/playing.ts";
import type { Seen } from "../../support/rounds.ts";

const mirrors = [
  { id: 1, contact: "ann" },
  { id: 2, contact: "bob" },
  { id: 3, host: "b.example.org", target: "u" },
];
const config = notifiedConfig(mirrors);

/** Runs, or the text of runs such as `0: 1:12`: at hour 0 all mirrors are online, and at hour 1 mirrors 1 and 2 are not. */
type Runs = string | readonly NotifiedRun[];

function runsOf(runs: Runs, code = "timeout"): readonly NotifiedRun[] {
  if (typeof runs !== "string") return runs;
  return runs.split(" ").map((run) => {
    const [at, offline = ""] = run.split(":");
    return { at: Number(at), seen: Object.fromEntries(offline.split("").map((id) => [id, code])) };
  });
}

/** Plays these runs, after each of which the channels are told. */
function playTelling(own: Config, runs: Runs, before?: FeedState) {
  const said: string[] = [];
  let state = before;
  for (const run of runsOf(runs)) {
    const told = tell(own, playRun(own, state, run));
    said.push(...told.said);
    state = told.state;
  }
  if (state === undefined) throw new Error("There is no run.");
  return { said, state };
}

/** Plays these runs, and tells nobody. */
function play(own: Config, runs: Runs): FeedState {
  const silent = { ...own, notify: [] };
  return playTelling(silent, runs).state;
}

function said(own: Config, runs: Runs, before?: FeedState): string[] {
  return playTelling(own, runs, before).said;
}

/** Returns the keys for maintenance of a host between these hours, or of what is in this scope. */
function maintained(start: number, end: number, scope: string | number = "a.example.org") {
  const [from, to] = [start, end].map((at) => new Date(midnight + at * hour).toISOString());
  return { maintenance: [{ scope, reason: "Work", from, to }] };
}

const begun = "0: 1:12 2:12";
const [begin, end] = ["ops begin offline 1,2", "ops end offline 1,2"];
const [begin1, end1, begin2] = ["ops begin offline 1", "ops end offline 1", "ops begin offline 2"];

describe("mirrors of a host that go offline", () => {
  test.each<[string, string, string[]]>([
    ["are no event at once", "0: 1:12", []],
    ["are no event for less than an hour", "0: 1:12 1.9:12", []],
    ["are an event after an hour", "0: 1:12 2:12", [begin]],
    ["are the same event in the next run", "0: 1:12 2:12 3:12", [begin]],
    ["are over once when they are back", "0: 1:12 2:12 3: 4:", [begin, end]],
    ["are no event if they come back sooner", "0: 1:12 1.5: 3:", []],
    ["are another event after the end", "0: 1:12 2:12 3: 4:12 5:12", [begin, end, begin]],
    ["join the event later", "0: 1:1 2:12 3:12 4:", [begin, end]],
    ["are one event if they fail in turns", "0: 1:1 1.5:2 2:1 2.5:2 4:", [begin1, end]],
    ["are two events if one is back long before", "0: 1:1 2:1 2.5: 3:2 3.5:2 4:2", [begin1, end1, begin2]],
    ["last until all are back", "0: 1:12 2:12 4:2", [begin]],
    ["do not count a late run", "0: 1:12 2:12 1.5:", [begin]],
  ])("%s", (_, runs, messages) => {
    expect(said(config, runs)).toEqual(messages);
  });

  test("are the same event in a repeated run, and if they fail for another reason", () => {
    expect(said(config, [...runsOf(begun), { at: 3, run: "r2" }])).toEqual([begin]);
    expect(said(config, [...runsOf(begun), ...runsOf("3:12 4:12 5:12", "refused")])).toEqual([begin]);
  });

  test("go to every channel that a rule names, once, and later to those of a later rule", () => {
    const hook = { type: "webhook", urlEnv: "HOOK_URL" };
    // The last one has the name of a property that every object has.
    const channels = { ops: hook, ann: hook, bob: hook, constructor: hook };
    const named = [
      { name: "all", to: ["ops", "contact"] },
      { name: "again", to: ["ops"] },
      { name: "late", to: ["constructor"], after: "3h" },
    ];
    const rules = notifiedConfig(mirrors, named, { channels });
    expect(said(rules, begun)).toEqual(["ann begin offline 1", "bob begin offline 2", begin]);
    const later = playTelling(rules, `${begun} 4:12`);
    expect(later.said).toContain("constructor begin offline 1,2");
    const lines = Object.values(later.state.notifications?.lines ?? {});
    const told = lines.map(({ channel, rule }) => `${channel} by ${rule}`);
    expect(told.toSorted()).toEqual(["ann by all", "bob by all", "constructor by late", "ops by all"]);
  });

  test("are told and over by the delay of their own rule", () => {
    const rules = [
      { scope: 1, to: ["ops"], after: "0s" },
      { scope: 2, to: ["ops"], after: "6h" },
    ];
    const own = notifiedConfig(mirrors, rules);
    const separate = [begin1, end1, begin2, "ops end offline 2"];
    expect(said(own, "0: 1:12 2:12 3:2 4:2 7:2 8:")).toEqual(separate);
    expect(said(own, "0: 1:12 2:12 7:12 8:")).toEqual([begin1, end]);
  });

  test("go to a channel by each of its rules", () => {
    const each = [1, 2].map((scope) => ({ scope, to: ["ops"] }));
    expect(said(notifiedConfig(mirrors, each), begun)).toEqual([begin]);
  });

  test("end for the contact whose mirror is back, and last for the others", () => {
    const contacts = notifiedConfig(mirrors, { to: ["contact"] });
    expect(said(contacts, `${begun} 3:2`).slice(2)).toEqual(["ann end offline 1"]);
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

  const ops = { to: ["ops"] };
  test.each<[string, Config]>([
    ["the rule went", notifiedConfig(mirrors, [])],
    ["the rule's scope changed", notifiedConfig(mirrors, { ...ops, scope: 3 })],
    ["the rule's events changed", notifiedConfig(mirrors, { ...ops, events: ["behind"] })],
    ["the rule's delay changed", notifiedConfig(mirrors, { ...ops, after: "9h" })],
    ["they are not the contact's", notifiedConfig(mirrors, { to: ["contact"] }, { contacts: {} })],
    ["they left mirrors.json", notifiedConfig([{ id: 3 }])],
    ["they have another URL", notifiedConfig(mirrors.map((one) => ({ ...one, path: `moved/${one.id}` })))],
  ])("are forgotten without a word if %s", (_, own) => {
    const { said: all, state } = playTelling(own, "3:12 4:12", playTelling(config, begun).state);
    const lines = Object.values(state.notifications?.lines ?? {});
    expect(lines.filter(({ channel }) => channel === "ops")).toEqual([]);
    expect(all.filter((text) => text.startsWith("ops"))).toEqual([]);
  });

  test("are events of their own if they went offline before there were incidents", () => {
    const state = { ...play(config, "0: 1:12"), incidents: undefined };
    expect(said(config, "2:12", state)).toEqual([begin1, begin2]);
  });

  test.each<[string, number, runs: string, string[]]>([
    ["begin nothing", 1.5, "0: 1:12 2:12 4:12", []],
    ["begin what began before when it is over", 1.5, "0: 1:12 2:12 5:12", [begin]],
    ["end nothing", 2.5, "0: 1:12 2:12 3:", [begin]],
    ["end when it is over", 2.5, "0: 1:12 2:12 3: 5:", [begin, end]],
  ])("in maintenance %s", (_, start, runs, messages) => {
    expect(said(notifiedConfig(mirrors, undefined, maintained(start, 5)), runs)).toEqual(messages);
  });
});

test.each([
  ["0:3 23:3", []],
  ["0:3 23:3 24:3", ["ops begin never_online 3"]],
  ["0:3 23:3 24:3 25:", ["ops begin never_online 3", "ops end never_online 3"]],
])("a mirror that was never online is an event after a day, and not offline: %s", (runs, messages) => {
  expect(said(config, runs)).toEqual(messages);
});

test.each<[string, Seen, object]>([
  ["a 429", "rate_limited", {}],
  ["no observation", undefined, {}],
  ["maintenance", "timeout", maintained(-24, 0.5, 3)],
])("a mirror that was never online after %s makes no incident and is not offline", (_, seen, more) => {
  const own = notifiedConfig(mirrors, { to: ["ops"], after: "0s" }, more);
  const { said: all, state } = playTelling(own, [{ at: 0, seen: { 3: seen } }, ...runsOf("1:3 2:3")]);
  expect(all).toEqual(["ops begin never_online 3"]);
  expect(state.incidents).toBeUndefined();
});

test("a certificate that expires soon is told once, and has no end", () => {
  const run = (at: number, days: number): NotifiedRun => ({
    at,
    seen: { 3: { tls_expires_at: new Date(midnight + days * day).toISOString() } },
  });
  const [early, soon] = [run(0, 14), run(1, 13.9)];
  const begins = "ops begin certificate 3";
  expect(said(config, [early])).toEqual([]);
  expect(said(notifiedConfig(mirrors, { to: ["ops"], certificateDays: 30 }), [early])).toEqual([begins]);
  expect(said(config, [early, soon, run(2, 80), run(3, 13.9)])).toEqual([begins]);
  const days = Array.from({ length: 20 }, (_, index) => run(2 + 24 * index, index < 9 ? 13.9 : 99));
  const { said: all, state } = playTelling(config, [early, soon, ...days]);
  expect([all, state.notifications?.lines]).toEqual([[begins], {}]);
  // A mirror may show another certificate in each run. It is told again when the first has expired.
  const fresh = Array.from({ length: 9 }, (_, index) => run(2 + index, 10 + index / 10));
  expect(said(config, [...fresh, run(11 * 24, 20)])).toEqual([begins, begins]);
  // Whoever was killed may have told of the first one.
  const killed = tell(config, play(config, [early, soon]), { deliver: () => "killed" });
  expect(said(config, [run(2, 10)], killed.state)).toEqual([]);
});

test("a mirror that flaps is told once, and its outages are silent until it was steady for a day", () => {
  const rules = [{ to: ["ops"] }, { to: ["boss"], events: ["offline"] }];
  const own = notifiedConfig(
    mirrors,
    rules.map((rule) => ({ ...rule, after: "0s" })),
  );
  const all = said(own, "0: 1:3 2: 3:3 4: 5:3 6: 7:3 8: 9:3 10: 33.9: 34: 35:3");
  const [begin3, end3] = ["begin offline 3", "end offline 3"];
  expect(all.filter((text) => text.startsWith("ops"))).toEqual([
    ...[`ops ${begin3}`, `ops ${end3}`, `ops ${begin3}`, `ops ${end3}`],
    ...["ops begin unstable 3", "ops end unstable 3", `ops ${begin3}`],
  ]);
  const falls = Array.from({ length: 6 }, () => [`boss ${begin3}`, `boss ${end3}`]).flat();
  expect(all.filter((text) => text.startsWith("boss"))).toEqual(falls.slice(0, 11));
});

test("an outage that was told before a rule about unstable mirrors was added ends in silence", () => {
  const rule = { to: ["ops"], after: "0s" };
  const { state } = playTelling(
    notifiedConfig(mirrors, { ...rule, events: ["offline"] }),
    "0: 1:3 2: 3:3 4: 5:3",
  );
  expect(said(notifiedConfig(mirrors, rule), "6:3 7:", state)).toEqual(["ops begin unstable 3"]);
});

describe("a family of a host that does not answer", () => {
  const host = "a.example.org";
  const checked = (at: number, ipv6?: "ok" | "timeout"): NotifiedRun => {
    return { at, families: [{ host, ipv4: "ok", ipv6 }] };
  };
  const dead = [1, 2].map((at) => checked(at, "timeout"));
  const [begins, ends] = ["begin", "end"].map((phase) => `ops ${phase} ipv6_unreachable ${host}`);

  test("is one event of all its mirrors, from the second check in a row to the second good one", () => {
    expect(said(config, dead.slice(0, 1))).toEqual([]);
    expect(said(config, dead)).toEqual([begins]);
    const unsteady = [checked(3, "ok"), checked(4, "timeout"), checked(5, "ok")];
    expect(said(config, [...dead, ...unsteady])).toEqual([begins]);
    expect(said(config, [...dead, checked(3, "ok"), checked(4, "ok")])).toEqual([begins, ends]);
  });

  test.each<[string, readonly NotifiedRun[]]>([
    ["no location observes it any more", [checked(3), { at: 30 }, { at: 60 }]],
    ["its mirrors are offline", runsOf("3:12 4:12 50:12")],
  ])("does not end because %s", (_, runs) => {
    expect(said(config, [...dead, ...runs]).filter((text) => text.includes("ipv6"))).toEqual([begins]);
  });

  test("begins for the mirrors of a rule, and is one event although others are before them", () => {
    const own = notifiedConfig(mirrors, { events: ["ipv6_unreachable"], scope: 2, to: ["ops"] });
    expect(said(own, [...dead, checked(3, "timeout"), { at: 4 }])).toEqual([begins]);
    const { state } = playTelling(config, dead);
    expect(said(notifiedConfig(mirrors.slice(1)), [checked(3, "timeout")], state)).toEqual([]);
    expect(said(notifiedConfig(mirrors.slice(2)), "3:", state)).toEqual([]);
  });
});

describe("what is said is what is so now", () => {
  const one = notifiedConfig([{ id: 1 }, { id: 2, host: "b.example.org" }], { to: ["ops"], after: "0s" });
  const outcomes: Readonly<Record<string, Delivery | "killed">> = {
    s: { outcome: "sent" },
    f: { outcome: "failed", reason: "" },
    l: { outcome: "failed", reason: "", mayHaveArrived: true },
    k: "killed",
  };
  /**
   * Plays one step for each letter, an hour apart. `u` and `d` are runs with the mirror up or down, and `m` is one in
   * which it was not observed. With the other letters, the channel is told: `s` succeeds, `f` fails, with `l` the answer
   * is lost, and with `k` the sender is killed.
   */
  function heard(letters: string): string[] {
    let state: FeedState | undefined;
    const all: string[] = [];
    for (const [at, letter] of letters.split("").entries()) {
      const delivery = outcomes[letter];
      if (delivery === undefined) {
        const seen: Record<string, Seen> = { u: "ok", d: at % 2 === 0 ? "timeout" : "refused" };
        state = playRun(one, state, { at, seen: { 1: seen[letter] } });
      } else if (state !== undefined) {
        const told = tell(one, state, { now: midnight + (at - 0.5) * hour, deliver: () => delivery });
        state = told.state;
        if (letter !== "f") all.push(...told.said.map((text) => text.split(" ")[1] ?? ""));
      }
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
    ["udsms", ["begin"]],
    ["udsmsus", ["begin", "end"]],
    ["udkus", ["begin", "end"]],
    ["udkds", ["begin", "begin"]],
    ["udlus", ["begin", "end"]],
    ["udlds", ["begin", "begin"]],
    ["udkudks", ["begin", "begin", "begin"]],
    ["udsukds", ["begin", "end", "begin"]],
    ["udsukus", ["begin", "end", "end"]],
  ])("after %s a channel heard %j", (letters, messages) => {
    expect(heard(letters)).toEqual(messages);
  });

  test("nothing is said of mirrors once the feed has expired, and all that is so is known after a restore", () => {
    const down = play(one, "0: 1:1");
    expect(tell(one, down, { now: midnight + 27 * hour }).said).toEqual(["ops begin feed runs"]);
    const late = notifiedConfig([{ id: 1 }, { id: 2 }], { to: ["ops"], after: "9h" });
    const notifications = toldAfterRestoring(resolveStored(late, listNodes(late), down));
    const restored = { ...down, notifications };
    expect(said(late, "2:1 10:1 11:1", restored)).toEqual([]);
    expect(said(late, "12:", restored)).toEqual([end1]);
  });
});

describe("the content of a target", () => {
  const http = { probe: { kind: "http" }, freshness: { grace: "24h" } };
  const contentConfig = (more: object = {}): Config =>
    notifiedConfig([{ id: 1, primary: true }, { id: 2 }], undefined, { ...http, ...more });
  const own = contentConfig();
  const revision = "a".repeat(40);
  const seenBy: Readonly<Record<string, Seen>> = {
    a: { revision },
    b: { revision: "b".repeat(40) },
    c: { revision: "c".repeat(40) },
    w: { revision, content_code: "missing_file" },
    "?": { revision: undefined },
    "-": "timeout",
  };
  /**
   * Returns the runs of a text such as `0:aa 1:ba`: the primary has the content `a` and then `b`, and the other mirror has `a`.
   * The other mirror may also be wrong (`w`), not comparable (`?`) or offline (`-`).
   */
  const contents = (text: string): NotifiedRun[] =>
    text.split(" ").map((run) => {
      const [at, letters = ""] = run.split(":");
      const [primary = "", other = ""] = letters.split("");
      return { at: Number(at), seen: { 1: seenBy[primary], 2: seenBy[other] } };
    });
  const [behind, inSync] = ["ops begin behind 2", "ops end behind 2"];
  const [wrong, differs] = ["ops begin wrong_content 2", "ops begin differs 2"];

  test.each<[string, runs: string, string[]]>([
    ["is no event if a mirror is behind for less than a day", "0:aa 1:ba", []],
    ["is an event if a mirror is behind for a day", "0:aa 1:ba 25:ba", [behind]],
    ["is over when the mirror has it", "0:aa 1:ba 25:ba 26:bb", [behind, inSync]],
    ["is unknown while the mirror is offline", "0:aa 1:ba 25:ba 25.5:b-", [behind]],
    ["is no event if it is wrong for less than a day", "0:aw 23:aw", []],
    ["is an event if it is wrong for a day", "0:aw 24:aw", [wrong]],
    ["is one event, of the worse state, if a mirror is wrong and behind", "0:aw 1:bw 30:bw", [wrong]],
    ["stays behind while it is wrong", "0:aa 1:ba 25:ba 25.5:bw 26:ba", [behind]],
    ["stays behind while it cannot be compared", "0:aa 1:ba 25:ba 26:b?", [behind]],
    ["is no longer behind if it differs", "0:aa 1:ba 25:ba 26:bc 51:bc", [behind, inSync, differs]],
  ])("%s", (_, runs, messages) => {
    expect(said(own, contents(runs))).toEqual(messages);
  });

  test("ends no event in maintenance", () => {
    const paused = contentConfig(maintained(25.5, 26.5));
    expect(said(paused, contents("0:aa 1:ba 25:ba 26:bb"))).toEqual([behind]);
    expect(said(paused, contents("0:aa 1:ba 25:ba 26:bb 27:bb"))).toEqual([behind, inSync]);
  });

  test("is told of rewritten tags once a day, for seven days", () => {
    const begin = play(own, contents("0:aa"));
    const [place, reference] = Object.entries(begin.references)[0] ?? ["", undefined];
    if (reference === undefined) throw new Error("There is no reference.");
    let state = begin;
    const all: number[] = [];
    for (let run = 1; run <= 600; run += 1) {
      const at = midnight + run * 30 * minute;
      // In the first two days, each run finds a rewritten tag. The state keeps the last eight.
      const last = Math.min(run, 96);
      const tags = Array.from({ length: Math.min(last, 8) }, (_, index) => last - index).reverse();
      const rewritten = tags.map((one): [number, string, string, string] => {
        return [midnight + one * 30 * minute, "refs/tags/v1", "0123456789", ""];
      });
      const references = { [place]: { ...reference, rewritten } };
      const next = tell(own, { ...state, runs: [["r", at]], references });
      if (next.said.length > 0) all.push((at - midnight) / hour);
      state = next.state;
    }
    expect(all).toEqual([0.5, 24.5, 48.5]);
    expect(state.notifications?.lines).toEqual({});
  });
});

describe("a channel gets six messages an hour", () => {
  test("and then what is so at the end of the hour, with outages first", () => {
    const rule = { to: ["ops"], after: "0s", events: ["offline"] };
    const own = notifiedConfig([{ id: 1 }, { id: 2, host: "b.example.org" }], rule);
    const { said: all, state } = playTelling(own, "0: 0.1:1 0.2: 0.3:1 0.4: 0.5:1 0.6: 0.7:1 0.8: 0.9:1");
    expect(all).toHaveLength(6);
    expect(said(own, "1.05:", state)).toEqual([]);
    expect(said(own, "1.1:1", state)).toEqual([begin1]);
  });

  test("each with all that is to be said", () => {
    const all = Array.from({ length: 30 }, (_, index) => ({ id: index + 1, host: `m${index}.example.org` }));
    const rule = { to: ["ops", "issues"], after: "0s" };
    const many = notifiedConfig([...all, { id: 31, host: "up.example.org" }], rule);
    const down = { at: 1, seen: Object.fromEntries(all.map(({ id }) => [id, "timeout"])) };
    const { state, said: texts } = tell(many, play(many, [{ at: 0 }, down]));
    expect(texts.filter((text) => text.startsWith("ops"))).toHaveLength(30);
    expect(texts.filter((text) => text.startsWith("issues"))).toHaveLength(6);
    expect(state.notifications?.channels["ops"]?.sent).toHaveLength(1);
  });
});

describe("the feed as a whole", () => {
  const own = notifiedConfig([{ id: 1 }], { to: ["ops", "contact"] });
  const state = play(own, "-1.5: -1: -0.5: 0:");
  const at = (hours: number): TellOptions => ({ now: midnight + hours * hour });

  test.each([
    ["-1.5: -1: -0.5: 0:", 2.49, 2.5, "it has expired and the next run is overdue for long enough"],
    ["0:", 25.9, 26, "a day, while the interval of the runs is not measured"],
    ["-12: -6: 0:", 25.9, 26, "a day, while three runs do not measure it"],
    ["0: 6: 12: 18:", 29, 31, "it has expired, however long its runs really take"],
  ])("with runs at %s is no event at %f hours, and one at %f: after %s", (runs, before, after) => {
    const ran = play(own, runs);
    expect(tell(own, ran, at(before)).said).toEqual([]);
    expect(tell(own, ran, at(after)).said).toEqual(["ops begin feed runs"]);
  });

  test("is an event once, which the next run ends", () => {
    const old = tell(own, state, at(2.5));
    expect(Object.values(old.state.notifications?.lines ?? {})[0]?.since).toBe(midnight + 30 * minute);
    for (const hours of [9, 2.45]) {
      // Also a machine whose clock is a little behind keeps what another has told.
      const next = tell(own, old.state, at(hours));
      expect([next.said, next.state.notifications?.lines]).toEqual([[], old.state.notifications?.lines]);
    }
    expect(tell(own, playRun(own, old.state, { at: 10 }), at(10.1)).said).toEqual(["ops end feed runs"]);
  });

  test("is an event while the site serves an old run, if that is known", () => {
    const runs = play(
      own,
      Array.from({ length: 13 }, (_, index) => ({ at: index / 2 })),
    );
    const served = (hours: number) => ({ ...at(6), servedAt: midnight + hours * hour });
    expect(tell(own, runs, served(4.5)).said).toEqual([]);
    const stale = tell(own, runs, served(4));
    expect(stale.said).toEqual(["ops begin feed site"]);
    for (const options of [at(6), served(4)]) expect(tell(own, stale.state, options).said).toEqual([]);
    expect(tell(own, stale.state, served(6)).said).toEqual(["ops end feed site"]);
  });

  test.each([[{ scope: "a.example.org", to: ["ops"] }], [[]]])("is no event for the rules %j", (notify) => {
    expect(tell(notifiedConfig([{ id: 1 }], notify), state, at(99)).said).toEqual([]);
  });
});

const line: Line = { channel: "ops", event: "feed", subject: "runs", nodes: [], since: 1, rule: "rule-1" };
const [slow, other] = ["000000000000000a", "000000000000000b"];

test("a sender that was suspended changes nothing that another has claimed since", () => {
  const claimed: Line = { ...line, claim: { phase: "begin", until: 9, by: other } };
  const told = { lines: { [slow]: claimed }, channels: {} };
  const sent = { ids: [slow], delivery: { outcome: "sent" } } as const;
  const after = confirm(told, "ops", [sent], { by: slow, claimedAt: 1, now: 2 });
  expect(after.lines).toEqual(told.lines);
  expect(confirm(told, "ops", [sent], { by: other, claimedAt: 1, now: 2 }).lines).toEqual({ [slow]: line });
});

test.each(["begin", "end"] as const)("a failed %s stays claimed if an earlier claim has lapsed", (phase) => {
  const failed = { ids: [slow], delivery: { outcome: "failed", reason: "Refused." } } as const;
  const afterFailure = (again?: true) => {
    const claimed: Line = { ...line, claim: { phase, until: 9, by: slow, again } };
    const told = { lines: { [slow]: claimed }, channels: {} };
    return confirm(told, "ops", [failed], { by: slow, claimedAt: 1, now: 2 }).lines[slow];
  };
  expect(afterFailure(true)).toEqual({ ...line, claim: { phase, until: 2, by: slow, again: true } });
  expect(afterFailure()).toEqual(phase === "begin" ? undefined : line);
});
