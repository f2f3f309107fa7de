import fc, { type Arbitrary } from "fast-check";
import { describe, expect, test } from "vitest";
import { addNodes, type AddedNodes } from "../../src/config/edit-nodes.ts";
import type { TargetNames } from "../../src/config/nodes.ts";
import { appendItems, setProperty } from "../../src/config/edit.ts";
import { listNodes } from "../../src/config/nodes.ts";
import type { Config } from "../../src/config/schema.ts";
import { validateConfig } from "../../src/config/validate.ts";
import { configArbitrary, nameArbitrary } from "../support/arbitrary.ts";
import { trials } from "../support/trials.ts";

function appended(text: string, item: unknown): string {
  return appendItems(text, ["a"], [item]);
}

describe("what is appended has the indentation of the text", () => {
  const item = { x: 3, y: [{ z: 4 }] };
  test.each<[string, string, string]>([
    ["all on one line", '{"a":[{"x":1}]}\n', '{"a":[{"x":1},{"x":3,"y":[{"z":4}]}]}\n'],
    [
      "one a line",
      '{\n\t"a": [\n\t\t{ "x": 1, "y": [ {"z" : 2} ] }\n\t]\n}\n',
      '{\n\t"a": [\n\t\t{ "x": 1, "y": [ {"z" : 2} ] },\n\t\t{ "x": 3, "y": [ { "z": 4 } ] }\n\t]\n}\n',
    ],
    [
      "several on one line",
      '{\n  "a": [{ "x": 1 }, { "x": 2 }]\n}\n',
      '{\n  "a": [{ "x": 1 }, { "x": 2 }, { "x": 3, "y": [ { "z": 4 } ] }]\n}\n',
    ],
    [
      "a property a line, with the line ends of Windows",
      '{\r\n    "a": [\r\n        {\r\n            "x": 1\r\n        }\r\n    ]\r\n}\r\n',
      '{\r\n    "a": [\r\n        {\r\n            "x": 1\r\n        },\r\n        {\r\n            "x": 3,\r\n            "y": [\r\n' +
        '                {\r\n                    "z": 4\r\n                }\r\n            ]\r\n        }\r\n    ]\r\n}\r\n',
    ],
  ])("%s", (_, text, expected) => {
    expect(appended(text, item)).toBe(expected);
  });

  test("an empty or missing array is an unexpected error", () => {
    for (const text of ['{"a":[]}', '{"b":[1]}', ""])
      expect(() => appended(text, item)).toThrow("There is no item at a.");
  });
});

test.each<[string, string, string]>([
  ["a new property", '{\n  "a": 1,\n  "b": 2\n}', '{\n  "a": 1,\n  "c": 3,\n  "b": 2\n}'],
  ["a new property of the only one", '{"a":1}', '{"a":1,"c": 3}'],
  ["a property that is there", '{ "c" : 17 , "a": 1 }', '{ "c" : 3 , "a": 1 }'],
])("%s is set", (_, text, expected) => {
  expect(setProperty(text, ["c"], 3, "a")).toBe(expected);
});

/** A place, mostly one where something is, at some depth. */
function placeArbitrary(config: Config): Arbitrary<TargetNames> {
  const known = listNodes(config).map(({ system, project, target }) => ({ system, project, target }));
  return fc
    .tuple(fc.constantFrom(...known), fc.nat({ max: 3 }), nameArbitrary, nameArbitrary, nameArbitrary)
    .map(([place, depth, system, project, target]) => ({
      ...place,
      ...(depth < 1 ? { system } : {}),
      ...(depth < 2 ? { project } : {}),
      ...(depth < 3 ? { target } : {}),
    }));
}

const urlsArbitrary = fc.uniqueArray(
  fc.nat({ max: 99 }).map((number) => `https://new.example.org/r-${number}`),
  { minLength: 1, maxLength: 3 },
);

const caseArbitrary = configArbitrary.chain((config) =>
  fc.record({
    config: fc.constant(config),
    place: placeArbitrary(config),
    urls: urlsArbitrary,
    isPrimary: fc.boolean(),
  }),
);

/** What the file shall hold: the same by plain values, without any text. */
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
  const inTarget = inProject?.targets.find((one) => one.target === target);
  if (inTarget !== undefined) {
    const { target: name, ...rest } = inTarget;
    const more = { target: name, ...primary, ...rest, network: [...rest.network, ...network] };
    inProject?.targets.splice(inProject.targets.indexOf(inTarget), 1, more);
  } else if (inProject !== undefined) inProject.targets.push(newTarget);
  else if (inSystem !== undefined) inSystem.projects.push({ project, targets: [newTarget] });
  else value.systems.push({ system, projects: [{ project, targets: [newTarget] }] });
  return value;
}

const blank = fc.stringMatching(/^[ \t\r\n]{0,3}$/);

/** A value as JSON with any white space at all between its tokens. */
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

function add(text: string, place: TargetNames, urls: string[], isPrimary = false): AddedNodes {
  return addNodes(text, "mirrors.json", { ...place, urls, primary: isPrimary });
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
        const [before, after] = [commonStart(text, edited.text), commonEnd(text, edited.text)];
        expect(more).toBeGreaterThan(0);
        expect(before + after).toBeGreaterThanOrEqual(text.length);
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
            const whole = expected(config, place, urls, isPrimary);
            expect(add(write(config), place, urls, isPrimary).text).toBe(write(whole));
          },
        ),
        { numRuns: trials(20), endOnFailure: true },
      );
    },
  );

  test("tells what it did", () => {
    fc.assert(
      fc.property(caseArbitrary, ({ config, place, urls, isPrimary }) => {
        const edited = add(JSON.stringify(config), place, urls, isPrimary);
        const before = new Set(listNodes(config).map(({ id }) => id));
        const fresh = listNodes(validateConfig(edited.text, "edited.json")).filter(
          ({ id }) => !before.has(id),
        );
        expect(fresh).toMatchObject(edited.nodes.map((node) => ({ ...node, ...place })));
        expect(edited.nodes.map(({ url }) => url)).toEqual(urls);
        expect(edited.primary).toBe(isPrimary ? fresh[0]?.id : undefined);
      }),
    );
  });
});

function commonStart(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

function commonEnd(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one.at(-1 - at) === other.at(-1 - at)) at += 1;
  return at;
}
