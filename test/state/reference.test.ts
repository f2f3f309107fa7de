import { describe, expect, test } from "vitest";
import type { RefSet } from "../../src/probe/ref-set.ts";
import { dayMs } from "../../src/state/counts.ts";
import type { Reference } from "../../src/state/schema.ts";
import {
  keptId,
  moveReference,
  referenceTip,
  shortened,
  stoodSince,
  type Tip,
} from "../../src/state/reference.ts";

const [a, b] = ["a", "b"].map((digit) => digit.repeat(40)) as [string, string];
const [digestA, digestB] = ["a".repeat(16), "b".repeat(16)] as [string, string];

function tip(more: Partial<Tip> = {}): Tip {
  return { id: 1, revision: a, branch: "main", ...more };
}

function made(at: number): string {
  return new Date(at).toISOString();
}

function setOf(names: Readonly<Record<string, string>>): RefSet {
  return new Map(Object.entries(names).map(([name, digit]) => [name, digit.repeat(40)]));
}

test.each([
  ["an object id of SHA-1", a, digestA],
  ["an object id of SHA-256", "c".repeat(64), "c".repeat(16)],
  ["a date", "Tue, 10 Mar 2026 12:00:00 GMT", "Tue, 10 Mar 2026 12:00:00 GMT"],
  ["41 digits", `${a}a`, `${a}a`],
  ["39 digits", a.slice(1), a.slice(1)],
  ["an object id in a text", `v${a}`, `v${a}`],
  ["upper-case digits", a.toUpperCase(), a.toUpperCase()],
])(
  "of a revision that is %s, a reference keeps the first digits only if it is an object id",
  (_, full, kept) => {
    expect(shortened(full)).toBe(kept);
  },
);

test("of the object id of a ref, ten digits are kept", () => {
  expect(keptId("0123456789abcdef")).toBe("0123456789");
});

describe("what a majority shares", () => {
  const [one, two, three] = [1, 2, 3].map((id) => tip({ id, refs: digestA, set: setOf({ HEAD: "a" }) })) as [
    Tip,
    Tip,
    Tip,
  ];

  test("is its refs if they are equal", () => {
    expect(referenceTip([{ ...one, refs: digestB }, two, three], undefined, 3)).toEqual(two);
  });

  test("is HEAD alone if its refs are not equal", () => {
    const tips = [one, { ...two, refs: digestB }, { ...three, refs: undefined }];
    expect(referenceTip(tips, undefined, 3)).toEqual({ ...one, refs: undefined, set: undefined });
  });

  test("has unread refs for the reason that most have", () => {
    const unread = { ...two, refs: undefined, refs_unread: "unread" } as const;
    const tips = [{ ...unread, refs_unread: "too_many" } as const, unread, { ...unread, id: 3 }];
    expect(referenceTip(tips, undefined, 3)).toEqual(unread);
  });

  test("is HEAD alone if a half has other refs", () => {
    const tips = [one, two, { ...three, refs: digestB }, { ...three, id: 4, refs: digestB }];
    expect(referenceTip(tips, undefined, 4)).toEqual({ ...one, refs: undefined, set: undefined });
  });
});

describe("the contents of a reference", () => {
  const index = {
    size: 5,
    sha256: "d".repeat(64),
    sha512: "e".repeat(128),
    files: [{ path: "a/b", size: 7 }],
  };

  test("are not kept while nothing is known of any", () => {
    expect(moveReference(undefined, tip(), 10, "x").contents).toBeUndefined();
  });

  test("have the time of each kept revision, and name files of the newest one only", () => {
    const first = moveReference(undefined, tip({ content_at: made(5), index }), 10, "x");
    expect(first.contents).toEqual({ [digestA]: { at: 5, index } });
    const second = moveReference(first, tip({ revision: b, content_at: made(15) }), 20, "x");
    const { size, sha256, sha512 } = index;
    expect(second.contents).toEqual({
      [digestA]: { at: 5, index: { size, sha256, sha512 } },
      [digestB]: { at: 15, index: undefined },
    });
  });

  test("are those of all revisions that are kept, of which only the time or the index may be known", () => {
    const revisions = [a, b, "c".repeat(40)];
    const reference = revisions.reduce<Reference | undefined>(
      (before, revision, at) =>
        moveReference(
          before,
          tip({ revision, ...(at === 0 ? { index } : { content_at: made(at) }) }),
          at,
          "x",
        ),
      undefined,
    );
    expect(Object.entries(reference?.contents ?? {}).map(([one, { at }]) => [one, at])).toEqual([
      [digestA, undefined],
      [digestB, 1],
      ["c".repeat(16), 2],
    ]);
  });

  test("leave out what is unknown of an index", () => {
    const first = moveReference(undefined, tip({ index: { files: [{ path: "a" }] } }), 10, "x");
    const second = moveReference(first, tip({ revision: b }), 20, "x");
    expect(JSON.stringify(second.contents)).toBe(`{"${digestA}":{"index":{}},"${digestB}":{}}`);
  });

  test("leave out a revision of which nothing is known", () => {
    const first = moveReference(undefined, tip(), 10, "x");
    const second = moveReference(first, tip({ revision: b, content_at: made(15) }), 20, "x");
    expect(second.contents).toEqual({ [digestB]: { at: 15, index: undefined } });
  });

  test("begin anew with another branch", () => {
    const first = moveReference(undefined, tip({ content_at: made(5) }), 10, "x");
    expect(moveReference(first, tip({ revision: b, branch: "trunk" }), 20, "x").contents).toBeUndefined();
  });
});

