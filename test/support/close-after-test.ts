import { onTestFinished } from "vitest";

interface Closable {
  readonly close: () => unknown;
}

const openInFile: Closable[] = [];

/** Closes the resource when the calling test ends. Of several resources, the one opened last is closed first. */
export function closeAfterTest<One extends Closable>(one: One): One {
  onTestFinished(async () => {
    await one.close();
  });
  return one;
}

/** Closes the resource after all tests in the file. */
export function closeAfterFile<One extends Closable>(one: One): One {
  openInFile.push(one);
  return one;
}

/**
 * Closes all resources of `closeAfterFile`. setup.ts calls it after each test file, because a worker may keep this module for
 * the next file.
 */
export async function closeAfterwards(): Promise<void> {
  for (const one of openInFile.splice(0).reverse()) await one.close();
}
