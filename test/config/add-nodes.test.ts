import { describe, expect, test } from "vitest";
import { addNodes, type Addition, parseTargetNames } from "../../src/config/edit-nodes.ts";
import { validateConfig } from "../../src/config/validate.ts";
import { InputError } from "../../src/base/errors.ts";

const place = { system: "community", project: "jcb", target: "packages" };
const first = "https://git.example.org/joomla/packages";
const second = "https://mirror.example.org/joomla/packages";
const third = "https://third.example.org/joomla/packages";

function feed(nodes: readonly object[], target: object = {}, more: object = {}): string {
  const targets = [{ target: "packages", ...target, network: nodes }];
  return JSON.stringify({
    systems: [{ system: "community", projects: [{ project: "jcb", targets }] }],
    ...more,
  });
}

function add(text: string, addition: Partial<Addition> = {}) {
  return addNodes(text, "mirrors.json", { ...place, urls: [second], ...addition });
}

function sentence(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
  return "";
}

const one = feed([{ id: 1, url: first }]);

describe("an id", () => {
  test("is the next after the greatest, never one in a gap", () => {
    const { nodes } = add(feed([{ id: 9, url: first }]), { urls: [second, third] });
    expect(nodes.map(({ id }) => id)).toEqual([10, 11]);
  });

  test("is the one that validate calls the next free", () => {
    const both = [
      { id: 1, url: first },
      { id: 1, url: second },
    ];
    const problem = sentence(() => validateConfig(feed(both), "mirrors.json"));
    expect(problem).toContain(`the next free one is ${String(add(one).nodes[0]?.id)}`);
  });

  test("is refused where there is none left", () => {
    const text = feed([{ id: Number.MAX_SAFE_INTEGER - 1, url: first }]);
    expect(add(text).nodes).toMatchObject([{ id: Number.MAX_SAFE_INTEGER }]);
    expect(sentence(() => add(text, { urls: [second, third] }))).toBe(
      "mirrors.json has the id 9007199254740990, and there is none left above it; give that node a smaller id.",
    );
  });
});

describe("a primary", () => {
  test.each<[string, object, number | undefined]>([
    ["that is new", {}, undefined],
    ["in place of another", { primary: 1 }, 1],
  ])("%s is the first of the nodes that are added", (_, target, formerPrimary) => {
    const edited = add(feed([{ id: 1, url: first }], target), { urls: [second, third], primary: true });
    expect(edited).toMatchObject({ primary: 2, formerPrimary });
    expect(JSON.parse(edited.text)).toMatchObject({
      systems: [{ projects: [{ targets: [{ target: "packages", primary: 2 }] }] }],
    });
  });

  test("stays where nothing is said of it", () => {
    const edited = add(feed([{ id: 1, url: first }], { primary: 1 }));
    expect(edited).toMatchObject({ primary: 1, formerPrimary: 1 });
  });

  test("of a new target stands before its nodes", () => {
    const edited = add(one, { target: "snippets", primary: true });
    expect(edited.text).toContain(`{"target":"snippets","primary":2,"network":[{"id":2,"url":"${second}"}]}`);
    expect(edited.created).toEqual(["target"]);
  });
});

test.each<[string, Partial<Addition>, string[]]>([
  ["another system", { system: "other" }, ["system", "project", "target"]],
  ["another project", { project: "other" }, ["project", "target"]],
  ["another target", { target: "other" }, ["target"]],
  ["the target that is there", {}, []],
])("the new levels are named: with %s", (_, addition, created) => {
  expect(add(one, addition).created).toEqual(created);
});

test("a label stands between id and url", () => {
  const { text, nodes } = add(one, { name: 'The "second"' });
  expect(text).toContain(`{"id":2,"name":"The \\"second\\"","url":"${second}"}`);
  expect(nodes).toEqual([{ id: 2, name: 'The "second"', url: second }]);
});