describe("the refs of a reference", () => {
  const read = (refs: string, names: Readonly<Record<string, string>>, more: Partial<Tip> = {}): Tip =>
    tip({ refs, set: setOf(names), ...more });
  const [tag, head] = ["refs/tags/v1", "refs/heads/main"];
  const first = moveReference(undefined, read(digestA, { [tag]: "1", [head]: "1" }), 10, "x");

  test("are kept with short ids, and the time from which they are known", () => {
    expect(first).toMatchObject({
      sets: [[digestA, 10]],
      refs: { [tag]: "1".repeat(10), [head]: "1".repeat(10) },
      refs_since: 10,
      recent: {},
      refs_of: "x",
    });
    expect(first.rewritten).toBeUndefined();
  });

  test("stay the same object if they have not moved", () => {
    const second = moveReference(first, read(digestA, { [tag]: "1", [head]: "1" }), 20, "x");
    expect(second.refs).toBe(first.refs);
    expect(second).toMatchObject({ sets: [[digestA, 10]], refs_since: 10, recent: {} });
  });

  test("that changed, appeared or vanished are recent for a day, and not a millisecond longer", () => {
    const more = "refs/heads/more";
    const second = moveReference(first, read(digestB, { [head]: "2", [more]: "1" }), 20, "x");
    expect(second.recent).toEqual({ [tag]: 20, [head]: 20, [more]: 20 });
    const again = (at: number): Reference =>
      moveReference(second, read(digestB, { [head]: "2", [more]: "1" }), at, "x");
    expect(again(20 + dayMs - 1).recent).toEqual(second.recent);
    expect(again(20 + dayMs).recent).toEqual({});
  });

  test("that stayed as they are beside others that changed are not recent, and no branch is rewritten", () => {
    const second = moveReference(
      first,
      read(digestB, { [tag]: "1", [head]: "2", "refs/tags/v2": "1" }),
      20,
      "x",
    );
    expect(second.recent).toEqual({ [head]: 20, "refs/tags/v2": 20 });
    expect(second.rewritten).toBeUndefined();
  });

  test("have the last eight tags that were rewritten", () => {
    let reference = first;
    for (let digit = 1; digit < 10; digit += 1)
      reference = moveReference(
        reference,
        read(`${digit}`.repeat(16), { [tag]: `${digit + 1}`.slice(-1) }),
        digit,
        "x",
      );
    expect(reference.rewritten?.map(([at]) => at)).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test("that were not read are those of before", () => {
    const second = moveReference(first, tip({ revision: b }), 20, "x");
    expect({ ...second, revisions: first.revisions }).toEqual(first);
  });

  test("are forgotten if there are too many to compare, but for the tags that were rewritten", () => {
    const moved = moveReference(first, read(digestB, { [tag]: "2", [head]: "1" }), 20, "x");
    const second = moveReference(moved, tip({ refs_unread: "too_many" }), 30, "x");
    for (const key of ["sets", "refs", "refs_since", "recent"]) expect(second).not.toHaveProperty(key);
    expect(second.rewritten).toEqual([[20, tag, "1".repeat(10), "2".repeat(10)]]);
  });

  test("of something else have another history, which keeps the tags that were rewritten", () => {
    const moved = moveReference(first, read(digestB, { [head]: "1" }), 20, "x");
    const second = moveReference(moved, read(digestA, { [tag]: "3" }), 30, "y");
    expect(second).toMatchObject({ sets: [[digestA, 30]], refs_since: 30, recent: {}, refs_of: "y" });
    expect(second.rewritten).toEqual([[20, tag, "1".repeat(10), ""]]);
  });

  test("that are known only as a whole move no ref", () => {
    const second = moveReference(first, tip({ refs: digestB }), 20, "x");
    expect(second).toMatchObject({
      sets: [
        [digestA, 10],
        [digestB, 20],
      ],
      refs_of: "x",
    });
    expect([second.refs, second.recent]).toEqual([undefined, undefined]);
  });

  test("that are known for the first time after they were known as a whole begin then", () => {
    const whole = moveReference(undefined, tip({ refs: digestA }), 10, "x");
    const second = moveReference(whole, read(digestA, { [tag]: "1" }), 20, "x");
    expect(second).toMatchObject({ sets: [[digestA, 10]], refs: { [tag]: "1".repeat(10) }, refs_since: 20 });
  });
});

test.each<[string, Partial<Reference>, number]>([
  ["the run that saw it change last", { recent: { name: 30 }, refs_since: 10 }, 30],
  ["the first run that read the refs", { recent: { other: 30 }, refs_since: 10 }, 10],
  [
    "the run that first saw all refs as they are",
    {
      recent: { name: 30 },
      sets: [
        [digestA, 5],
        [digestB, 20],
      ],
    },
    20,
  ],
  ["that run too if nothing else is known", { sets: [[digestA, 5]] }, 5],
  ["no time if nothing is known", {}, Infinity],
  ["no time if no set is known", { sets: [] }, Infinity],
])("a reference has a ref as it is since %s", (_, known, since) => {
  expect(stoodSince({ branch: "main", revisions: [], ...known }, "name")).toBe(since);
});
