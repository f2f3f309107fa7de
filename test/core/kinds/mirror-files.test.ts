import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hasWrongSize, turnAt } from "../../../src/core/kinds/mirror-files.ts";

const page = { "content-type": "text/html; charset=utf-8" };
const at = (seconds: number) => ({ "last-modified": new Date(1000 * seconds).toUTCString() });

function hasWrong(headers: Readonly<Record<string, string>>, file: object, status = 200): boolean {
  const answer = { status, headers, body: Buffer.alloc(0), complete: false, bounded: false };
  return hasWrongSize({ ...answer, tlsExpiresAt: undefined }, file);
}

describe("the head of a file of 100 bytes", () => {
  test.each<[string, boolean, Readonly<Record<string, string>>, number?]>([
    ["its length", false, { "content-length": "100" }],
    ["another length", true, { "content-length": "99" }],
    ["no length, as a page", true, page],
    ["the length of what it compresses", false, { "content-length": "9", "content-encoding": "gzip" }],
    ["a compressed page", false, { "content-encoding": "gzip", ...page }],
    ["the length of a part", false, { "content-length": "9" }, 206],
    ["chunks", false, { "content-length": "9", "transfer-encoding": "chunked" }],
    ["the length of an error", false, { "content-length": "9" }, 503],
  ])("with %s: wrong is %j", (_, expected, headers, status) => {
    expect(hasWrong(headers, { size: 100 }, status)).toBe(expected);
    expect(hasWrong(headers, {}, status)).toBe(false);
  });

  const seen = { changed: 1000, last: 2000 };
  test.each<[string, boolean, Readonly<Record<string, string>>]>([
    ["than the primary's, so perhaps of a former version", false, at(999)],
    ["and from the same time", true, at(1000)],
    ["from a copy before the primary was last asked", true, at(2000)],
    ["from later, so perhaps of a new version", false, at(2001)],
    ["from an unknown time", false, {}],
  ])("may be of another size, if the primary may replace it, %s: wrong is %j", (_, expected, headers) => {
    expect(hasWrong({ "content-length": "99", ...headers }, { size: 100, seen })).toBe(expected);
    expect(hasWrong({ "content-length": "100", ...headers }, { size: 100, seen })).toBe(false);
  });
});

test.each([1, 2, 3, 4, 6, 8, 12, 16, 24, 48])(
  "a run at every %i. interval checks each of 16 files",
  (every) => {
    const start = Date.UTC(2026, 10, 24, 0, 7);
    const turns = Array.from({ length: 256 }, (_, run) => turnAt(start + run * every * 1_800_000, 1_800_000));
    expect(new Set(turns.map((turn) => turn % 16)).size).toBe(16);
  },
);

test("runs at every interval check 16 files within 32 runs", () => {
  fc.assert(
    fc.property(fc.nat(2_000_000), (first) => {
      const turns = Array.from({ length: 32 }, (_, run) => turnAt((first + run) * 60_000, 60_000) % 16);
      expect(new Set(turns).size).toBe(16);
    }),
  );
});
