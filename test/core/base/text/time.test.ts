import { expect, test } from "vitest";
import { formatDuration } from "../../../../src/core/base/text/time.ts";

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

test.each([
  [-9 * day, "less than a minute"],
  [0, "less than a minute"],
  [minute - 1, "less than a minute"],
  [2 * minute - 1, "1 minute"],
  [2 * hour - 1, "119 minutes"],
  [2 * hour, "2 hours"],
  [2 * day - 1, "47 hours"],
  [2 * day, "2 days"],
  [400 * day, "400 days"],
])("a duration of %d milliseconds is %s", (duration, words) => {
  expect(formatDuration(duration)).toBe(words);
});
