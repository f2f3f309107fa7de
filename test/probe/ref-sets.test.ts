import { expect, test } from "vitest";
import { RefSets } from "../../src/probe/ref-set.ts";

const id = "a".repeat(40);

test("the refs of all nodes take at most half of a results file, whatever characters their names have", () => {
  const sets = new RefSets();
  for (let node = 0; node < 20; node += 1) {
    const names = Array.from({ length: 1000 }, (_, index) =>
      `refs/heads/${node}-${index}`.padEnd(1000, "\ufffd"),
    );
    sets.add(new Map(names.map((name) => [name, id])));
  }
  expect(sets.texts.size).toBe(11);
  expect(Buffer.byteLength(JSON.stringify([...sets.texts]))).toBeLessThan(33 * 1024 * 1024);
});

test("equal refs are kept once, in whatever order they came", () => {
  const sets = new RefSets();
  const names = ["HEAD", "refs/heads/a", "refs/tags/b"];
  const digest = sets.add(new Map(names.map((name) => [name, id])));
  expect(sets.add(new Map(names.toReversed().map((name) => [name, id])))).toBe(digest);
  expect(sets.texts).toEqual(new Map([[digest, names.map((name) => `${id} ${name}`).join("\n")]]));
});
