import { onTestFinished } from "vitest";

interface Closable {
  readonly close: () => unknown;
}

const openInFile: Closable[] = [];

/** Closes the resource when the calling test ends, last opened first. Returns the resource. */
export function closeAfterTest<One extends Closable>(one: One): One {
  onTestFinished(async () => {
    await one.close();
  });
  return one;
}

/** Closes the resource after all tests in the file. Returns the resource. */
export function closeAfterFile<One extends Closable>(one: One): One {
  openInFile.push(one);
  return one;
}

/** setup.ts calls it for each test file, because a worker may keep its modules. */
export async function closeAfterwards(): Promise<void> {
  for (const one of openInFile.splice(0).reverse()) await one.close();
}
