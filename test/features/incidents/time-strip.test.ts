import fc from "fast-check";
import { expect, test } from "vitest";
import { stripPaths } from "../../../src/features/incidents/time-strip.tsx";

const now = Date.parse("2026-11-21T12:00:00Z");

/** Returns the time `minutes` after the last run. */
function at(minutes: number): string {
  return new Date(now + minutes * 60_000).toISOString();
}

test.each([
  ["an outage that goes on", -360, undefined, "M1080 6h360"],
  ["an outage of the morning", -360, -301, "M1080 6h59"],
  ["an outage that began last week", -10_000, undefined, "M0 6h1440"],
  ["maintenance that goes on after now", -60, 30, "M1380 6h90"],
  ["maintenance until next week", 60, 10_000, "M1500 6h660"],
  ["an outage of one run", -30, -30, "M1410 6h12"],
  ["one that begins with the last run", 0, undefined, "M1440 6h12"],
  ["what starts at the right edge", 719, 10_000, "M2148 6h12"],
  ["what ended yesterday", -3000, -1441, undefined],
  ["what is too far away", 721, 900, undefined],
])("%s is drawn to the minute", (_, from, to, path) => {
  const span = { shape: "offline", from: at(from), to: to === undefined ? to : at(to) } as const;
  expect(stripPaths([span], now).get("offline")).toBe(path);
});

test("no span leaves the picture", () => {
  const minute = fc.integer({ min: -5000, max: 5000 });
  fc.assert(
    fc.property(minute, fc.option(minute, { nil: undefined }), (from, length) => {
      const to = length === undefined ? undefined : at(from + Math.abs(length));
      const path = stripPaths([{ shape: "some", from: at(from), to }], now).get("some");
      if (path === undefined) return;
      const [, start, width] = /^M(\d+) 6h(\d+)$/.exec(path) ?? [];
      expect(Number(start) + Number(width)).toBeLessThanOrEqual(2160);
    }),
  );
});