describe("what validate would refuse is refused, with the remedy", () => {
  test.each<[string, string, Partial<Addition>, string]>([
    ["no URL", one, { urls: [] }, "There is no URL to add; give one or more."],
    ["an invalid URL", one, { urls: ["x"] }, 'The mirror "x" is not a URL; write it as https://host/path.'],
    [
      "a URL that is not in its normal form",
      one,
      { urls: ["https://Git.example.org:443/a/../b"] },
      'The mirror "https://Git.example.org:443/a/../b" is not in its normal form; write "https://git.example.org/b".',
    ],
    [
      "a scheme",
      one,
      { urls: ["ssh://git.example.org/a"] },
      'The mirror "ssh://git.example.org/a" has the scheme "ssh"; only http and https are probed.',
    ],
    [
      "credentials, which are not repeated",
      one,
      { urls: [second, "https://me:secret@git.example.org/a"] },
      "Mirror 2 holds credentials, and the feed is public; remove what stands before the @.",
    ],
    [
      "several at once",
      one,
      { urls: ["x", second, `${second}/`] },
      `Mirror 1 "x" is not a URL; write it as https://host/path.\nMirror 3 "${second}/" is the same as mirror 2; leave it out.`,
    ],
    [
      "a URL that the target has",
      one,
      { urls: [second, `${first}/`] },
      `"${first}/" is already node 1 of community/jcb/packages; leave it out.`,
    ],
    [
      "a URL twice, except for slashes",
      one,
      { urls: [`${second}//`, third, second] },
      `Mirror 3 "${second}" is the same as mirror 1; leave it out.`,
    ],
    [
      "every URL that the target has",
      feed([
        { id: 1, url: first },
        { id: 2, url: `${second}//` },
      ]),
      { urls: [`${first}//`, second] },
      `"${first}//" is already node 1 of community/jcb/packages; leave it out.\n` +
        `"${second}" is already node 2 of community/jcb/packages; leave it out.`,
    ],
    [
      "a label of several",
      one,
      { urls: [second, third], name: "Both" },
      "A name is for one node, but there are 2 URLs; add them one by one.",
    ],
    [
      "a query of a git repository",
      one,
      { urls: [`${second}?a=b`] },
      "mirrors.json with this node added has 1 problem:\n" +
        "  systems[0].projects[0].targets[0].network[1].url: a Git repository has no query; remove it from the ? on, or probe it as http (line 1)",
    ],
    [
      "queries of git repositories",
      one,
      { urls: [`${second}?a=b`, third] },
      "mirrors.json with these nodes added has 1 problem:\n" +
        "  systems[0].projects[0].targets[0].network[1].url: a Git repository has no query; remove it from the ? on, or probe it as http (line 1)",
    ],
    [
      "an empty query of a git repository",
      one,
      { urls: [`${second}?`] },
      "mirrors.json with this node added has 1 problem:\n" +
        "  systems[0].projects[0].targets[0].network[1].url: a Git repository has no query; remove it from the ? on, or probe it as http (line 1)",
    ],
    [
      "a label with control characters",
      one,
      { name: "a\u001b[2J" },
      "mirrors.json with this node added has 1 problem:\n" +
        "  systems[0].projects[0].targets[0].network[1].name: has control or invisible characters; remove them (line 1)",
    ],
    [
      "what is not right already",
      "{",
      {},
      "mirrors.json is not JSON:\n  line 1, column 2: the { of line 1, column 1 is not closed; add }; correct this first, the rest was not checked",
    ],
  ])("%s", (_, text, addition, message) => {
    expect(sentence(() => add(text, addition))).toBe(message);
  });

  test.each(["?a=b", "?"])("the query %j is taken where the target is probed as http", (query) => {
    const text = feed([{ id: 1, url: first }], { probe: { kind: "http" } });
    expect(add(text, { urls: [`${second}${query}`] }).nodes).toMatchObject([{ id: 2 }]);
  });

  test("the same url in another target is right", () => {
    expect(add(one, { target: "snippets", urls: [first] }).nodes).toMatchObject([{ id: 2, url: first }]);
  });
});

describe("a place", () => {
  test("is three names", () => {
    expect(parseTargetNames("community/jcb/packages")).toEqual(place);
  });

  test.each(["", "a", "a/b", "a/b/c/d", "/a/b/c"])("%j is none", (text) => {
    expect(sentence(() => parseTargetNames(text))).toBe(
      `"${text}" is not a target; write it as system/project/target.`,
    );
  });

  test("tells every name that none may have", () => {
    expect(sentence(() => parseTargetNames("a/JCB/c.."))).toBe(
      'The project in "a/JCB/c..": "JCB" must be lower case, since some file systems cannot tell the two apart; write "jcb".\n' +
        'The target in "a/JCB/c..": "c.." must not contain two dots in a row; remove one.',
    );
    expect(sentence(() => parseTargetNames("a//c"))).toBe(
      'The project in "a//c": is empty; give it a name such as packages.',
    );
  });
});
