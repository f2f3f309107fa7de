import fc, { type Arbitrary } from "fast-check";
import { describe, expect, test } from "vitest";
import { textsOf } from "../support/playing.ts";
import { summaryTable } from "../../src/app/run-summary.ts";
import { changeNodes } from "../../src/features/add/edit-nodes.ts";
import { readMirrors } from "../../src/features/add/load-mirrors.ts";
import { fingerprint, listNodes } from "../../src/core/config/nodes.ts";
import { validateConfig } from "../../src/core/config/validate.ts";
import { InputError } from "../../src/core/base/errors.ts";
import type { Results } from "../../src/core/probe/observation.ts";
import { formatResults, parseResults } from "../../src/core/probe/results.ts";
import { renderSite } from "../../src/app/render-site.ts";
import { isSitePath, treeOf } from "../../src/core/base/files/site-file.ts";
import { mergeResults, type Round } from "../../src/core/state/round.ts";
import { anyCharacter } from "../support/any-url.ts";
import { mirrorsJson } from "../support/mirrors-json.ts";
import { seed, trials } from "../support/trials.ts";
import { formatState, parseState } from "../support/stored.ts";
import type { FeedState } from "../../src/app/state-document.ts";
import { advanceState, resolveRound } from "../../src/app/advance-feed.ts";

const numRuns = trials(400, 50_000);

