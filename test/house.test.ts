import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";

const sources = readdirSync("src", { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map((entry) => join(entry.parentPath, entry.name));

/** The files that a file imports, those it takes only types from and those it loads when it runs included. */
function importsOf(file: string): string[] {
  return ts
    .preProcessFile(readFileSync(file, "utf8"), true, true)
    .importedFiles.map(({ fileName }) => fileName)
    .filter((name) => name.startsWith("."))
    .map((name) => join(dirname(file), name));
}

/** A circle among the imports of files, as the way around it; undefined if there is none. */
function circleOf(imports: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const free = new Set<string>();
  const follow = (file: string, way: readonly string[]): string[] | undefined => {
    if (free.has(file)) return undefined;
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
    for (const next of imports.get(file) ?? []) {
      const circle = follow(next, [...way, file]);
      if (circle !== undefined) return circle;
    }
    free.add(file);
    return undefined;
  };
  for (const file of imports.keys()) {
    const circle = follow(file, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

test("only the entry point and the errors lie loose in src", () => {
  expect(sources.filter((file) => dirname(file) === "src").sort()).toEqual(["src/cli.ts", "src/errors.ts"]);
});

test("no files import each other in a circle, of types either", () => {
  expect(circleOf(new Map(sources.map((file) => [file, importsOf(file)])))).toBeUndefined();
});

test("a circle is found", () => {
  const imports = { "a.ts": ["b.ts"], "b.ts": ["c.ts", "d.ts"], "c.ts": [], "d.ts": ["b.ts"] };
  expect(circleOf(new Map(Object.entries(imports)))).toEqual(["b.ts", "d.ts", "b.ts"]);
});
