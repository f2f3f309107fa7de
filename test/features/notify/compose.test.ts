import { describe, expect, test } from "vitest";
import type { EventName } from "../../../src/core/config/notify-rules.ts";
import { dayMs as day } from "../../../src/core/base/text/time.ts";
import type { Told } from "../../../src/features/notify/told.ts";
import { mirrorsJson } from "../../support/mirrors-json.ts";
import {
  composed,
  decidedAt,
  eventId,
  type GivenEvent,
  hoursBefore,
  incident,
  incidents,
  notifyConfig,
  notifyState,
  timeout,
} from "../../support/notified-feed.ts";

const titleOf = (event: GivenEvent, options: Parameters<typeof composed>[1]): string =>
  composed([event], options).title;

const since = hoursBefore(3);
const back = { since: hoursBefore(0) };
const down = notifyState({ 1: timeout, 2: timeout, 3: {}, 4: timeout }, { incidents });
const offline: GivenEvent = { event: "offline", nodes: [1, 2, 4], subject: incident };

describe("a message of mirrors that are offline", () => {
  test("names the host and its mirrors, and leads to the incident", () => {
    const [event] = composed([offline], { state: down }).events;
    expect(event?.title).toBe("3 mirrors at git.example.org are offline");
    expect(event?.page).toBe("https://status.example.org/feed/incidents/2026-11-22-abcdef/");
    expect(event?.mirrors.map(({ id }) => id)).toEqual([1, 2, 4]);
  });

  const up = notifyState({ 1: back, 2: back, 3: {}, 4: { since: hoursBefore(1) } }, { incidents });
  const early = notifyState({ 4: { since: hoursBefore(1) } }, { incidents });
  const some = notifyState({ 1: timeout, 2: timeout, 3: {}, 4: {} }, { incidents });
  test.each([
    [[1, 2], some, "begin", "2 mirrors at git.example.org are offline"],
    [[1], some, "begin", "git.example.org/a/one is offline"],
    [[1, 2, 4], up, "end", "3 mirrors at git.example.org are back after 3 hours"],
    [[2], up, "end", "git.example.org/b/one is back after 3 hours"],
    [[4], early, "end", "git.example.org/a/two is back after 2 hours"],
  ] as const)("about %j says how many they are, or which one (%#)", (nodes, state, phase, title) => {
    expect(titleOf({ ...offline, nodes: [...nodes] }, { state, phase })).toBe(title);
  });

  test("says what each location saw, if there are several", () => {
    const tally = { hours: "", days: "" };
    const seen = (code?: string) => ({ times: [since], nodes: { 1: { code, ...tally } } });
    const locations = (vantages: typeof down.vantages) => {
      const { events } = composed([{ event: "offline", nodes: [1] }], { state: { ...down, vantages } });
      return events[0]?.mirrors[0]?.evidence.find(({ name }) => name === "Locations")?.value;
    };
    const three = { asia: seen("timeout"), eu: seen(), usa: seen("ok") };
    expect(locations(three)).toBe("asia timeout, eu not observed, usa ok");
    expect(locations({ eu: seen("timeout") })).toBeUndefined();
  });

  test("has the page of its mirror, or the overview if there are several", () => {
    const pageOf = (event: GivenEvent) => composed([event], { state: down }).events[0]?.page;
    const overview = "https://status.example.org/feed/";
    expect(pageOf({ event: "never_online", nodes: [1] })).toBe(`${overview}status/s/p/one/#node-1`);
    expect(pageOf({ event: "ipv6_unreachable", subject: "git.example.org", nodes: [1, 2] })).toBe(overview);
  });

  test("is about those that are still offline if it waited", () => {
    const state = notifyState({ 1: timeout, 2: {}, 4: timeout }, { incidents });
    expect(composed([offline], { state }).events[0]?.mirrors.map(({ id }) => id)).toEqual([1, 4]);
  });
});

