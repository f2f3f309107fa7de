import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { urlKey } from "../../../src/core/base/text/url.ts";
import {
  addNodes,
  type Addition,
  mergeNodes,
  parseTargetNames,
} from "../../../src/features/add/edit-nodes.ts";
import { listNodes, listTargets } from "../../../src/core/config/nodes.ts";
import type { Override } from "../../../src/core/config/config-schema.ts";
import { validateConfig } from "../../../src/core/config/validate.ts";
import { configArbitrary } from "../../support/arbitrary.ts";
import { inputErrorOf, mirrorsJson } from "../../support/mirrors-json.ts";

const place = { system: "s", project: "p", target: "t" };
const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => `https://${name}.example.org/x/y`) as [
  string,
  string,
  string,
  string,
];

function feed(urls: readonly string[], file: object = {}, target: object = {}): string {
  return JSON.stringify(
    mirrorsJson(
      urls.map((url, index) => ({ id: index + 1, url })),
      file,
      target,
    ),
  );
}

function feedWithId(id: number): string {
  return JSON.stringify(mirrorsJson([{ id, url: a }]));
}

function add(text: string, urls: readonly string[] = [b], addition: Partial<Addition> = {}) {
  const mirrors = urls.map((url) => ({ url }));
  return addNodes(text, "mirrors.json", { ...place, mirrors, ...addition });
}

function merge(
  text: string,
  urls: readonly string[],
  changes: Partial<Parameters<typeof mergeNodes>[2]> = {},
) {
  const mirrors = urls.map((url) => ({ url }));
  return mergeNodes(text, "mirrors.json", { ...place, mirrors, isRemoving: false, ...changes });
}

const one = feed([a]);

describe("an id", () => {
  test("is the next after the greatest, never one in a gap", () => {
    expect(add(feedWithId(9), [b, c]).nodes.map(({ id }) => id)).toEqual([10, 11]);
  });

  test("is the one that validate calls the next free", () => {
    const text = JSON.stringify(mirrorsJson([a, b].map((url) => ({ id: 1, url }))));
    const problem = inputErrorOf(() => validateConfig(text, "mirrors.json"));
    expect(problem).toContain(`the next free one is ${String(add(one).nodes[0]?.id)}`);
  });

  test("is refused where there is none left", () => {
    const text = feedWithId(Number.MAX_SAFE_INTEGER - 1);
    expect(add(text).nodes).toMatchObject([{ id: Number.MAX_SAFE_INTEGER }]);
    expect(inputErrorOf(() => add(text, [b, c]))).toBe(
      "mirrors.json has no free id above 9007199254740990; give that mirror a smaller id.",
    );
  });
});

test.each<[object, boolean | undefined, number | undefined, number | undefined]>([
  [{}, true, 2, undefined],
  [{ primary: 1 }, true, 2, 1],
  [{ primary: 1 }, undefined, 1, 1],
])("of a target with %j and --primary %j, node %j is the primary", (target, isPrimary, primary, former) => {
  const edited = add(feed([a], {}, target), [b, c], { primary: isPrimary });
  expect(edited).toMatchObject({ primary, formerPrimary: former });
  expect(edited.config.systems[0]?.projects[0]?.targets[0]?.primary).toBe(primary);
});

test.each<[Partial<Addition>, string[], string]>([
  [{ system: "z" }, ["system", "project", "target"], '{"system":"z","projects":[{"project":"p",'],
  [{ project: "q" }, ["project", "target"], '{"project":"q","targets":[{"target":"t","network":[{"id":2,'],
  [
    { target: "u", primary: true },
    ["target"],
    `{"target":"u","primary":2,"network":[{"id":2,"url":"${b}"}]}`,
  ],
  [{ mirrors: [{ url: b, name: 'The "second"' }] }, [], `,{"id":2,"name":"The \\"second\\"","url":"${b}"}]`],
])("with %j, the new levels are %j, in the order of the documents", (addition, created, text) => {
  const edited = add(one, [b], addition);
  expect(edited.created).toEqual(created);
  expect(edited.text).toContain(text);
  expect(edited.nodes).toEqual([{ id: 2, name: addition.mirrors?.[0]?.name ?? "b.example.org/x/y", url: b }]);
});

