import {
  errorDocuments,
  type ErrorName,
  type FeedNames,
  networkRoot,
  type Place,
  placesOf,
} from "../../../src/core/contract/contract.ts";

export interface ContractCase {
  /** Unique. Edge cases have the same id for every feed. */
  readonly id: string;
  readonly method: string;
  /** The request target, sent without normalization. */
  readonly path: string;
  readonly expect: Expectation;
}

/**
 * The expected answer: the bytes of a document or of an error. `contained` is for requests that web servers answer
 * differently, and allows every answer that shows nothing from outside the site.
 */
export type Expectation =
  | { readonly kind: "document"; readonly status: 200; readonly path: string }
  | { readonly kind: "error"; readonly status: number; readonly name: ErrorName }
  | { readonly kind: "contained" };

type Level = Place["level"];

// Patterns of request targets. {…} is replaced by a name, in one of the spellings from `spell`.
const list = `/${networkRoot}`;
const aSystem = `${list}/{system}`;
const aProject = `${aSystem}/{project}`;
const aTarget = `${aProject}/{target}`;

const unknownNames = words(`no-such-name no-such-name/ no-such-name/1/ no-such-name/2 no-such-name/a/b/c/d/e
  no-such-name?x=1 no-such-name/?x=/1 {known}2 {known:cut} {known:upper} {known:upper}/ {known}.json {known}%0A
  {known}%20 %20{known} {known:twice} {long} {long}/ index.json index.html errors.json __proto__ constructor 1 %2A`);

const unknownAt: readonly (readonly [level: Level, above: string, names: readonly string[]])[] = [
  ["system", list, words("{project} {target} no-such-name/{project}/{target}/1")],
  ["project", aSystem, words("{system} {target} no-such-name/{target}/1")],
  ["target", aProject, words("{system} {project} no-such-name/1")],
];

const invalidStatuses = words(`2 2/ 3 01 00 10 1.0 0.0 -1 -0 +1 1e0 0x1 1, true false null online constructor
  __proto__ index.json index.html {long} 2?x=1 1%0A 1%0A/ 0%0A %0A1 %201 1%20 1%09 %2B1 %D9%A1 %D9%A3 %EF%BC%91 %2531
  1/x 1/x/ 1/1 1/0 1/index.json 0/index.json 0/0/0 x/1 2/1 1/x?y`).map((status) => `${aTarget}/${status}`);

/** Other spellings of the same path. Servers decode percent-encoding once and ignore the query. */
const otherSpellings: Readonly<Record<string, readonly string[]>> = {
  [list]: words(`${list}? ${list}/?x`),
  [aSystem]: words(`${list}/{system:encoded} ${list}/{system:lower}/ ${aSystem}/?page=2`),
  [aProject]: words(`${aSystem}/{project:encoded} ${aSystem}/{project:lower}/ ${aProject}?x=%zz`),
  [aTarget]: words(`${aProject}/{target:encoded} ${aProject}/{target:encoded}/ ${aProject}/{target:lower}
    ${aTarget}?status=0 ${aTarget}/?/../../../../etc/passwd`),
  [`${aTarget}/0`]: words(`${aTarget}/%30 ${aTarget}/%30/ ${aTarget}/0/?/x`),
  [`${aTarget}/1`]: words(`${aTarget}/%31 ${aTarget}/%31/ ${aTarget}/1?status=0
    ${list}/{system:encoded}/{project:encoded}/{target:encoded}/%31/`),
};

const notAllowed: Readonly<Record<string, readonly string[]>> = {
  POST: [list, `${aSystem}/`, aProject, aTarget, `${aTarget}/1`],
  PUT: [aTarget, `${aTarget}/2`],
  PATCH: [aTarget],
  DELETE: [aTarget, `${list}/no-such-name`],
  OPTIONS: [aTarget],
};

const elsewhere = words("/v1/networks /v1/networks/{system}/ /v2/network/{system} /no-such-file.json");

const leftOpen =
  words(`${list}// /${list}/{system} ${list}//{system} ${aSystem}//{project} ${aTarget}//1 ${aTarget}/1//
  /v1%2Fnetwork/{system} ${aSystem}%2F{project} ${aProject}%2F{target} ${aTarget}%2F1
  ${list}/. ${list}/.. ${aSystem}/./{project} ${aSystem}/../{system} ${aSystem}/%2e%2e ${aTarget}/1/..
  ${list}/% ${list}/%zz ${list}/%00 ${aTarget}/1%00 ${aTarget}/%c0%ae%c0%ae/1 /.mirrorfeed/ /.git/config
  /../../../../../../etc/passwd /%2e%2e%2f%2e%2e%2f%2e%2e%2f%2e%2e%2f%2e%2e%2fetc/passwd
  ${list}/../../../../../../etc/passwd ${list}/..%2f..%2f..%2f..%2f..%2f..%2fetc/passwd
  ${aSystem}/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd ${aTarget}/..%5c..%5c..%5cetc%5cpasswd`);