describe("the title of each event says what began, and what is over", () => {
  const reference = {
    branch: "main",
    versions: [
      { value: "a".repeat(40), since: hoursBefore(90) },
      { value: "b".repeat(40), since: hoursBefore(50) },
    ],
    rewritten: [[since, "refs/tags/v1", "0123456789", ""]] as [number, string, string, string][],
  };
  const expiry = hoursBefore(-12 * 24 - 1);
  const plain = { status: 1, code: "ok", since: hoursBefore(2000), transitions: [] } as const;
  const clock = [hoursBefore(50), "refs/heads/main", "a".repeat(40)] as const;
  const stale = { freshness: "behind", late: true, behind: clock } as const;
  const old = { revision: "a".repeat(40), branch: "main" };
  const current = { revision: "b".repeat(40), branch: "main" };
  const wrong = { ...old, content_code: "missing_file" };
  const known = notifyState(
    { 1: current, 2: { ...wrong, ...stale, tls_expires_at: expiry } },
    {
      references: { "s/p/one": reference },
      hosts: { "other.example.net": { at: since, ipv4: { code: "tls", at: since, since } } },
    },
  );

  const [a, b] = ["git.example.org/a/one", "git.example.org/b/one"];
  const [one, title] = ["git.example.org", "Mirrors of example"];
  const family: GivenEvent = { event: "ipv6_unreachable", nodes: [1, 2, 4], subject: one };
  const neverOnline: GivenEvent = { event: "never_online", nodes: [1] };
  const firstThen = "was online for the first time after 3 hours";
  test.each<[GivenEvent, begin: string, end?: string]>([
    [{ event: "certificate", nodes: [2], since: expiry }, `The certificate of ${b} expires in 12 days`],
    [{ event: "certificate", nodes: [1], since: hoursBefore(1) }, `The certificate of ${a} has expired`],
    [family, `${one} cannot be reached over IPv6`, `${one} can be reached over IPv6 again after 3 hours`],
    [neverOnline, `${a} has never been online`, `${a} ${firstThen}`],
    [{ event: "rewritten", nodes: [1], subject: "s/p/one" }, "Tags of s/p/one moved or vanished"],
    [{ event: "unstable", nodes: [1] }, `${a} is unstable`, `${a} has been steady for 24 hours`],
    [
      { event: "feed", subject: "runs" },
      `${title}: the next run is overdue`,
      `${title}: runs are being saved again after 3 hours`,
    ],
    [
      { event: "feed", subject: "site" },
      `${title}: the published site is out of date`,
      `${title}: the published site is up to date again`,
    ],
  ])("%j", (event, begin, end) => {
    expect(titleOf(event, { state: known })).toBe(begin);
    if (end !== undefined) expect(titleOf(event, { state: known, phase: "end" })).toBe(end);
  });

  /** The states that the second mirror can have. */
  const states = {
    in_sync: { ...current, freshness: "in_sync" },
    not_compared: {},
    behind: { ...old, ...stale },
    differs: { ...old, revision: "c".repeat(40), freshness: "differs", content_since: since },
    wrong,
  } as const;
  const unequal = "It has differed from the reference for 3 hours.";
  const late = "It has been behind for 2 days: it still has the reference's earlier content.";
  const missing = "A file that it should have is missing.";

  const healthy = "It has no known problems.";
  const [offlineThen, wrongThen] = ["is back after 3 hours", "no longer has wrong content after 3 hours"];
  const unlike = "no longer differs from the reference after 3 hours";

  test.each<[event: EventName, phase: "begin" | "end", is: keyof typeof states, title: string, text: string]>(
    [
      ["behind", "begin", "behind", "has been behind for 3 hours", late],
      ["behind", "end", "in_sync", "is no longer behind after 3 hours", healthy],
      ["behind", "end", "differs", "is no longer behind after 3 hours, but is different now", unequal],
      ["differs", "begin", "differs", "has differed from the reference for 3 hours", unequal],
      ["differs", "end", "behind", `${unlike}, but is behind now`, late],
      ["wrong_content", "begin", "wrong", "has had wrong content for 3 hours", missing],
      ["wrong_content", "end", "behind", `${wrongThen}, but is behind now`, late],
      ["wrong_content", "end", "not_compared", wrongThen, healthy],
      ["never_online", "end", "wrong", `${firstThen}, but is wrong now`, missing],
      ["offline", "end", "in_sync", offlineThen, healthy],
      ["offline", "end", "wrong", `${offlineThen}, but is wrong now`, missing],
      ["offline", "end", "behind", `${offlineThen}, but is behind now`, late],
    ],
  )("the %s of %s says that the mirror is %s", (event, phase, is, title, text) => {
    const state = { ...known, nodes: { ...known.nodes, 2: { ...plain, ...back, ...states[is] } } };
    const message = composed([{ event, nodes: [2] }], { state, phase });
    expect(message.events[0]).toMatchObject({ title: `${b} ${title}`, sentence: text });
  });

  test("with evidence of the content", () => {
    const message = composed([{ event: "behind", nodes: [2], since: hoursBefore(50) }], { state: known });
    const evidence = message.events[0]?.mirrors[0]?.evidence;
    expect(evidence?.map(({ name, value }) => [name, value])).toEqual([
      ["Code", "missing_file"],
      ["Revision", "a".repeat(40)],
      ["Reference", `${"b".repeat(40)}, since 20 Nov 2026, 10:00 UTC`],
      ["Other mirrors", "1 online, 1 unknown"],
    ]);
  });

  test("and of several events, the first or how many there are of each", () => {
    const behind = Array<GivenEvent>(9).fill({ event: "behind", nodes: [2] });
    const few = composed([neverOnline, ...behind.slice(0, 2)], { state: known });
    expect(few.title).toBe(`${a} has never been online, and 2 more events`);
    const claim = { phase: "end" as const, until: decidedAt, by: eventId(1) };
    const over: GivenEvent = { event: "differs", nodes: [2], claim };
    const many = composed([offline, ...behind, over], { state: known });
    expect(many).toMatchObject({ title: "11 events: 1 offline, 9 behind, 1 over", more_events: 1 });
    expect(many.events).toHaveLength(10);
  });

  test("and the same content has the same id", () => {
    const idOf = (event: GivenEvent): string => composed([event], { state: known }).id;
    expect(idOf(offline)).toBe(idOf(offline));
    expect(idOf({ ...offline, since: 1 })).not.toBe(idOf(offline));
  });
});

