import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { removeItems } from "../../src/config/edit.ts";
import { type MirrorsToMerge, mergeNodes } from "../../src/config/edit-nodes.ts";
import { listNodes, listTargets } from "../../src/config/nodes.ts";
import type { Override } from "../../src/config/schema.ts";
import { validateConfig } from "../../src/config/validate.ts";
import { InputError } from "../../src/base/errors.ts";
import { urlKey } from "../../src/base/text/url.ts";
import { configArbitrary } from "../support/arbitrary.ts";

const place = { system: "s", project: "p", target: "t" };
const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => `https://${name}.example.org/x`) as [
  string,
  string,
  string,
  string,
];

function feed(urls: readonly string[], target: object = {}, more: object = {}): string {
  const network = urls.map((url, index) => ({ id: index + 1, url }));
  const targets = [{ target: "t", ...target, network }];
  return JSON.stringify(
    { systems: [{ system: "s", projects: [{ project: "p", targets }] }], ...more },
    null,
    2,
  );
}

function merge(text: string, urls: readonly string[], changes: Partial<MirrorsToMerge> = {}) {
  const mirrors = urls.map((url) => ({ url, name: undefined }));
  return mergeNodes(text, "mirrors.json", {
    ...place,
    mirrors,
    probe: undefined,
    isRemoving: false,
    ...changes,
  });
}

function idsOf(text: string): Record<string, number> {
  return Object.fromEntries(listNodes(validateConfig(text, "mirrors.json")).map(({ id, url }) => [url, id]));
}

