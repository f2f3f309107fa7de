import fc from "fast-check";
import { renderToString } from "preact-render-to-string";
import { describe, expect, test } from "vitest";
import {
  describeDay,
  parseCount,
  parseHeartbeat,
  parseReport,
  type ReportDay,
  type ReportNode,
} from "../../../src/features/pages/browser/read-report.ts";
import { heartbeat, targetHistory } from "../../../src/core/site/report.ts";
import { axisMaximum, bandPath, barScale, chartScale, linePath } from "../../../src/features/pages/charts.ts";
import { dayBars, dayLink, daysSummary, latencyChart } from "../../../src/features/pages/day-bars.tsx";
import { type DayCount, dayKind } from "../../../src/core/base/text/count.ts";
import { dayMs } from "../../../src/core/base/text/time.ts";
import { isoDay } from "../../../src/core/base/text/timestamp.ts";
import type { Day } from "../../../src/core/feed/uptime.ts";
import { nothing } from "../../../src/core/state/counts.ts";
import { manyMirrorsFeed, vantagesFeed } from "./feeds.ts";
import { firstOf } from "./rendered.ts";

function daysOf(
  days: readonly DayCount[],
  latencies: readonly (number | null)[] = days.map(() => null),
): Day[] {
  const first = Date.parse("2026-01-01") / dayMs;
  return days.map((count, index) => {
    const latency = latencies[index] ?? null;
    return { day: first + index, ...count, mean: latency, min: latency, max: latency };
  });
}

const unknown: DayCount = { ok: 0, failed: 0, unobserved: 0 };
const good = { ...unknown, ok: 4 };
const some = { ...unknown, ok: 3, failed: 1 };
const bad = { ...unknown, ok: 1, failed: 3 };
const gone = { ...unknown, unobserved: 4 };

describe("the bars", () => {
  test.each([
    [good, "good"],
    [{ ok: 1, failed: 0, unobserved: 47 }, "good"],
    [some, "some"],
    [{ ok: 2, failed: 2, unobserved: 0 }, "bad"],
    [bad, "bad"],
    [{ ok: 0, failed: 1, unobserved: 3 }, "bad"],
    [gone, "unobserved"],
    [unknown, "before"],
  ] as const)("show the kind of a day: %j is %s", (day, kind) => {
    expect(dayKind(day)).toBe(kind);
  });

  test("show each day once, at its position and by its kind, in at most one path a kind", () => {
    const days = fc.array(fc.constantFrom(good, some, bad, gone, unknown), { maxLength: 90 });
    fc.assert(
      fc.property(days, fc.option(fc.constantFrom(good, bad, gone), { nil: undefined }), (drawn, today) => {
        const count = today && { ...nothing, ...today };
        const svg = renderToString(dayBars(daysOf(drawn), count));
        const paths = [...svg.matchAll(/<path class="(\w+)" d="([^"]*)"/g)];
        const shown: string[] = [];
        for (const [, kind = "", d = ""] of paths)
          for (const [, from, length] of d.matchAll(/M(\d+) 12h(\d+)/g))
            for (let at = Number(from); at < Number(from) + Number(length); at += 4) shown[at] = kind;
        const expected: string[] = [];
        for (let day = 0; day < 90; day += 1) expected[day * 4] = "before";
        for (const [index, day] of drawn.entries()) expected[(90 - drawn.length + index) * 4] = dayKind(day);
        if (today !== undefined) expected[363] = dayKind(today);
        expect(shown).toEqual(expected);
        expect(new Set(paths.map(([, kind]) => kind)).size).toBe(paths.length);
      }),
    );
  });

  test.each([
    [[], undefined, undefined, "No whole day yet"],
    [[], undefined, good, "No whole day yet; no failure today"],
    [[good, good], 1, undefined, "2 days: 100 % uptime"],
    [
      [good, some, good],
      0.999_99,
      good,
      "3 days: 99.99 % uptime; 1 day with failures, last on 2 Jan 2026; no failure today",
    ],
    [
      [bad, gone, bad],
      0.25,
      some,
      "3 days: 25.00 % uptime; 2 days with failures, last on 3 Jan 2026; 1 day unobserved; 1 of 4 failed today",
    ],
    [[gone], undefined, gone, "1 day: nothing was observed; not observed today"],
  ] as const)("in words: %j with the uptime %s, and today %j", (days, ratio, today, text) => {
    const some = { ratio: undefined, coverage: 1 };
    const node = { uptime: { "24h": some, "7d": some, "30d": some, "90d": { ratio, coverage: 1 } } };
    expect(daysSummary(node, daysOf(days), today && { ...nothing, ...today })).toBe(text);
  });
});

describe("latencies", () => {
  const five = [good, good, good, good, good];

  test("are a line from zero up, broken where a day has none; one alone is a dot", () => {
    expect(linePath([100, 50, null, 100, 25], 100)).toBe("M0 0l1 50M3 0l1 75");
    expect(linePath([100, null, 50, null, null], 100)).toBe("M0 0h0M2 50h0");
  });

  test("of fewer than two days are no chart", () => {
    for (const days of [[], daysOf(five, [null, 9, null, null, null])]) expect(latencyChart(days)).toBeNull();
  });

  test("are a chart with axes: round milliseconds, the first and the last day", () => {
    const chart = latencyChart(daysOf(five, [100, 50, null, 310, 25]));
    if (chart === null) throw new Error("There is no chart.");
    const html = renderToString(chart);
    const texts = [...html.matchAll(/<i>([^<]*)<\/i>/g)].map(([, text]) => text);
    expect(texts).toEqual(["400 ms", "0 ms", "1 Jan 2026", "5 Jan 2026"]);
    expect(html).toContain('<path d="M0 75l1 13M3 23l1 71">');
  });

  test("are a band from the minima to the maxima, broken where a day has none", () => {
    expect(bandPath([100, 25, null, 300, 25], [100, 50, null, 310, 30], 400)).toBe(
      "M0 75L1 88L1 94L0 75zM3 23L4 93L4 94L3 25z",
    );
  });

  test("end an axis at a round number that is not less, and not much more", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000_000 }), (value) => {
        const top = axisMaximum(value);
        expect(top).toBeGreaterThanOrEqual(value);
        expect(top).toBeLessThanOrEqual(value * 2);
        expect(String(top)).toMatch(/^[1246]0*$/);
      }),
    );
  });
});

