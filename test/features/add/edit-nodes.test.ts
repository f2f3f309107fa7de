import fc, { type Arbitrary } from "fast-check";
import { describe, expect, test } from "vitest";
import { urlKey } from "../../../src/core/base/text/url.ts";
import { changeNodes, type NodeChange, parseTargetNames } from "../../../src/features/add/edit-nodes.ts";
import type { Config } from "../../../src/core/config/config-schema.ts";
import { listNodes, type TargetNames } from "../../../src/core/config/nodes.ts";
import { validateConfig } from "../../../src/core/config/validate.ts";
import { configArbitrary, nameArbitrary } from "../../support/arbitrary.ts";
import { inputErrorOf, mirrorsJson, networkAt } from "../../support/mirrors-json.ts";
import { trials } from "../../support/trials.ts";

const place = { system: "s", project: "p", target: "t" };
const urls = ["a", "b", "c", "d"].map((name) => `https://${name}.example.org/x/y`);
const [a = "", b = "", c = "", d = ""] = urls;

function feed(urls: readonly string[], file: object = {}, target: object = {}): string {
  return JSON.stringify(mirrorsJson(networkAt(urls), file, target));
}

function change(text: string, urls: readonly string[] = [b], more: Partial<NodeChange> = {}) {
  const mirrors = urls.map((url) => ({ url }));
  return changeNodes(text, "mirrors.json", { ...place, mirrors, ...more });
}

const one = feed([a]);

test.each<[object, boolean | undefined, number]>([
  [{}, true, 2],
  [{ primary: 1 }, true, 2],
  [{ primary: 1 }, undefined, 1],
])("of a target with %j and --primary %j, node %j is the primary", (target, isPrimary, primary) => {
  const { config } = change(feed([a], {}, target), [b, c], { isPrimary });
  expect(config.systems[0]?.projects[0]?.targets[0]?.primary).toBe(primary);
});

test.each<[Partial<NodeChange>, string[]]>([
  [{ system: "z" }, ["system", "project", "target"]],
  [{ project: "q" }, ["project", "target"]],
  [{ target: "u" }, ["target"]],
])("with %j, the new levels are %j", (addition, created) => {
  expect(change(one, [b], addition).created).toEqual(created);
});

test("a name is written after the id", () => {
  const edited = change(one, [], { mirrors: [{ url: b, name: 'The "second"' }] });
  expect(edited.text).toContain(String.raw`{ "id": 2, "name": "The \"second\"", "url": "${b}" }`);
  expect(edited.added).toEqual([{ id: 2, name: 'The "second"', url: b }]);
});

const network = "systems[0].projects[0].targets[0].network";

test.each<[string[], string]>([
  [["x"], `[1].url: "x" is not a URL; write it as https://host/path`],
  [[c, b, `${b}//`], `[3].url: "${b}//" is already the URL of ${network}[2]; remove one of the two`],
])("nothing is added with %j", (urls, message) => {
  const problem = `mirrors.json after the change has 1 problem:\n  ${network}${message} (line 1)`;
  expect(inputErrorOf(() => change(one, urls))).toBe(problem);
});

test("a query is taken where the target is probed as http, and the same URL in another target", () => {
  const http = feed([a], { probe: { kind: "http" } });
  for (const url of [`${b}?a=b`, `${b}?`]) expect(change(http, [url]).added).toMatchObject([{ url }]);
  expect(change(one, [a], { target: "u" }).added).toMatchObject([{ id: 2, url: a }]);
});

test("a target is three names", () => {
  expect(parseTargetNames("s/p/t")).toEqual(place);
  for (const text of ["", "a", "a/b", "a/b/c/d", "/a/b/c", "a//c"])
    expect(inputErrorOf(() => parseTargetNames(text))).toBe(
      `"${text}" is not a target; write it as system/project/target.`,
    );
});

