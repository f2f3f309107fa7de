import { expect, test } from "vitest";
import { compare, isApplied, parseChanges, parseTree } from "../../src/publish/difference.ts";

const [one, two] = ["1".repeat(40), "2".repeat(64)];
const plain = { mode: "100644", id: one };
const site = new Map([
  ["new\n.txt", one],
  ["a/changed.txt", two],
  ["same.txt", one],
]);
const branch = new Map([
  ["a/changed.txt", plain],
  ["same.txt", plain],
  ["gone.txt", plain],
]);
const difference = { changed: ["new\n.txt", "a/changed.txt"], removed: ["gone.txt"], replacesAll: false };
const made = {
  "new\n.txt": plain,
  "a/changed.txt": { mode: "100644", id: two },
  "gone.txt": { mode: "000000", id: "0".repeat(40) },
};

test("what changes is what the branch has not as a plain file with that content", () => {
  expect(compare(branch, site)).toEqual(difference);
  expect(compare(new Map(), site)).toMatchObject({ changed: [...site.keys()] });
  for (const mode of ["100755", "120000", "160000"])
    expect(compare(new Map(branch).set("same.txt", { mode, id: one }), site).changed).toContain("same.txt");
  expect(compare(new Map(branch).set("\ufffd.txt", plain), site).replacesAll).toBe(true);
});

test.each([
  { title: "is all", files: made, isDone: true },
  { title: "is less", files: { "new\n.txt": plain, "gone.txt": made["gone.txt"] }, isDone: false },
  { title: "is more", files: { ...made, "same.txt": plain }, isDone: false },
  { title: "is another file", files: { ...made, "gone.txt": undefined, "x.txt": plain }, isDone: false },
  { title: "has another content", files: { ...made, "a/changed.txt": plain }, isDone: false },
  { title: "is a link", files: { ...made, "new\n.txt": { mode: "120000", id: one } }, isDone: false },
  { title: "leaves what was to go", files: { ...made, "gone.txt": plain }, isDone: false },
])("what git made $title: $isDone", ({ files, isDone }) => {
  const entries = Object.entries(files).flatMap(([path, file]) =>
    file === undefined ? [] : ([[path, file]] as const),
  );
  expect(isApplied(new Map(entries), difference, site)).toBe(isDone);
});

test("git's lists are read whatever the names, and nothing else is", () => {
  const tree = [`100644 blob ${one}\tnew\n.txt`, `160000 commit ${two}\ta\tb`, ""].join("\0");
  const submodule = { mode: "160000", id: two };
  expect([...parseTree(tree)]).toEqual([
    ["new\n.txt", plain],
    ["a\tb", submodule],
  ]);
  const none = { mode: "000000", id: "0".repeat(40) };
  const added = [`:000000 100644 ${none.id} ${one} A`, "new\n.txt"];
  const removed = [`:100644 000000 ${one} ${none.id} D`, ":x"];
  expect([...parseChanges([...added, ...removed, ""].join("\0"))]).toEqual([
    ["new\n.txt", plain],
    [":x", none],
  ]);
  expect([parseTree(""), parseChanges("")]).toEqual([new Map(), new Map()]);
  expect(() => parseTree("fatal: no\0")).toThrow("This is not a Git tree.");
  expect(() => parseChanges("fatal: no\0a.txt\0")).toThrow("This is not a Git diff.");
});
