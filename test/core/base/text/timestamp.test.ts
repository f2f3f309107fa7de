import fc from "fast-check";
import { expect, test } from "vitest";
import { parseTimestamp, type TimestampFormat } from "../../../../src/core/base/text/timestamp.ts";

test.each<[TimestampFormat, string, string]>([
  ["epoch", "1772971200", "2026-03-08T12:00:00.000Z"],
  ["epoch", " 1772971200\nmore\n", "2026-03-08T12:00:00.000Z"],
  ["epoch", "1772971200.25", "2026-03-08T12:00:00.250Z"],
  ["epoch", "1772971200 Sun Mar  8 12:00:00 2026", "2026-03-08T12:00:00.000Z"],
  ["epoch", "0", "1970-01-01T00:00:00.000Z"],
  ["iso", "2026-03-08", "2026-03-08T00:00:00.000Z"],
  ["iso", "2026-03-08T12:00:00Z\r\n", "2026-03-08T12:00:00.000Z"],
  ["iso", "2026-03-08 12:00:00.999", "2026-03-08T12:00:00.000Z"],
  ["iso", "2026-03-08T12:00:00+02:00", "2026-03-08T10:00:00.000Z"],
  ["iso", "2026-03-08 12:00:00 -0530", "2026-03-08T17:30:00.000Z"],
  ["iso", "2024-02-29T23:59:60Z", "2024-03-01T00:00:00.000Z"],
  ["http-date", "Sun, 08 Mar 2026 12:00:00 GMT", "2026-03-08T12:00:00.000Z"],
  ["http-date", "8 Mar 2026 12:00:00 +0100", "2026-03-08T11:00:00.000Z"],
  ["http-date", "Sun Mar  8 12:00:00 2026", "2026-03-08T12:00:00.000Z"],
  ["http-date", "Sun Mar  8 12:00:00 UTC 2026\nUsing dak\n", "2026-03-08T12:00:00.000Z"],
])("%s: %j is a time", (format, text, expected) => {
  expect(new Date(parseTimestamp(text, format) ?? Number.NaN).toISOString()).toBe(expected);
});

test.each<[TimestampFormat, string]>([
  ["epoch", ""],
  ["epoch", "-1"],
  ["epoch", "1772971200s"],
  ["epoch", "<html>"],
  ["iso", "1772971200"],
  ["iso", "2026-02-29"],
  ["iso", "2026-13-01"],
  ["iso", "2026-03-08T24:00:00Z"],
  ["http-date", "Sun, 31 Feb 2026 12:00:00 GMT"],
  ["http-date", "Sun, 08 Mär 2026 12:00:00 GMT"],
  ["http-date", "Sun, 08 Mar 2026 12:00:00 CEST"],
])("%s: %j is not", (format, text) => {
  expect(parseTimestamp(text, format)).toBeUndefined();
});

test("every second of four-digit years comes back in each format", () => {
  const second = fc.integer({ min: 0, max: 253_402_300_799 });
  fc.assert(
    fc.property(second, (at) => {
      const date = new Date(at * 1000);
      expect(parseTimestamp(String(at), "epoch")).toBe(at * 1000);
      expect(parseTimestamp(date.toISOString(), "iso")).toBe(at * 1000);
      expect(parseTimestamp(date.toUTCString(), "http-date")).toBe(at * 1000);
    }),
  );
});
