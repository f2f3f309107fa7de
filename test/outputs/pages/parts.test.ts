import fc from "fast-check";
import { renderToString } from "preact-render-to-string";
import { describe, expect, test } from "vitest";
import { groupByHost } from "../../../src/outputs/pages/problems.tsx";
import { formatCount, formatList, percent } from "../../../src/base/text/count.ts";
import { dayBars, daysSummary, latencyChart, sparkline } from "../../../src/outputs/pages/days.tsx";
import { type FeedNode, nodesOf, targetsOf } from "../../../src/feed/feed.ts";
import type { Days } from "../../../src/feed/uptime.ts";
import { differenceText } from "../../../src/outputs/pages/node-status.tsx";
import { formatIn } from "../../../src/base/text/timestamp.ts";
import { nothing } from "../../../src/state/counts.ts";
import { english } from "../../../src/outputs/pages/words/english.ts";
import { wordingOf } from "../../../src/outputs/pages/page-feed.ts";
import { dayKind } from "../../../src/base/text/day-kind.ts";
import { axisMaximum, bandPath } from "../../../src/outputs/pages/charts.ts";
import { healthyFeed } from "./feeds.ts";

interface Day {
  readonly ok: number;
  readonly failed: number;
  readonly unobserved: number;
}

function daysOf(days: readonly Day[], latencies: readonly (number | null)[] = days.map(() => null)): Days {
  return {
    from: "2026-01-01",
    ok: days.map(({ ok }) => ok),
    failed: days.map(({ failed }) => failed),
    unobserved: days.map(({ unobserved }) => unobserved),
    latency_ms: { mean: [...latencies], min: [...latencies], max: [...latencies] },
  };
}

const good: Day = { ok: 4, failed: 0, unobserved: 0 };
const some: Day = { ok: 3, failed: 1, unobserved: 0 };
const bad: Day = { ok: 1, failed: 3, unobserved: 0 };
const gone: Day = { ok: 0, failed: 0, unobserved: 4 };
const unknown: Day = { ok: 0, failed: 0, unobserved: 0 };

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
        const svg = renderToString(dayBars(drawn.length === 0 ? undefined : daysOf(drawn), count));
        const paths = [...svg.matchAll(/<path class="(\w+)" d="([^"]*)"/g)];
        const shown = paths.flatMap(([, kind = "", d = ""]) =>
          [...d.matchAll(/M(\d+) 12h(\d+)/g)].flatMap(([, from, length]) =>
            Array.from(
              { length: (Number(length) + 1) / 4 },
              (_, index) => [Number(from) + index * 4, kind] as const,
            ),
          ),
        );
        const expected = [
          ...Array.from({ length: 90 - drawn.length }, () => "before"),
          ...drawn.map((day) => dayKind(day)),
        ].map((kind, index) => [index * 4, kind] as const);
        const all = today === undefined ? expected : [...expected, [363, dayKind(today)] as const];
        expect(shown.toSorted(([one], [other]) => one - other)).toEqual(all);
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
      "3 days: 99.99 % uptime; 1 day with failures, last on 2026-01-02; no failure today",
    ],
    [
      [bad, gone, bad],
      0.25,
      some,
      "3 days: 25.00 % uptime; 2 days with failures, last on 2026-01-03; 1 day unobserved; 1 of 4 failed today",
    ],
    [[gone], undefined, gone, "1 day: nothing was observed; not observed today"],
  ] as const)("in words: %j with the uptime %s, and today %j", (days, ratio, today, text) => {
    const node = { uptime: { ...someNode().uptime, "90d": { ratio, coverage: 1 } } };
    const known = days.length === 0 ? undefined : daysOf(days);
    expect(daysSummary(english, node, known, today && { ...nothing, ...today })).toBe(text);
  });
});

