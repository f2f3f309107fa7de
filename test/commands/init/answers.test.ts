import { expect, test } from "vitest";
import { parseSchedule, scheduleProblem } from "../../../src/commands/init/answers.ts";

test.each([
  ["5m", 5, "2,7,12,17,22,27,32,37,42,47,52,57 * * * *"],
  ["15m", 15, "7,22,37,52 * * * *"],
  ["30m", 30, "7,37 * * * *"],
  ["60m", 60, "7 * * * *"],
  ["1h", 60, "7 * * * *"],
  ["120m", 120, "7 */2 * * *"],
  ["6h", 360, "7 */6 * * *"],
  ["24h", 1440, "7 7 * * *"],
])("%s is a schedule", (text, minutes, cron) => {
  expect(parseSchedule(text)).toEqual({ text, minutes, cron });
  expect(scheduleProblem(text)).toBeUndefined();
});

test.each(["", "0m", "1m", "4m", "7m", "45m", "90m", "5h", "36h", "48h", "1d", "-5m", "30s", "05m", "5 m"])(
  "%j is none",
  (text) => {
    expect(parseSchedule(text)).toBeUndefined();
    expect(scheduleProblem(text)).toContain(`"${text}" divides neither`);
  },
);

test.each([
  ["5", "5m"],
  ["6", "6m or 6h"],
  ["30", "30m"],
  ["24", "24h"],
])("%s lacks only its unit", (text, remedy) => {
  expect(parseSchedule(text)).toBeUndefined();
  expect(scheduleProblem(text)).toBe(`"${text}" has no unit; write ${remedy}`);
});

test("every schedule comes as often as it says, at the same minutes", () => {
  const texts = Array.from({ length: 1500 }, (_, index) => [`${index}m`, `${index}h`]).flat();
  const schedules = texts.flatMap((text) => parseSchedule(text) ?? []);
  for (const { minutes, cron } of schedules) {
    const [minute = "", hour = ""] = cron.split(" ");
    const hours = hour === "*" ? 24 : hour.startsWith("*/") ? 24 / Number(hour.slice(2)) : 1;
    expect(minute.split(",").length * hours * minutes).toBe(24 * 60);
    expect(
      minute
        .split(",")
        .map(Number)
        .every((one) => one > 0 && one < 60),
    ).toBe(true);
  }
  expect(schedules.length).toBeGreaterThan(20);
});
