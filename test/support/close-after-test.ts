import { onTestFinished } from "vitest";

/** Returns what it is given, and closes it when the test that calls it ends. What was opened last is closed first. */
export function closeAfterTest<One extends { close: () => unknown }>(one: One): One {
  onTestFinished(async () => {
    await one.close();
  });
  return one;
}
