import fc, { type Arbitrary } from "fast-check";
import { describe, expect, test } from "vitest";
import { appendItems, removeItems, setValue } from "../../../src/features/add/edit.ts";
import { changeNodes } from "../../../src/features/add/edit-nodes.ts";
import { listNodes, type TargetNames } from "../../../src/core/config/nodes.ts";
import type { Config } from "../../../src/core/config/config-schema.ts";
import { validateConfig } from "../../../src/core/config/validate.ts";
import { configArbitrary, nameArbitrary } from "../../support/arbitrary.ts";
import { trials } from "../../support/trials.ts";

const item = { x: 3, y: [{ z: 4 }] };

test.each<[string, string]>([
  ['{"a":[{"x":1}]}\n', '{"a":[{"x":1},{"x":3,"y":[{"z":4}]}]}\n'],
  [
    '{\n\t"a": [\n\t\t{ "x": 1, "y": [ {"z" : 2} ] }\n\t]\n}\n',
    '{\n\t"a": [\n\t\t{ "x": 1, "y": [ {"z" : 2} ] },\n\t\t{ "x": 3, "y": [ { "z": 4 } ] }\n\t]\n}\n',
  ],
  [
    '{\n  "a": [{ "x": 1 }, { "x": 2 }]\n}\n',
    '{\n  "a": [{ "x": 1 }, { "x": 2 }, { "x": 3, "y": [ { "z": 4 } ] }]\n}\n',
  ],
  [
    '{\r\n    "a": [\r\n        {\r\n            "x": 1\r\n        }\r\n    ]\r\n}\r\n',
    '{\r\n    "a": [\r\n        {\r\n            "x": 1\r\n        },\r\n        {\r\n            "x": 3,\r\n            "y": [\r\n' +
      '                {\r\n                    "z": 4\r\n                }\r\n            ]\r\n        }\r\n    ]\r\n}\r\n',
  ],
])("what is appended to %j has its indentation", (text, expected) => {
  expect(appendItems(text, ["a"], [item])).toBe(expected);
});

test.each<[string, string]>([
  ['{\n  "a": 1,\n  "b": 2\n}', '{\n  "a": 1,\n  "c": 3,\n  "b": 2\n}'],
  ['{"a":1}', '{"a":1,"c": 3}'],
  ['{ "c" : 17 , "a": 1 }', '{ "c" : 3 , "a": 1 }'],
])("a property of %j is set", (text, expected) => {
  expect(setValue(text, ["c"], 3, "a")).toBe(expected);
});

test.each<[number[], string]>([
  [[0], "\n    3,\n    4\n  "],
  [[1, 2], "\n    1\n  "],
  [[], "\n    1,\n    3,\n    4\n  "],
])("the items %j are removed with their lines", (indexes, left) => {
  const text = (items: string): string => `{\n  "a": [${items}],\n  "b": { "x": 2 }\n}\n`;
  expect(removeItems(text("\n    1,\n    3,\n    4\n  "), ["a"], new Set(indexes))).toBe(text(left));
  expect(removeItems('{"a":[1,2]}', ["a"], new Set([1]))).toBe('{"a":[1]}');
});

/** Generates the names of a target. The system, the project and the target may each exist already or be new. */
function placeArbitrary(config: Config): Arbitrary<TargetNames> {
  const known = listNodes(config).map(({ system, project, target }) => ({ system, project, target }));
  const fresh = fc.record({ system: nameArbitrary, project: nameArbitrary, target: nameArbitrary });
  return fc
    .tuple(fc.constantFrom(...known), fresh, fc.subarray(["system", "project", "target"] as const))
    .map(([place, names, kept]) => ({
      ...names,
      ...Object.fromEntries(kept.map((level) => [level, place[level]])),
    }));
}

const caseArbitrary = configArbitrary.chain((config) =>
  fc.record({
    config: fc.constant(config),
    place: placeArbitrary(config),
    urls: fc.uniqueArray(
      fc.nat({ max: 99 }).map((number) => `https://new.example.org/r-${number}`),
      { minLength: 1, maxLength: 3 },
    ),
    isPrimary: fc.boolean(),
  }),
);