describe("a channel hears", () => {
  const network = Array.from({ length: 30 }, (_, index) => ({
    id: index + 1,
    url: `https://git.example.org/${index + 1}`,
    ...(index === 4 && { contact: "admin" }),
  }));
  const config = notifyConfig(mirrorsJson(network));
  const ids = network.map(({ id }) => id);
  const state = notifyState(Object.fromEntries(ids.map((id) => [id, timeout])), { incidents });
  const event: GivenEvent = { event: "offline", nodes: ids, subject: incident };

  test("of 20 mirrors at most, and of how many more there are", () => {
    const message = composed([event], { state, config });
    expect(message.title).toBe("30 mirrors at git.example.org are offline");
    expect(message.events[0]?.mirrors).toHaveLength(20);
    expect(message.events[0]?.more_mirrors).toBe(10);
  });

  test("as a contact of its own mirror alone, and how to be left out", () => {
    const config = notifyConfig(mirrorsJson(network, { notify: { to: ["ops", "contact"] } }));
    const message = composed([event], { state, config, channel: "admin" });
    expect(message.title).toBe("git.example.org/5 is offline");
    expect(message.events[0]?.mirrors.map(({ id }) => id)).toEqual([5]);
    expect(JSON.stringify(message)).not.toMatch(/example\.org\/(?!5\b|feed\b)\d/);
    expect(message.reason).toBe("You get this because of the rule rule-1 for the channel admin.");
    expect(message.leave).toMatch(
      /^To stop these notifications, remove admin from the rules and contacts in mirrors\.json, or ask /,
    );
  });

  test("the names of its rules", () => {
    const events = [1, 2].map((id): GivenEvent => ({ event: "offline", nodes: [id], rule: `rule-${id}` }));
    const reason = "You get this because of the rules rule-1 and rule-2 for the channel ops.";
    expect(composed(events, { state, config }).reason).toBe(reason);
  });

  test("of the tags rewritten since the last such message, or for a week, without invisible characters", () => {
    const tags: [number, string, string, string][] = [
      [since - 8 * day, "refs/tags/v-1", "0123456789", ""],
      [since - 2 * day, "refs/tags/v0", "0123456789", ""],
      [since, "refs/tags/v1\u202e\u0007", "0123456789", "abcdefabcd"],
      [since + 1, "refs/tags/v2", "0123456789", ""],
      [since + 2, "refs/tags/v3", "0123456789", ""],
    ];
    const reference = { branch: "main", versions: [{ value: "a".repeat(40), since }], rewritten: tags };
    const known = { ...state, references: { "s/p/t": reference } };
    const rewritten: GivenEvent = { event: "rewritten", nodes: [1], subject: "s/p/t", since: since + 1 };
    const listed = (lines: Told["lines"] = {}) => {
      const state = { ...known, notifications: { lines, channels: {} } };
      const event = composed([rewritten], { state, config }).events[0];
      expect(event?.title).toBe("Tags of s/p/t moved or vanished");
      return event?.evidence.filter(({ name }) => name === "Ref").map(({ value }) => value);
    };
    const news = [
      "refs/tags/v2, 0123456789 before, missing now",
      String.raw`refs/tags/v1\u202e\u0007, 0123456789 before, abcdefabcd now`,
    ];
    expect(listed()).toEqual([...news, "refs/tags/v0, 0123456789 before, missing now"]);
    // Runs are late, so the last message is more than a day old.
    const line = { ...rewritten, channel: "ops", subject: "s/p/t", nodes: [1], rule: "rule-1" };
    expect(listed({ [eventId(9)]: { ...line, since: since - 1.5 * day } })).toEqual(news);
  });
});
