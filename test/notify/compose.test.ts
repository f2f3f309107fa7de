import { describe, expect, test } from "vitest";
import { composed, type GivenEvent, hoursBefore, notifyConfig, notifyState } from "../support/notified.ts";

const since = hoursBefore(3);
const timeout = { status: 0, code: "timeout", phase: "connect", since } as const;
const incident = "2026-11-22-abcdef";
const incidents = {
  [incident]: { host: "git.example.org", code: "timeout", start: since, outages: [] },
};
const down = notifyState({ 1: timeout, 2: timeout, 3: {}, 4: timeout }, { incidents });
const offline: GivenEvent = { event: "offline", nodes: [1, 2, 4], incident };

describe("a message of mirrors that are offline", () => {
  test("says which host, how many mirrors, why and how to probe again", () => {
    const message = composed([offline], { state: down });
    expect(message?.title).toBe("git.example.org is offline: 3 mirrors of 2 targets");
    expect(message?.events[0]?.sentence).toBe("It did not accept a connection in time.");
    expect(message?.events[0]?.page).toBe("https://status.example.org/feed/incidents/2026-11-22-abcdef/");
    expect(message?.events[0]?.mirrors[0]).toEqual({
      id: 1,
      name: "git.example.org/a/one",
      url: "https://git.example.org/a/one",
      place: "s/p/one",
      page: "https://status.example.org/feed/status/s/p/one/#node-1",
      evidence: [
        ["Code", "timeout"],
        ["Phase", "connect"],
        ["Other mirrors", "1 of 2 are reachable"],
      ],
      command: "mirrorfeed probe https://git.example.org/a/one --explain",
    });
  });

  test("names the host only if all of its mirrors are offline", () => {
    const some = notifyState({ 1: timeout, 2: timeout, 3: {}, 4: {} }, { incidents });
    const title = (nodes: number[]): string | undefined =>
      composed([{ ...offline, nodes }], { state: some })?.title;
    expect(title([1, 2])).toBe("2 of 3 mirrors at git.example.org are offline");
    expect(title([1])).toBe("git.example.org/a/one is offline");
  });

  test("says which locations see it, if there are several", () => {
    const tally = { hours: "", days: "" };
    const vantages = {
      asia: { times: [since], nodes: {} },
      eu: { times: [since], nodes: { 1: { code: "timeout", ...tally } } },
      usa: { times: [since], nodes: { 1: { code: "ok", ...tally } } },
      za: { times: [since], nodes: { 1: tally } },
    };
    const message = composed([{ event: "offline", nodes: [1] }], { state: { ...down, vantages } });
    expect(message?.events[0]?.mirrors[0]?.evidence).toContainEqual([
      "Locations",
      "eu (timeout), usa (ok), za (not observed)",
    ]);
  });

  test("says at its end how long it lasted", () => {
    const state = notifyState({ 1: {}, 2: {}, 3: {}, 4: {} }, { incidents });
    const host = composed([offline], { state, phase: "end" });
    expect(host?.title).toBe("git.example.org is back after 3 hours: 3 mirrors of 2 targets");
    const alone = composed([{ ...offline, nodes: [2] }], { state, phase: "end" });
    expect(alone?.title).toBe("git.example.org/b/one is back after 3 hours");
  });
});

describe("the title of each event says what began, and what is over", () => {
  const reference = {
    branch: "main",
    revisions: [
      ["a".repeat(16), hoursBefore(90)],
      ["b".repeat(16), hoursBefore(50)],
    ] as [string, number][],
    rewritten: [[since, "refs/tags/v1", "0123456789", ""]] as [number, string, string, string][],
  };
  const expiry = hoursBefore(-12 * 24 - 1);
  const known = notifyState(
    {
      1: { revision: "b".repeat(40), branch: "main" },
      2: { revision: "a".repeat(40), branch: "main", tls_expires_at: expiry, content_code: "missing_file" },
    },
    { references: { "s/p/one": reference } },
  );

  test.each([
    [
      { event: "behind", nodes: [2], since: hoursBefore(50) },
      "git.example.org/b/one is behind for 2 days",
      "git.example.org/b/one is no longer behind, after 2 days",
    ],
    [
      { event: "behind", nodes: [1], since: hoursBefore(50) },
      "git.example.org/a/one is behind for 2 days",
      "git.example.org/a/one is in sync again after 2 days",
    ],
    [
      { event: "differs", nodes: [2] },
      "git.example.org/b/one differs from the reference",
      "git.example.org/b/one is no longer different from the reference, after 3 hours",
    ],
    [
      { event: "wrong_content", nodes: [2] },
      "The content of git.example.org/b/one is wrong",
      "The content of git.example.org/b/one is no longer wrong, after 3 hours",
    ],
    [
      { event: "certificate", nodes: [2] },
      "The certificate of git.example.org/b/one expires in 12 days",
      "The certificate of git.example.org/b/one was renewed",
    ],
    [
      { event: "never_online", nodes: [2] },
      "git.example.org/b/one has never answered",
      "git.example.org/b/one answers for the first time",
    ],
    [
      { event: "rewritten", nodes: [1], place: "s/p/one", ref: "refs/tags/v1" },
      "The tag v1 of s/p/one vanished",
      "The tag v1 of s/p/one vanished",
    ],
    [
      { event: "feed" },
      "Mirrors of example: the next run is overdue for 3 hours",
      "Mirrors of example: runs are saved again after 3 hours",
    ],
  ] as const)("%j", (event, begin, end) => {
    const given = { ...event, nodes: "nodes" in event ? [...event.nodes] : [] };
    expect(composed([given], { state: known })?.title).toBe(begin);
    expect(composed([given], { state: known, phase: "end" })?.title).toBe(end);
  });

  test("with evidence of the content", () => {
    const message = composed([{ event: "behind", nodes: [2], since: hoursBefore(50) }], { state: known });
    expect(message?.events[0]?.mirrors[0]?.evidence).toEqual([
      ["Behind since", "20 Nov 2026, 10:00 UTC"],
      ["Code", "missing_file"],
      ["Meaning", "A file that its index names is missing."],
      ["Revision", "aaaaaaaaaa"],
      ["Branch", "main"],
      ["Reference", "bbbbbbbbbb, since 20 Nov 2026, 10:00 UTC"],
    ]);
  });

  test("and of many events how many there are of each", () => {
    const events = [...Array.from({ length: 9 }, () => ({ event: "behind", nodes: [2] })), offline];
    expect(composed(events, { state: known })?.title).toBe("10 events: 1 offline, 9 behind");
    expect(composed(events, { state: known, phase: "end" })?.title).toBe(
      "10 events are over: 1 offline, 9 behind",
    );
  });
});

