import { describe, expect, test } from "vitest";
import { composed, type GivenEvent, hoursBefore, notifyState } from "../support/notified.ts";

const since = hoursBefore(3);
const timeout = { status: 0, code: "timeout", phase: "connect", since } as const;
const incident = "2026-11-22-abcdef";
const incidents = {
  [incident]: { host: "git.example.org", code: "timeout", start: since, outages: [] },
};
const down = notifyState({ 1: timeout, 2: timeout, 3: {}, 4: timeout }, { incidents });
const offline: GivenEvent = { event: "offline", nodes: [1, 2, 4], incident };

describe("a message of mirrors that are offline", () => {
  test("says which host, how many mirrors, why, what was tried and how to probe again", () => {
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
        ["Fails from", "local (timeout)"],
        ["Tried", "4 failed runs, each with up to 3 attempts within 10 s"],
        ["Last answer", "in the hour after 22 Nov 2026, 08:00 UTC"],
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

  test("says at its end how long it lasted", () => {
    const state = notifyState({ 1: {}, 2: {}, 3: {}, 4: {} }, { incidents });
    const host = composed([offline], { state, phase: "end" });
    expect(host?.title).toBe("git.example.org is back after 3 hours: 3 mirrors of 2 targets");
    const alone = composed([{ ...offline, nodes: [2] }], { state, phase: "end" });
    expect(alone?.title).toBe("git.example.org/b/one is back after 3 hours");
  });
});