const query =
  " has 1 problem:\n  systems[0].projects[0].targets[0].network[1].url: has a query, but a Git repository has none; remove the ? and everything after it, or probe it as http (line 1)";

test.each<[string, string[], string]>([
  [one, ["x"], 'The mirror "x" is not a URL; write it as https://host/path.'],
  [
    one,
    ["https://Git.example.org:443/a/../b"],
    'The mirror "https://Git.example.org:443/a/../b" is not normalized; write "https://git.example.org/b".',
  ],
  [
    one,
    [b, "https://me:secret@git.example.org/a"],
    "Mirror 2 contains credentials, and the feed is public; remove the user name and password.",
  ],
  [
    feed([a, `${b}//`]),
    ["x", `${a}//`, b, c, `${c}/`],
    [
      'Mirror 1 "x" is not a URL; write it as https://host/path.',
      `Mirror 2 "${a}//" is already in s/p/t, with the id 1; leave it out.`,
      `Mirror 3 "${b}" is already in s/p/t, with the id 2; leave it out.`,
      `Mirror 5 "${c}/" is the same as mirror 4; leave it out.`,
    ].join("\n"),
  ],
  [one, [`${b}?`], `mirrors.json with this mirror added${query}`],
  [one, [`${b}?a=b`, c], `mirrors.json with these mirrors added${query}`],
  [
    "{",
    [b],
    "mirrors.json is not JSON:\n  line 1, column 2: the { at line 1, column 1 is not closed; add }; fix this first, because the rest was not checked",
  ],
])("to %s, nothing is added with %j", (text, urls, message) => {
  expect(inputErrorOf(() => add(text, urls))).toBe(message);
});

test("a query is taken where the target is probed as http, and the same URL in another target", () => {
  const http = feed([a], { probe: { kind: "http" } });
  for (const url of [`${b}?a=b`, `${b}?`]) expect(add(http, [url]).nodes).toMatchObject([{ url }]);
  expect(add(one, [a], { target: "u" }).nodes).toMatchObject([{ id: 2, url: a }]);
});

const notATarget = "is not a target; write it as system/project/target.";

test.each<[string, string]>([
  ["s/p/t", ""],
  ...["", "a", "a/b", "a/b/c/d", "/a/b/c"].map((text): [string, string] => [text, `"${text}" ${notATarget}`]),
  [
    "a/JCB/c..",
    'The project in "a/JCB/c..": "JCB" must be lower case, since some file systems ignore case; write "jcb".\n' +
      'The target in "a/JCB/c..": "c.." must not contain two dots in a row; remove one.',
  ],
  ["a//c", 'The project in "a//c": is empty; give it a name such as packages.'],
])("the place %j is three names, or refused with %j", (text, message) => {
  let names: unknown;
  expect(inputErrorOf(() => (names = parseTargetNames(text)))).toBe(message);
  expect(names).toEqual(message === "" ? place : undefined);
});

