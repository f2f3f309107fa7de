import { expect, test } from "vitest";
import { formatIn } from "../../../../src/core/base/text/time.ts";

test.each([
  ["UTC", "2 Nov 2026, 23:30 UTC", "2 Nov 2026", "2 Nov 2026, 23:30 UTC\u2009–\u20093 Nov 2026, 01:30 UTC"],
  ["Europe/Berlin", "3 Nov 2026, 00:30 CET", "3 Nov 2026", "3 Nov 2026, 00:30–02:30 CET"],
])("a time is in the zone %s", (zone, timestamp, date, range) => {
  const format = formatIn(zone);
  expect(format.timestamp("2026-11-02T23:30:09.123Z")).toBe(timestamp);
  expect(format.date("2026-11-02T23:30:09.123Z")).toBe(date);
  expect(format.range("2026-11-02T23:30:00Z", "2026-11-03T01:30:00Z")).toBe(range);
  expect(format.month("2026-11-02T23:30:09.123Z")).toBe("November 2026");
});