const at = (date: string, count: Partial<DayCount>, mean: number | null = null): ReportDay => {
  const [min, max] = mean === null ? [null, null] : [mean - 10, mean + 30];
  return { date, ...unknown, ...count, mean, min, max };
};
const node: ReportNode = {
  id: 1,
  days: [
    at("2026-11-18", { ok: 4 }, 120),
    at("2026-11-19", { ok: 2, failed: 1, unobserved: 1 }, 90),
    at("2026-11-20", { failed: 4 }),
  ],
  transitions: [
    { at: "2026-11-20T09:00:00.000Z", status: 1, sentence: "The mirror answered as expected." },
    { at: "2026-11-20T03:00:00.000Z", status: 0, sentence: "It did not answer in time." },
  ],
};

test.each([
  [0, "2026-11-21", ["1 of 4 failed"]],
  [1, "2026-11-20", ["4 of 4 failed", "03:00 UTC offline: It did not answer in time.", "09:00 UTC online"]],
  [2, "2026-11-19", ["1 of 3 failed", "Latency 90 ms (80 to 120)", "75 % observed"]],
  [3, "2026-11-18", ["No failure", "Latency 120 ms (110 to 150)"]],
  [4, "2026-11-17", ["No data"]],
] as const)(
  "a day in words has its result, latency, coverage and changes: %i days back",
  (back, date, lines) => {
    expect(describeDay(node, "2026-11-21", back, some)).toEqual({ date, lines });
  },
);

test("the script reads the days of a report as they were, with the range of latencies of the last thirty", () => {
  const { target } = firstOf(manyMirrorsFeed(5, { failed: 0.04 }).feed);
  const read = parseReport(JSON.stringify(targetHistory(target)));
  for (const one of target.nodes) {
    const expected = one.days().map(({ day, min, max, ...rest }, index, { length }) => {
      const range = index < length - 30 ? { min: null, max: null } : { min, max };
      return { date: isoDay(day), ...rest, ...range };
    });
    expect(expected).toHaveLength(90);
    expect(read.get(one.id)?.days).toEqual(expected);
  }
  const { lines } = describeDay(read.get(1) ?? node, "2026-11-21", 60);
  expect(lines[1]).toMatch(/^Latency \d+ ms$/);
});

describe("the place of a day", () => {
  const widthOf = (bars: string): number => Number(/viewBox="0 0 (\d+)/.exec(bars)?.[1]);

  test.each([
    ["bars", barScale(widthOf(renderToString(dayBars([])))), 1, 90],
    ["bars up to today", barScale(widthOf(renderToString(dayBars([], nothing)))), 0, 90],
    ["a chart of two days", chartScale(1), 1, 2],
    ["a chart of thirty days", chartScale(29), 1, 30],
  ])("in %s is found where it is drawn", (_, scale, newest, oldest) => {
    expect(scale).toMatchObject({ newest, oldest });
    const places = Array.from({ length: oldest - newest + 1 }, (_, index) => {
      const place = scale.shareOf(newest + index);
      expect(scale.dayAt(place)).toBe(newest + index);
      return place;
    });
    expect(places).toEqual(places.toSorted((one, other) => other - one));
    expect([Math.min(...places) >= 0, Math.max(...places) <= 1]).toEqual([true, true]);
  });
});

test.each([
  [{ ok: 4 }, "1,0,0"],
  [{ ok: 9 }, "1,0,0"],
  [{ ok: 3, failed: 1 }, "3,1,0"],
  [{ ok: 3, unobserved: 2 }, "3,0,2"],
  [{}, "0,0,0"],
])("a row of the overview has the runs of today: %j as %s", (today, read) => {
  const { node: first } = firstOf(manyMirrorsFeed(5, { failed: 0.04 }).feed);
  const html = renderToString(dayLink(first, "#node-1", { ...nothing, ...today }));
  const { ok, failed, unobserved } = parseCount(/ data-today="([^"]*)"/.exec(html)?.[1]);
  expect([ok, failed, unobserved].join()).toBe(read);
});

describe("the part of a heartbeat that a page needs", () => {
  test("has the runs of today of its mirrors", () => {
    const document = heartbeat(vantagesFeed().feed);
    const read = parseHeartbeat(JSON.stringify(document), new Set([1, 5, 22]));
    expect(read?.at).toBe("2026-11-21T12:00:00.000Z");
    expect([...(read?.nodes.keys() ?? [])]).toEqual([1, 5, 22]);
    expect(read?.nodes.get(1)?.ok).toBe(document.nodes[0]?.today.ok);
  });

  test.each(["", "<p>Log in</p>", '{"generated_at":"x"}'])("is none in %j", (text) => {
    expect(parseHeartbeat(text, new Set([1]))).toBeUndefined();
  });
});
