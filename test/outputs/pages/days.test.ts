import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  dayLines,
  dayOf,
  parseHeartbeat,
  parseReport,
  type ReportNode,
} from "../../../src/outputs/pages/browser/report.ts";
import { englishDays } from "../../../src/outputs/pages/words/english-script.ts";
import { targetsOf } from "../../../src/feed/feed.ts";
import { heartbeat, targetHistory } from "../../../src/outputs/report/report.ts";
import { dayAtShare, shareOfDay } from "../../../src/outputs/pages/charts.ts";
import { fiftyNodesFeed, largeFeed, vantagesFeed } from "./feeds.ts";

const node: ReportNode = {
  id: 1,
  days: {
    from: "2026-11-18",
    ok: [4, 2, 0],
    failed: [0, 1, 4],
    unobserved: [0, 1, 0],
    latency_ms: { mean: [120, 90, null], min: [100, 80, null], max: [150, 99, null] },
  },
  transitions: [
    { at: "2026-11-20T09:00:00.000Z", status: 1, sentence: "The mirror answered as it should." },
    { at: "2026-11-20T03:00:00.000Z", status: 0, sentence: "It did not answer in time." },
  ],
};
const today = { ok: 3, failed: 1, unobserved: 0 };

describe("a day in words", () => {
  test.each([
    [0, "2026-11-21", ["1 of 4 failed"]],
    [1, "2026-11-20", ["4 of 4 failed", "03:00 UTC offline: It did not answer in time.", "09:00 UTC online"]],
    [2, "2026-11-19", ["1 of 3 failed", "Latency 90 ms (80 to 99)", "75 % observed"]],
    [3, "2026-11-18", ["No failure", "Latency 120 ms (100 to 150)"]],
    [4, "2026-11-17", ["No data"]],
  ] as const)("has its result, latency, coverage and changes: %i days back", (back, date, lines) => {
    const day = dayOf(node, "2026-11-21", back, today);
    expect(day.date).toBe(date);
    expect(dayLines(englishDays, day)).toEqual(lines);
  });

  test("has no failures and gaps where the report leaves out columns of zeros", () => {
    const { from, ok, latency_ms } = node.days ?? {
      from: "",
      ok: [],
      latency_ms: { mean: [], min: [], max: [] },
    };
    const day = dayOf({ ...node, days: { from, ok, latency_ms } }, "2026-11-21", 3, undefined);
    expect(day.count).toEqual({ ok: 4, failed: 0, unobserved: 0 });
  });
});

describe("the report of a target as the script reads it", () => {
  test("has the days that it was rendered from, with the range of latencies of the last thirty", () => {
    const { feed } = fiftyNodesFeed();
    const [target] = targetsOf(feed.systems);
    if (target === undefined) throw new Error("A feed has a target.");
    const read = parseReport(JSON.stringify(targetHistory(target)));
    for (const { id, days } of target.nodes.map((one) => ({ id: one.id, days: one.days() }))) {
      if (days === undefined) throw new Error("A mirror has days.");
      const { mean, min, max } = days.latency_ms;
      const gaps = Array.from({ length: days.ok.length - 30 }, () => null);
      expect(read.get(id)?.days).toEqual({
        ...days,
        latency_ms: { mean, min: [...gaps, ...min.slice(-30)], max: [...gaps, ...max.slice(-30)] },
      });
    }
    expect(dayLines(englishDays, dayOf(read.get(1) ?? node, "2026-11-21", 60, undefined))[1]).toMatch(
      /^Latency \d+ ms$/,
    );
  });
});

test("the bar of a day is found where it is drawn", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 90 }), fc.boolean(), (back, hasToday) => {
      fc.pre(back > 0 || hasToday);
      expect(dayAtShare(shareOfDay(back, hasToday), hasToday)).toBe(back);
    }),
  );
  expect([dayAtShare(-1, true), dayAtShare(2, true), dayAtShare(2, false)]).toEqual([90, 0, 1]);
});

describe("the part of a heartbeat that a page needs", () => {
  test("has the runs of its mirrors, and the votes of vantages that disagree", () => {
    const document = heartbeat(vantagesFeed().feed);
    const read = parseHeartbeat(JSON.stringify(document), new Set([1, 5, 22]));
    expect(read?.at).toBe("2026-11-21T12:00:00.000Z");
    expect([...(read?.nodes.keys() ?? [])]).toEqual([1, 5, 22]);
    expect(read?.nodes.get(1)?.today.ok).toBe(document.nodes[0]?.today.ok);
    expect([...(read?.nodes.get(5)?.votes ?? [])]).toEqual([
      ["eu", "timeout"],
      ["usa", "ok"],
    ]);
  });

  test("is that of the whole document, whichever mirrors are wanted", () => {
    const document = heartbeat(largeFeed(100).feed);
    const text = JSON.stringify(document);
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 400 })), (ids) => {
        const read = parseHeartbeat(text, new Set(ids));
        expect([...(read?.nodes.keys() ?? [])].sort()).toEqual(ids.sort());
        for (const { id, today: counts } of document.nodes.filter((one) => ids.includes(one.id)))
          expect(read?.nodes.get(id)?.today).toEqual({
            ok: counts.ok ?? 0,
            failed: counts.failed ?? 0,
            unobserved: counts.unobserved ?? 0,
          });
      }),
    );
  });

  test.each(["", "<p>Log in</p>", '{"generated_at":"x"}'])("is none in %j", (text) => {
    expect(parseHeartbeat(text, new Set([1]))).toBeUndefined();
  });
});
