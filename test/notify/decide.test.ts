import { describe, expect, test } from "vitest";
import { messagesOf, notifiedConfig, playRun } from "../support/notified-feed.ts";

const mirrors = [{ id: 1 }, { id: 2 }, { id: 3, host: "b.example.org" }];
const down = { 1: "timeout", 2: "timeout" };

describe("mirrors of a host that go offline", () => {
  const config = notifiedConfig(mirrors);

  test("are one event, an hour later", () => {
    const first = playRun(config, undefined, { at: 0 });
    const fallen = playRun(config, first, { at: 1, seen: down });
    expect(fallen.notifications).toBeUndefined();
    const soon = playRun(config, fallen, { at: 1.9, seen: down });
    expect(messagesOf(soon)).toEqual([]);
    const later = playRun(config, soon, { at: 2, seen: down });
    expect(messagesOf(later)).toEqual(["ops begin offline 1,2"]);
    const back = playRun(config, later, { at: 3 });
    expect(messagesOf(back)).toEqual(["ops begin offline 1,2", "ops end offline 1,2"]);
  });

  test("are none if they come back sooner", () => {
    const first = playRun(config, undefined, { at: 0 });
    const fallen = playRun(config, first, { at: 1, seen: down });
    const back = playRun(config, fallen, { at: 1.5 });
    const after = playRun(config, back, { at: 3 });
    expect(after.notifications).toBeUndefined();
  });
});