describe("a merge", () => {
  test("keeps the ids of what is there, and gives the next ones to what is new", () => {
    const merged = merge(feed([a, `${b}/`]), [c, b, d]);
    expect(merged).toMatchObject({
      added: [
        { id: 3, url: c },
        { id: 4, url: d },
      ],
      known: 1,
      missing: [{ id: 1, url: a }],
      isRemoved: false,
      created: [],
      settings: { kind: "git" },
    });
    expect(idsOf(merged.text)).toEqual({ [a]: 1, [`${b}/`]: 2, [c]: 3, [d]: 4 });
  });

  test("keeps the name that a node has, and names what is new", () => {
    const mirrors = [
      { url: a, name: "New name" },
      { url: b, name: "Second" },
    ];
    const { text } = merge(feed([a]), [], { mirrors });
    expect(listNodes(validateConfig(text, "")).map(({ name }) => name)).toEqual([
      "a.example.org/x",
      "Second",
    ]);
  });

  test("removes what is missing, and gives its id to no other", () => {
    const merged = merge(feed([a, b, c]), [b, d], { isRemoving: true });
    expect(merged).toMatchObject({ missing: [{ id: 1 }, { id: 3 }], isRemoved: true });
    expect(idsOf(merged.text)).toEqual({ [b]: 2, [d]: 4 });
  });

  test("can replace all nodes", () => {
    expect(idsOf(merge(feed([a, b]), [c], { isRemoving: true }).text)).toEqual({ [c]: 3 });
  });

  test("does not remove a primary", () => {
    const text = feed([a, b], { primary: 1 });
    expect(() => merge(text, [b], { isRemoving: true })).toThrow(
      new InputError(
        `Node 1 with "${a}" is the primary of s/p/t in mirrors.json, and the list does not have it; set another primary, or import without --remove.`,
      ),
    );
    expect(merge(text, [b]).missing).toMatchObject([{ id: 1 }]);
  });

  test("does not remove a node that maintenance names", () => {
    const maintenance = [{ scope: 1, from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z", reason: "x" }];
    expect(() => merge(feed([a, b], {}, { maintenance }), [b], { isRemoving: true })).toThrow(
      /^mirrors\.json without the removed nodes has 1 problem:\n {2}maintenance\[0\]\.scope: 1 is not/,
    );
  });

  test("does not remove what only another target has", () => {
    const merged = merge(feed([a]), [b], { target: "other", isRemoving: true });
    expect(merged).toMatchObject({ created: ["target"], missing: [], isRemoved: false });
    expect(idsOf(merged.text)).toEqual({ [a]: 1, [b]: 2 });
  });
});

const withOption = { kind: "http" as const, http: { expectStatus: [401] } };

test.each<[string, Override | undefined, object, string, object | undefined]>([
  ["the one above it where the list tells none", undefined, {}, "git", undefined],
  ["the one of the list", { kind: "http" }, {}, "http", { kind: "http" }],
  ["the one of the list, which the file has for all", { kind: "http" }, { kind: "http" }, "http", undefined],
  ["the one of the list with its option", withOption, { kind: "http" }, "http", withOption],
])("a new target has a kind: %s", (_, given, probe, expected, override) => {
  const merged = merge(feed([a], {}, { probe }), [b], {
    target: "new",
    probe: given,
  });
  expect(merged.settings?.kind).toBe(expected);
  const target = validateConfig(merged.text, "").systems[0]?.projects[0]?.targets[1];
  expect(target?.probe).toEqual(override);
  expect(merge(merged.text, [c], { target: "new", probe: { kind: "git" } }).text).not.toContain(
    '"kind":"git"',
  );
});

test("a new target repeats no kind of its own project, whatever others of the same name have", () => {
  const projectOf = (project: string, id: number, probe?: object) => {
    const targets = [{ target: "t", network: [{ id, url: `https://${id}.example.org/x` }] }];
    return { project, ...(probe && { probe }), targets };
  };
  const systems = [
    { system: "s", projects: [projectOf("p", 1), projectOf("q", 2, { kind: "http" })] },
    { system: "z", projects: [projectOf("q", 3), projectOf("p", 4, { kind: "http" })] },
  ];
  const probeIn = (system: string, project: string) => {
    const changes = { system, project, target: "new", probe: { kind: "http" } as const };
    const { text } = merge(JSON.stringify({ systems }), [d], changes);
    const target = listTargets(validateConfig(text, "")).find(
      ({ place: where }) => where === `${system}/${project}/new`,
    )?.target;
    return target?.probe;
  };
  expect([probeIn("s", "p"), probeIn("z", "q")]).toEqual([{ kind: "http" }, { kind: "http" }]);
  expect([probeIn("s", "q"), probeIn("z", "p")]).toEqual([undefined, undefined]);
  expect([probeIn("new", "p"), probeIn("s", "new")]).toEqual([{ kind: "http" }, { kind: "http" }]);
});

const urls = fc.uniqueArray(
  fc.nat({ max: 20 }).map((number) => `https://new.example.org/r-${number}`),
  { minLength: 1, maxLength: 8 },
);

test("a second merge of the same list changes nothing, for any mirrors.json and list", () => {
  fc.assert(
    fc.property(
      configArbitrary,
      urls,
      urls,
      fc.boolean(),
      fc.constantFrom(0, 2),
      (config, first, second, isRemoving, indent) => {
        const before = JSON.stringify(config, null, indent);
        const { text: once } = merge(before, first);
        const { text: twice, ...merged } = merge(once, second, { isRemoving });
        const again = merge(twice, second, { isRemoving });
        expect(again).toMatchObject({ text: twice, added: [], known: second.length });
        expect(again.missing).toEqual(isRemoving ? [] : merged.missing);
        const [idsBefore, idsAfter] = [listed(once), listed(twice)];
        for (const [key, id] of idsBefore)
          expect(idsAfter.get(key)).toBe(
            isRemoving && merged.missing.some((node) => node.id === id) ? undefined : id,
          );
        for (const { id } of merged.added) expect(id).toBeGreaterThan(Math.max(...idsBefore.values()));
      },
    ),
  );
});

/** The ids of all nodes by their place and mirror. */
function listed(text: string): Map<string, number> {
  const nodes = listNodes(validateConfig(text, "mirrors.json"));
  return new Map(nodes.map(({ id, url, place: where }) => [`${where} ${urlKey(url)}`, id]));
}

const lines = '{\n  "a": [\n    1,\n    3,\n    4\n  ],\n  "b": { "x": 2 }\n}\n';

test.each<[string, number[], string]>([
  ["the first", [0], "\n    3,\n    4\n  "],
  ["one between others", [1], "\n    1,\n    4\n  "],
  ["the last", [2], "\n    1,\n    3\n  "],
  ["all but the first", [1, 2], "\n    1\n  "],
  ["none", [], "\n    1,\n    3,\n    4\n  "],
])("items are removed with their lines: %s", (_, indexes, left) => {
  const expected = `{\n  "a": [${left}],\n  "b": { "x": 2 }\n}\n`;
  expect(removeItems(lines, ["a"], new Set(indexes))).toBe(expected);
});

test("the last item of a text on one line is removed", () => {
  expect(removeItems('{"a":[1,2]}', ["a"], new Set([1]))).toBe('{"a":[1]}');
});
