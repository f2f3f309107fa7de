import { expect, test } from "vitest";
import { durationText } from "../../src/render/duration.ts";

test.each([
  [0, "less than a second"],
  [1, "1 second"],
  [59, "59 seconds"],
  [60, "1 minute"],
  [61, "1 minute 1 second"],
  [3599, "59 minutes 59 seconds"],
  [3600, "1 hour"],
  [3659, "1 hour"],
  [7800, "2 hours 10 minutes"],
  [86_399, "23 hours 59 minutes"],
  [86_400, "1 day"],
  [86_400 + 3599, "1 day"],
  [2 * 86_400 + 3600, "2 days 1 hour"],
  [400 * 86_400, "400 days"],
])("%d seconds are %s", (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
});