const configText = JSON.stringify(
  mirrorsJson(
    [
      { id: 5, name: "first", url: "https://git.example.org/joomla/packages" },
      { id: 6, url: "https://mirror.example.com/joomla/packages", probe: { timeout: "900ms" } },
    ],
    {
      probe: {
        ...{ kind: "http", http: { expectStatus: [200, 204] }, failureThreshold: 2 },
        ...{ attempts: 2, controls: ["https://control.example.net/"], maxBytes: 8192 },
      },
      site: { title: "A feed", url: "https://status.example.org/feed/", interval: "5m", host: "nginx" },
      maintenance: [{ scope: 6, from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z", reason: "A move" }],
    },
    { primary: 5 },
  ),
  null,
  2,
);
const config = validateConfig(configText, "mirrors.json");
const nodes = listNodes(config);
const noon = Date.parse("2026-01-01T12:00:00Z");

function resultsAt(run: string, at: number, second: "ok" | "timeout"): Results {
  const timestamp = new Date(at).toISOString();
  const seen = { attempts: 1, checked_at: timestamp, latency_ms: 31 };
  return {
    ...{ schema: 1, run, vantage: "default", shard: { index: 1, count: 1 }, config: fingerprint(nodes) },
    ...{ prober: "mirrorfeed/0.0.0", started_at: timestamp, finished_at: timestamp, controls: [] },
    observations: [
      { id: 5, code: "ok", ...seen, revision: "1".repeat(40), branch: "main", tls_expires_at: timestamp },
      { id: 6, code: second, ...seen, http_status: 200 },
    ],
  };
}

const stateAfter = (results: Results, state?: FeedState): FeedState | undefined =>
  advanceState(config, nodes, mergeResults([results]), state).state;
const before = stateAfter(
  resultsAt("r2", noon + 3_600_000, "timeout"),
  stateAfter(resultsAt("r1", noon, "ok")),
);
if (before === undefined) throw new Error("The rounds leave a state.");
const stateText = formatState(before);
const resultsText = formatResults(resultsAt("r3", noon + 7_200_000, "ok"));
const later = mergeResults([resultsAt("r4", noon + 9_000_000, "ok")]);

/** Returns the parsed value, or undefined if the parser refuses the text with a message that is safe to print. */
function atDoor<Value>(door: () => Value): Value | undefined {
  try {
    return door();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    expect(error.message.length).toBeLessThan(20_000);
    expect(error.message.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
    expect(error.message).not.toMatch(/^\s*(?:::|##\[)/m);
    return undefined;
  }
}

/** Expects that a door takes some of the texts. `pass` returns whether it took one. */
function holds(texts: Arbitrary<string>, pass: (text: string) => boolean): void {
  const properties = Object.getOwnPropertyNames(Object.prototype).length;
  let taken = 0;
  fc.assert(
    fc.property(texts, (text) => {
      if (pass(text)) taken += 1;
    }),
    { seed, numRuns },
  );
  expect(taken).toBeGreaterThan(0);
  expect(Object.getOwnPropertyNames(Object.prototype)).toHaveLength(properties);
}

describe(`whatever comes to a door, ${numRuns} times (seed ${seed})`, () => {
  test("mirrors.json is refused in a sentence, or makes a site inside its folder", () => {
    holds(nearly(configText), (text) => {
      const read = atDoor(() => validateConfig(text, "mirrors.json"));
      if (read === undefined) return false;
      const all = listNodes(read);
      const after = advanceState(read, all, later, undefined);
      const feed = resolveRound(read, all, later, after);
      const files = renderSite(read, feed);
      expect(() => treeOf(files)).not.toThrow();
      expect(files.every(({ path }) => isSitePath(path))).toBe(true);
      const shown = summaryTable({ nodes: all, round: later, isVoid: false, feed });
      expect(shown.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
      for (const [path, text] of textsOf(files))
        if (path.endsWith(".html")) expect(text).not.toContain("<script>");
      return true;
    });
  });

  test.each<[string, string, (text: string) => [Round, FeedState]]>([
    ["a state", stateText, (text) => [later, parseState(text, "state.json")]],
    ["results", resultsText, (text) => [mergeResults([parseResults(text, "results.json", nodes)]), before]],
  ])(
    "%s: refused in a sentence, or through a run and every document to a state that can be read",
    (_, good, door) => {
      holds(nearly(good), (text) => {
        const [round, known] = atDoor(() => door(text)) ?? [];
        if (round === undefined) return false;
        const after = advanceState(config, nodes, round, known);
        textsOf(renderSite(config, resolveRound(config, nodes, round, after)));
        const { state } = after;
        if (state !== undefined) expect(parseState(formatState(state), "again")).toEqual(state);
        return true;
      });
    },
  );

  test("a list to import is refused in a sentence, or its mirrors make a mirrors.json that is valid", () => {
    const lists = [
      "Types: deb\nURIs: https://a.example.org/x http://b.example.org/\nSuites: stable\nEnabled: yes\n",
      "deb [arch=amd64] https://a.example.org/x stable main\n",
      "Server = https://a.example.org/$repo/os/$arch\n#Server = http://b.example.org/$repo\n",
      "https://a.example.org/x # first\nftp://user:secret@b.example.org/\n",
      '<metalink><files><file name="repomd.xml"><resources><url>https://a.example.org/x/repodata/repomd.xml</url>' +
        "<url>rsync://b.example.org/</url></resources></file></files></metalink>",
      '{"urls":[{"url":"https://a.example.org/x/"},{"url":"http://b.example.org/x/"}]}',
      'Name,URL,Maintainer,OK\n"A, ""B""",https://a.example.org/x/,,1\nC,http://b.example.org/,,0\n',
      "Site: a.example.org\nArchive-http: /debian/\n\nSite: b.example.org\nArchive-https: /x/\n",
    ];
    const place = { system: "s", project: "lists", target: "new" };
    holds(nearly(...lists), (text) => {
      const list = atDoor(() => readMirrors("list", text));
      if (list === undefined) return false;
      const { mirrors, probe, notes } = list;
      for (const note of notes) expect(note).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
      const merged = atDoor(() =>
        changeNodes(configText, "mirrors.json", { ...place, mirrors, probe, isRemoving: true }),
      );
      if (merged === undefined) return false;
      expect(listNodes(validateConfig(merged.text, "again"))).toHaveLength(nodes.length + mirrors.length);
      return true;
    });
  });
});

/** Values that have broken parsers before: wrong types, numeric limits, names of built-in object properties. */
const nasty: readonly string[] = [
  ...String.raw`null true -1 0 1.5 1e400 -0 9007199254740993 8640000000000001 "" [] {} NaN //x "__proto__" "constructor"
    {"__proto__":{"polluted":true}} {"constructor":{"prototype":{}}} "../../../../etc/passwd" "a\u0000b" "\ud800"
    "\u001b[31m\u0007" "::error::x" "##[error]x" "<script>alert(1)</script>" "\u202e" "%2e%2e%2f" {"a":1,"a":2}
    "2026-02-30T00:00:00.000Z" "+275760-09-13T00:00:00.001Z" "00000000000000000000"`.split(/\s+/),
  '"\\n::set-output name=a::b\\n"',
  ...[JSON.stringify("x".repeat(10_000)), "[".repeat(3000), `${"[".repeat(3000)}${"]".repeat(3000)}`],
];

/** What becomes of a piece of a text. */
const replacements = {
  insert: (piece: string, other: string) => other + piece,
  delete: () => "",
  repeat: (piece: string) => piece + piece,
  overwrite: (_: string, other: string) => other,
};

const mutation = fc.record({
  // Most mutations keep the text well-formed, since otherwise nothing would get past the first parser.
  kind: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom("renumber" as const, "replace" as const) },
    { weight: 1, arbitrary: fc.constantFrom("insert", "delete", "repeat", "overwrite") },
  ),
  at: fc.nat({ max: 9999 }).map((step) => step / 10_000),
  length: fc.oneof({ weight: 4, arbitrary: fc.nat({ max: 40 }) }, fc.constant(Infinity)),
  text: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...nasty) },
    { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 8 }) },
  ),
  number: fc.oneof(fc.constantFrom(0, 1, 999, 8.64e15 - 1, 8.64e15), fc.nat(), fc.nat({ max: 8.64e15 })),
});

type Mutation = typeof mutation extends Arbitrary<infer Value> ? Value : never;

/** Generates one of these texts with up to three mutations. */
function nearly(...texts: readonly string[]): Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...texts), fc.array(mutation, { maxLength: 3 }))
    .map(([text, mutations]) => mutations.reduce(mutate, text));
}

function mutate(text: string, { kind, at, length, text: other, number }: Mutation): string {
  if (kind === "renumber") return replaceMatch(text, /(?<=[[:,])\d+(?=[\],}])/g, at, String(number));
  if (kind === "replace") return replaceMatch(text, scalar, at, other);
  const start = Math.floor(at * text.length);
  const end = start + length;
  return text.slice(0, start) + replacements[kind](text.slice(start, end), other) + text.slice(end);
}

/** A JSON string, number or literal, but not a property name. */
const scalar = /"(?:[^"\\]|\\.)*"(?!:)|-?\d+(?:\.\d+)?|true|false|null/g;

function replaceMatch(text: string, pattern: RegExp, at: number, other: string): string {
  const found = [...text.matchAll(pattern)];
  const chosen = found[Math.floor(at * found.length)];
  if (chosen === undefined) return text + other;
  return text.slice(0, chosen.index) + other + text.slice(chosen.index + chosen[0].length);
}
