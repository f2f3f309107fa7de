import { onTestFinished } from "vitest";

interface Closable {
  readonly close: () => unknown;
}

const openInFile: Closable[] = [];

/** Returns what it is given, and closes it when the test that calls it ends. What was opened last is closed first. */
export function closeAfterTest<One extends Closable>(one: One): One {
  onTestFinished(async () => {
    await one.close();
  });
  return one;
}

/** Returns what it is given, and closes it when the tests of the file are done. */
export function closeAfterFile<One extends Closable>(one: One): One {
  openInFile.push(one);
  return one;
}

/** The set-up of each test file calls it, also in a worker that keeps its modules. */
export async function closeAfterwards(): Promise<void> {
  for (const one of openInFile.splice(0).reverse()) await one.close();
}