describe("latencies", () => {
  const five = [good, good, good, good, good];
  const lineOf = (means: readonly (number | null)[]): string => {
    const line = sparkline(daysOf(five, means));
    if (line === null) throw new Error("There is no line.");
    return / d="([^"]*)"/.exec(renderToString(line))?.[1] ?? "";
  };

  test("are a line from zero up, broken where a day has none; one alone is a dot", () => {
    const svg = lineOf([100, 50, null, 100, 25]);
    expect(svg).toBe("M0 0l1 8M3 0l1 12");
    const dot = lineOf([100, null, 50, null, null]);
    expect(dot).toBe("M0 0h0M2 8h0");
  });

  test("of fewer than two days are no line", () => {
    expect(sparkline(undefined)).toBeNull();
    expect(sparkline(daysOf(five, [null, 9, null, null, null]))).toBeNull();
  });

  test("are a chart with axes: round milliseconds, the first and the last day", () => {
    const html = renderToString(
      latencyChart(wordingOf({ language: "en", timezone: "UTC" }), daysOf(five, [100, 50, null, 310, 25])),
    );
    expect([...html.matchAll(/<i>([^<]*)<\/i>/g)].map(([, text]) => text)).toEqual([
      "400 ms",
      "0 ms",
      "1 Jan 2026",
      "5 Jan 2026",
    ]);
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

describe("words", () => {
  test("a share is never rounded up to all, nor down to nothing", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 2), (share, decimals) => {
        expect(percent(share, decimals) === "100 %").toBe(share === 1);
        expect(percent(share, decimals) === "0 %").toBe(share === 0);
      }),
    );
    expect([0.999_99, 0.000_01, 0.98765].map((share) => percent(share))).toEqual([
      "99.99 %",
      "0.01 %",
      "98.77 %",
    ]);
    expect([0.999, 0.5].map((share) => percent(share, 0))).toEqual(["99 %", "50 %"]);
  });

  test("dates, timestamps, counts and lists", () => {
    const format = formatIn("en-GB", "UTC");
    expect(format.day("2026-11-02")).toBe("2 Nov 2026");
    expect(format.timestamp("2026-01-31T07:05:09.123Z")).toBe("31 Jan 2026, 07:05 UTC");
    expect([formatCount(1, "mirror"), formatCount(0, "mirror"), formatCount(1_234_567, "mirror")]).toEqual([
      "1 mirror",
      "0 mirrors",
      "1,234,567 mirrors",
    ]);
    expect([[], ["a"], ["a", "b"], ["a", "b", "c"]].map((names) => formatList(names, "or"))).toEqual([
      "",
      "a",
      "a or b",
      "a, b or c",
    ]);
  });
});

test("the names of refs are shown without characters that a page obeys", () => {
  const names = { missing: ["refs/tags/v1\u202e"], extra: [], different: ["refs/heads/\u0085a\u2028"] };
  expect(differenceText(english, { missing: 7, extra: 0, different: 1, names })).toBe(
    "7 refs missing (v1\\u202e, …), 1 ref different (\\u0085a\\u2028)",
  );
});

test("the same event on three nodes of a host is one group, on two nodes it is two", () => {
  const nodes = nodesOf(targetsOf(healthyFeed().feed.systems)).slice(0, 10);
  const failed = nodes.map((node) => ({ ...node, status: 0 as const, code: node.id <= 4 ? "dns" : "tls" }));
  const groups = groupByHost(failed);
  expect(groups.map(([node, ...others]) => [node.host, node.id, others.length])).toEqual([
    ["git.vdm.dev", 1, 0],
    ["git.vdm.dev", 3, 0],
    ["github.com", 2, 0],
    ["github.com", 4, 0],
    ["git.vdm.dev", 5, 2],
    ["github.com", 6, 2],
  ]);
});

function someNode(): FeedNode {
  const [one] = nodesOf(targetsOf(first.feed.systems));
  if (one === undefined) throw new Error("a feed has a node");
  return one;
}

const first = healthyFeed();