describe("a merge", () => {
  const idsOf = (text: string): Record<string, number> =>
    Object.fromEntries(listNodes(validateConfig(text, "")).map(({ id, url }) => [url, id]));

  test("removes what is missing, and gives its id to no other", () => {
    const merged = change(feed([a, b, c]), [b, d], { isRemoving: true });
    expect(merged).toMatchObject({ missing: [{ id: 1 }, { id: 3 }] });
    expect(idsOf(merged.text)).toEqual({ [b]: 2, [d]: 4 });
    expect(idsOf(change(feed([a, b]), [c], { isRemoving: true }).text)).toEqual({ [c]: 3 });
  });

  test("removes no primary, no node that maintenance names, and none of another target", () => {
    const withPrimary = feed([a, b], {}, { primary: 1 });
    expect(inputErrorOf(() => change(withPrimary, [b], { isRemoving: true }))).toContain(
      ".primary: 1 is not the id of a mirror of this target; write one of 2",
    );
    expect(change(withPrimary, [b]).missing).toMatchObject([{ id: 1 }]);
    const maintenance = [{ scope: 1, from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z", reason: "x" }];
    expect(inputErrorOf(() => change(feed([a, b], { maintenance }), [b], { isRemoving: true }))).toMatch(
      /^mirrors\.json after the change has 1 problem:\n {2}maintenance\[0\]\.scope: 1 is not/,
    );
    const merged = change(one, [b], { target: "other", isRemoving: true });
    expect(merged).toMatchObject({ created: ["target"], missing: [] });
    expect(idsOf(merged.text)).toEqual({ [a]: 1, [b]: 2 });
  });

  test("gives a new target the kind of the list, and leaves that of a target that is there", () => {
    const probe = { kind: "http" as const };
    const merged = change(one, [b], { target: "new", probe });
    expect(merged.config.systems[0]?.projects[0]?.targets[1]?.probe).toEqual(probe);
    const again = change(merged.text, [c], { target: "new", probe: { kind: "git" } });
    expect(again.config.systems[0]?.projects[0]?.targets[1]?.probe).toEqual(probe);
  });
});

/** Generates the names of a target. The system, the project and the target may each exist already or be new. */
function placeArbitrary(config: Config): Arbitrary<TargetNames> {
  const known = listNodes(config).map(({ system, project, target }) => ({ system, project, target }));
  const fresh = fc.record({ system: nameArbitrary, project: nameArbitrary, target: nameArbitrary });
  return fc
    .tuple(fc.constantFrom(...known), fresh, fc.subarray(["system", "project", "target"] as const))
    .map(([old, names, kept]) => {
      return { ...names, ...Object.fromEntries(kept.map((level) => [level, old[level]])) };
    });
}

const urlArbitrary = fc.nat({ max: 20 }).map((number) => `https://new.example.org/r-${number}`);
const urlsArbitrary = fc.uniqueArray(urlArbitrary, { minLength: 1, maxLength: 8 });

interface Case {
  readonly config: Config;
  readonly names: TargetNames;
  readonly urls: readonly string[];
  readonly isPrimary: boolean;
}

const caseArbitrary = configArbitrary.chain((config) => {
  const names = placeArbitrary(config);
  return fc.record({ config: fc.constant(config), names, urls: urlsArbitrary, isPrimary: fc.boolean() });
});

/** Makes the same change as `changeNodes`, but to the configuration instead of its text. */
function expected({ config, names, urls, isPrimary }: Case): Config {
  const { system, project, target } = names;
  const value = structuredClone(config);
  const greatest = Math.max(...listNodes(config).map(({ id }) => id));
  const added = urls.map((url, index) => ({ id: greatest + 1 + index, url }));
  const primary = isPrimary ? { primary: greatest + 1 } : {};
  const newTarget = { target, ...primary, network: added };
  const inSystem = value.systems.find((other) => other.system === system);
  const inProject = inSystem?.projects.find((other) => other.project === project);
  const index = inProject?.targets.findIndex((other) => other.target === target) ?? -1;
  const known = inProject?.targets[index];
  if (known !== undefined) {
    const { target: name, ...rest } = known;
    const more = { target: name, ...primary, ...rest, network: [...rest.network, ...added] };
    inProject?.targets.splice(index, 1, more);
  } else if (inProject !== undefined) inProject.targets.push(newTarget);
  else if (inSystem !== undefined) inSystem.projects.push({ project, targets: [newTarget] });
  else value.systems.push({ system, projects: [{ project, targets: [newTarget] }] });
  return value;
}

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

function commonStart(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

describe("any mirrors.json", () => {
  test("in any formatting keeps every other value, and every character outside of what is added", () => {
    const blank = fc.stringMatching(/^[ \t\r\n]{0,3}$/);
    fc.assert(
      fc.property(caseArbitrary, fc.array(blank, { minLength: 1, maxLength: 30 }), (given, blanks) => {
        const { config, names, urls } = given;
        let at = 0;
        const text = `${spaced(config, () => blanks[at++ % blanks.length] ?? "")}${blanks[0] ?? ""}`;
        const edited = change(text, urls, names);
        expect(validateConfig(edited.text, "edited.json")).toEqual(expected({ ...given, isPrimary: false }));
        const reversed = (one: string): string => one.split("").reverse().join("");
        const kept = commonStart(text, edited.text) + commonStart(reversed(text), reversed(edited.text));
        expect(edited.text.length).toBeGreaterThan(text.length);
        expect(kept).toBeGreaterThanOrEqual(text.length);
      }),
    );
  });

  test.each([1, 2, 3, 4, 8, "\t"])("with the indentation %j keeps it, and its line ends", (indent) => {
    fc.assert(
      fc.property(caseArbitrary, fc.constantFrom("\n", "\r\n"), (given, end) => {
        const { config, names, urls, isPrimary } = given;
        const write = (value: Config): string =>
          `${JSON.stringify(value, null, indent)}\n`.replaceAll("\n", end);
        const edited = change(write(config), urls, { ...names, isPrimary });
        expect(edited.text).toBe(write(expected(given)));
        const before = new Set(listNodes(config).map(({ id }) => id));
        const fresh = listNodes(edited.config).filter(({ id }) => !before.has(id));
        expect(fresh).toMatchObject(edited.added.map((node) => ({ ...node, ...names })));
        expect(edited.added.map(({ url }) => url)).toEqual(urls);
      }),
      { numRuns: trials(20), endOnFailure: true },
    );
  });

  test.each(["", "\t", "  "])("with the indentation %j keeps every other character", (indent) => {
    const old = `${indent}{ "id": 3, "url": "${a}", "probe": {"kind" : "http"} }`;
    const text = (nodes: string): string =>
      `{"systems":[{"system":"s","projects":[{"project":"p","targets":[{ "target" : "t",\n"network":[\n${nodes}\n]}]}]}]}\r\n`;
    expect(change(text(old)).text).toBe(text(`${old},\n${indent}{ "id": 4, "url": "${b}" }`));
    const both = text(`${old},\n${old.replace("3", "2").replace(a, c)}`);
    expect(change(both, [a], { isRemoving: true }).text).toBe(text(old));
  });

  test("with the same list changes nothing the second time", () => {
    const idsIn = (text: string): Map<string, number> => {
      const nodes = listNodes(validateConfig(text, ""));
      return new Map(nodes.map(({ place, url, id }) => [`${place} ${urlKey(url)}`, id]));
    };
    fc.assert(
      fc.property(
        ...([configArbitrary, urlsArbitrary, urlsArbitrary, fc.boolean(), fc.constantFrom(0, 2)] as const),
        (config, first, second, isRemoving, indent) => {
          const { text: once } = change(JSON.stringify(config, null, indent), first);
          const { text: twice, ...merged } = change(once, second, { isRemoving });
          const again = change(twice, second, { isRemoving });
          expect(again).toMatchObject({ text: twice, added: [], known: second.length });
          expect(again.missing).toEqual(isRemoving ? [] : merged.missing);
          const [idsBefore, idsAfter] = [idsIn(once), idsIn(twice)];
          for (const [key, id] of idsBefore) {
            const isGone = isRemoving && merged.missing.some((node) => node.id === id);
            expect(idsAfter.get(key)).toBe(isGone ? undefined : id);
          }
          for (const { id } of merged.added) expect(id).toBeGreaterThan(Math.max(...idsBefore.values()));
        },
      ),
    );
  });
});