describe("a merge", () => {
  const idsOf = (text: string): Record<string, number> =>
    Object.fromEntries(listNodes(validateConfig(text, "")).map(({ id, url }) => [url, id]));

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
    const { config } = merge(one, [], { mirrors });
    expect(listNodes(config).map(({ name }) => name)).toEqual(["a.example.org/x/y", "Second"]);
  });

  test("removes what is missing, and gives its id to no other", () => {
    const merged = merge(feed([a, b, c]), [b, d], { isRemoving: true });
    expect(merged).toMatchObject({ missing: [{ id: 1 }, { id: 3 }], isRemoved: true });
    expect(idsOf(merged.text)).toEqual({ [b]: 2, [d]: 4 });
    expect(idsOf(merge(feed([a, b]), [c], { isRemoving: true }).text)).toEqual({ [c]: 3 });
  });

  test("removes no primary, no node that maintenance names, and none of another target", () => {
    const withPrimary = feed([a, b], {}, { primary: 1 });
    expect(inputErrorOf(() => merge(withPrimary, [b], { isRemoving: true }))).toBe(
      `Mirror 1 ("${a}") is the primary of s/p/t in mirrors.json, but is not in the list; set a different primary, or import without --remove.`,
    );
    expect(merge(withPrimary, [b]).missing).toMatchObject([{ id: 1 }]);
    const maintenance = [{ scope: 1, from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z", reason: "x" }];
    expect(inputErrorOf(() => merge(feed([a, b], { maintenance }), [b], { isRemoving: true }))).toMatch(
      /^mirrors\.json without the removed mirrors has 1 problem:\n {2}maintenance\[0\]\.scope: 1 is not/,
    );
    const merged = merge(one, [b], { target: "other", isRemoving: true });
    expect(merged).toMatchObject({ created: ["target"], missing: [], isRemoved: false });
    expect(idsOf(merged.text)).toEqual({ [a]: 1, [b]: 2 });
  });

  const withOption = { kind: "http" as const, http: { expectStatus: [401] } };

  test.each<[Override | undefined, object, string, object | undefined]>([
    [undefined, {}, "git", undefined],
    [{ kind: "http" }, {}, "http", { kind: "http" }],
    [{ kind: "http" }, { kind: "http" }, "http", undefined],
    [withOption, { kind: "http" }, "http", withOption],
  ])("of a list that says %j gives a new target below %j the kind %s", (probe, above, kind, override) => {
    const merged = merge(feed([a], { probe: above }), [b], { target: "new", probe });
    expect(merged.settings?.kind).toBe(kind);
    expect(merged.config.systems[0]?.projects[0]?.targets[1]?.probe).toEqual(override);
    const again = merge(merged.text, [c], { target: "new", probe: { kind: "git" } });
    expect(again.text).not.toContain('"kind":"git"');
  });

  test("repeats no kind of the target's own project, whatever others of the same name have", () => {
    const projectOf = (project: string, id: number, probe?: object) => {
      const targets = [{ target: "t", network: [{ id, url: `https://${id}.example.org/x` }] }];
      return { project, ...(probe && { probe }), targets };
    };
    const systems = [
      { system: "s", projects: [projectOf("p", 1), projectOf("q", 2, { kind: "http" })] },
      { system: "z", projects: [projectOf("q", 3), projectOf("p", 4, { kind: "http" })] },
    ];
    for (const [names, isInherited] of [
      ...[["s q", true] as const, ["z p", true] as const],
      ...["s p", "z q", "new p", "s new"].map((names) => [names, false] as const),
    ]) {
      const [system = "", project = ""] = names.split(" ");
      const changes = { system, project, target: "new", probe: { kind: "http" } as const };
      const { config } = merge(JSON.stringify({ systems }), [d], changes);
      const added = listTargets(config).find(({ place: one }) => one === `${system}/${project}/new`);
      expect(added?.target.probe).toEqual(isInherited ? undefined : { kind: "http" });
    }
  });

  test("of the same list changes nothing the second time, for any mirrors.json and list", () => {
    const urls = fc.uniqueArray(
      fc.nat({ max: 20 }).map((number) => `https://new.example.org/r-${number}`),
      { minLength: 1, maxLength: 8 },
    );
    const idsIn = (text: string): Map<string, number> =>
      new Map(
        listNodes(validateConfig(text, "")).map((node) => [`${node.place} ${urlKey(node.url)}`, node.id]),
      );
    fc.assert(
      fc.property(
        ...([configArbitrary, urls, urls, fc.boolean(), fc.constantFrom(0, 2)] as const),
        (config, first, second, isRemoving, indent) => {
          const { text: once } = merge(JSON.stringify(config, null, indent), first);
          const { text: twice, ...merged } = merge(once, second, { isRemoving });
          const again = merge(twice, second, { isRemoving });
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