/** Makes the same change as `changeNodes`, but to the configuration instead of its text. */
function expected(
  config: Config,
  { system, project, target }: TargetNames,
  urls: string[],
  isPrimary: boolean,
): Config {
  const value = structuredClone(config);
  const greatest = Math.max(...listNodes(config).map(({ id }) => id));
  const network = urls.map((url, index) => ({ id: greatest + 1 + index, url }));
  const primary = isPrimary ? { primary: greatest + 1 } : {};
  const newTarget = { target, ...primary, network };
  const inSystem = value.systems.find((one) => one.system === system);
  const inProject = inSystem?.projects.find((one) => one.project === project);
  const index = inProject?.targets.findIndex((one) => one.target === target) ?? -1;
  const known = inProject?.targets[index];
  if (known !== undefined) {
    const { target: name, ...rest } = known;
    const more = { target: name, ...primary, ...rest, network: [...rest.network, ...network] };
    inProject?.targets.splice(index, 1, more);
  } else if (inProject !== undefined) inProject.targets.push(newTarget);
  else if (inSystem !== undefined) inSystem.projects.push({ project, targets: [newTarget] });
  else value.systems.push({ system, projects: [{ project, targets: [newTarget] }] });
  return value;
}

const blank = fc.stringMatching(/^[ \t\r\n]{0,3}$/);

/** Renders a value as JSON with arbitrary white space between tokens. */
function spaced(value: unknown, next: () => string): string {
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => `${next()}${spaced(item, next)}${next()}`);
    return `[${items.join(",")}]`;
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, member]) => `${next()}${JSON.stringify(key)}${next()}:${next()}${spaced(member, next)}${next()}`,
  );
  return `{${members.join(",")}}`;
}

function add(text: string, place: TargetNames, urls: string[], isPrimary = false) {
  return changeNodes(text, "mirrors.json", {
    ...place,
    mirrors: urls.map((url) => ({ url })),
    primary: isPrimary,
  });
}

describe("adding to any mirrors.json", () => {
  test("in any formatting keeps every other value, and outside of the insertion every character", () => {
    fc.assert(
      fc.property(caseArbitrary, fc.array(blank, { minLength: 1, maxLength: 30 }), (given, blanks) => {
        const { config, place, urls } = given;
        let at = 0;
        const text = `${spaced(config, () => blanks[at++ % blanks.length] ?? "")}${blanks[0] ?? ""}`;
        const edited = add(text, place, urls);
        expect(validateConfig(edited.text, "edited.json")).toEqual(expected(config, place, urls, false));
        const more = edited.text.length - text.length;
        const reversed = (one: string): string => one.split("").reverse().join("");
        const kept = commonStart(text, edited.text) + commonStart(reversed(text), reversed(edited.text));
        expect(more).toBeGreaterThan(0);
        expect(kept).toBeGreaterThanOrEqual(text.length);
      }),
    );
  });

  test.each([1, 2, 3, 4, 8, "\t"])(
    "written with the indentation %j gives what would be written",
    (indent) => {
      fc.assert(
        fc.property(
          caseArbitrary,
          fc.constantFrom("\n", "\r\n"),
          ({ config, place, urls, isPrimary }, end) => {
            const write = (value: Config): string =>
              `${JSON.stringify(value, null, indent)}\n`.replaceAll("\n", end);
            const edited = add(write(config), place, urls, isPrimary);
            expect(edited.text).toBe(write(expected(config, place, urls, isPrimary)));
            const before = new Set(listNodes(config).map(({ id }) => id));
            const fresh = listNodes(edited.config).filter(({ id }) => !before.has(id));
            expect(fresh).toMatchObject(edited.added.map((node) => ({ ...node, ...place })));
            expect(edited.added.map(({ url }) => url)).toEqual(urls);
          },
        ),
        { numRuns: trials(20), endOnFailure: true },
      );
    },
  );
});

function commonStart(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}