/** Returns cases for every document of a feed, with and without a trailing slash. */
export function documentCases(feed: FeedNames): ContractCase[] {
  return documentPaths(feed).flatMap((path) =>
    [path, `${path}/`].map((sent) => contractCase("GET", sent, sent, documentOf(path))),
  );
}

/**
 * Returns edge cases for a feed's first target: unknown and invalid names, refused methods, other spellings. A case is left
 * out if its unknown name exists in the feed.
 */
export function edgeCases(feed: FeedNames): ContractCase[] {
  const [{ system, projects } = { system: "", projects: [] }] = feed;
  const [{ project, targets } = { project: "", targets: [] }] = projects;
  const [{ target } = { target: "" }] = targets;
  if (target === "") return [];

  const known = new Set(documentPaths(feed));
  const spellings = new Map([...spell({ system, project, target }), ["{long}", "x".repeat(2000)]]);
  const fill = (pattern: string): string =>
    pattern.replaceAll(/\{[^}]*\}/g, (word) => spellings.get(word) ?? word);
  const edge = (method: string, pattern: string, expect: Expectation): ContractCase =>
    contractCase(method, pattern, fill(pattern), expect);

  const refused = (name: ErrorName, patterns: readonly string[]): ContractCase[] => [
    ...patterns.map((pattern) => edge("GET", pattern, errorOf(name))),
    ...patterns.slice(0, 1).map((pattern) => edge("HEAD", pattern, errorOf(name))),
  ];
  const isKnown = (pattern: string, depth: number): boolean =>
    known.has(fill(pattern).split(/[/?]/, depth).join("/").replace(/\/$/, ""));

  return [
    ...unknownAt.flatMap(([level, above, names]) => {
      const patterns = [...unknownNames, ...names].map((name) => `${above}/${name.replace("known", level)}`);
      const depth = above.split("/").length + 1;
      const strange = patterns.filter((pattern) => !isKnown(pattern, depth));
      return refused(level, strange);
    }),
    ...refused("status", invalidStatuses),
    ...refused("not-found", elsewhere),
    ...Object.entries(otherSpellings).flatMap(([meant, patterns]) => [
      ...patterns.map((pattern) => edge("GET", pattern, documentOf(fill(meant)))),
      edge("HEAD", meant, documentOf(fill(meant))),
    ]),
    ...Object.entries(notAllowed).flatMap(([method, patterns]) =>
      patterns.map((pattern) => edge(method, pattern, errorOf("method"))),
    ),
    ...leftOpen.map((pattern) => edge("GET", pattern, { kind: "contained" })),
  ];
}

/** Returns the request targets of all documents, without trailing slashes. */
function documentPaths(feed: FeedNames): string[] {
  return [
    list,
    ...placesOf(feed).flatMap(({ level, place }) =>
      (level === "target" ? ["", "/0", "/1"] : [""]).map((status) => `${list}/${place}${status}`),
    ),
  ];
}

function words(text: string): string[] {
  return text.split(/\s+/);
}

function spell(names: Readonly<Record<Level, string>>): [word: string, spelling: string][] {
  return Object.entries(names).flatMap(([level, name]): [string, string][] => {
    const encoded = Array.from(name, (character) => `%${character.charCodeAt(0).toString(16)}`).join("");
    return [
      [`{${level}}`, name],
      [`{${level}:cut}`, name.slice(0, -1)],
      [`{${level}:upper}`, name.toUpperCase()],
      [`{${level}:encoded}`, encoded.toUpperCase()],
      [`{${level}:lower}`, encoded],
      [`{${level}:twice}`, encoded.replaceAll("%", "%25")],
    ];
  });
}

function contractCase(method: string, pattern: string, path: string, expect: Expectation): ContractCase {
  return { id: `${method} ${pattern}`, method, path, expect };
}

function documentOf(path: string): Expectation {
  return { kind: "document", status: 200, path: `${path.slice(1)}/index.json` };
}

function errorOf(name: ErrorName): Expectation {
  return { kind: "error", status: errorDocuments[name].code, name };
}