describe("a channel hears", () => {
  const network = Array.from({ length: 30 }, (_, index) => ({
    id: index + 1,
    url: `https://git.example.org/${index + 1}`,
    ...(index === 4 && { contact: "admin" }),
  }));
  const systems = [{ system: "s", projects: [{ project: "p", targets: [{ target: "t", network }] }] }];
  const ids = network.map(({ id }) => id);
  const state = notifyState(Object.fromEntries(ids.map((id) => [id, timeout])), { incidents });
  const event: GivenEvent = { event: "offline", nodes: ids, incident };

  test("of 20 mirrors at most, and of how many more there are", () => {
    const message = composed([event], { state, config: notifyConfig({ systems }) });
    expect(message?.title).toBe("git.example.org is offline: 30 mirrors of 1 target");
    expect(message?.events[0]?.mirrors).toHaveLength(20);
    expect(message?.events[0]?.moreMirrors).toBe(10);
  });

  test("as a contact of its own mirror alone, and how to be left out", () => {
    const config = notifyConfig({ systems, notify: { to: ["ops", "contact"] } });
    const message = composed([event], { state, config, channel: "admin" });
    expect(message?.title).toBe("git.example.org/5 is offline");
    expect(message?.events[0]?.mirrors.map(({ id }) => id)).toEqual([5]);
    expect(JSON.stringify(message)).not.toMatch(/example\.org\/(?!5\b|feed\b)\d/);
    expect(message?.reason).toBe(
      "You get this because the channel admin is the contact of this mirror, and the rule rule-1 sends it there.",
    );
    expect(message?.leave).toMatch(
      /^To be left out, remove the contact admin of this mirror in mirrors\.json, or ask /,
    );
  });

  test("nothing of what a rule no longer sends to it, but of its end", () => {
    const config = notifyConfig({ systems, notify: { to: ["admin"] } });
    expect(composed([event], { state, config })).toBeUndefined();
    expect(composed([event], { state, config, phase: "end" })).toMatchObject({
      title: "An event at git.example.org is over",
      events: [{ mirrors: [] }],
    });
  });

  test("of mirrors that are no longer in mirrors.json", () => {
    const config = notifyConfig({ systems });
    const over = (nodes: number[]): string | undefined =>
      composed([{ ...event, nodes }], { state, config, phase: "end" })?.title;
    expect(over([77])).toBe("Mirror 77 at git.example.org is no longer in mirrors.json");
    expect(over([77, 78])).toBe("2 mirrors at git.example.org are no longer in mirrors.json");
    expect(composed([{ ...event, nodes: [77] }], { state, config })).toBeUndefined();
  });

  test("not that mirrors are back which are still offline when its rule ends", () => {
    const message = composed([{ ...event, nodes: [1] }], {
      state,
      config: notifyConfig({ systems }),
      phase: "end",
    });
    expect(message?.title).toBe("git.example.org/1: you will get no more messages about this outage");
  });

  test("of the mirrors that are still offline if its message waited", () => {
    const some = notifyState({ 1: timeout, 2: {}, 3: timeout }, { incidents });
    const message = composed([{ ...event, nodes: [1, 2, 3] }], {
      state: some,
      config: notifyConfig({ systems }),
    });
    expect(message?.events[0]?.mirrors.map(({ id }) => id)).toEqual([1, 3]);
  });

  test("no control or invisible character of a ref", () => {
    const ref = "refs/tags/v1\u202e\u0007\u200b";
    const message = composed([{ event: "rewritten", nodes: [1], place: "s/p/t", ref }], {
      state,
      config: notifyConfig({ systems }),
    });
    expect(message?.title).toBe(String.raw`The tag v1\u202e\u0007\u200b of s/p/t moved`);
  });
});
