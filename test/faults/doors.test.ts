import { resolve } from "node:path/posix";
import fc, { type Arbitrary } from "fast-check";
import { describe, expect, test } from "vitest";
import { textsOf } from "../support/playing.ts";
import { summaryTable } from "../../src/app/run-summary.ts";
import { changeNodes } from "../../src/features/add/edit-nodes.ts";
import { readMirrors } from "../../src/features/add/load-mirrors.ts";
import { fingerprint, listNodes } from "../../src/core/config/nodes.ts";
import { validateConfig } from "../../src/core/config/validate.ts";
import { advertise, numberedRefs } from "../support/advertisement.ts";
import { InputError } from "../../src/core/base/errors.ts";
import { parseRemote } from "../../src/core/base/git/remote.ts";
import { classifyGit } from "../support/classify-git.ts";
import type { Results } from "../../src/core/probe/observation.ts";
import { formatResults, parseResults } from "../../src/core/probe/results.ts";
import { renderContract, renderSite } from "../../src/app/render-site.ts";
import { isSitePath, treeOf } from "../../src/core/base/files/site-file.ts";
import { route } from "../../src/core/contract/routing.ts";
import { mergeResults, type Round } from "../../src/core/state/round.ts";
import { anyCharacter } from "../support/any-url.ts";
import { seed, trials } from "../support/trials.ts";
import { codes } from "../../src/core/kinds/kinds.ts";
import { formatState, parseState } from "../support/stored.ts";
import type { FeedState } from "../../src/app/state-document.ts";
import { advanceState, resolveRound } from "../../src/app/advance-feed.ts";

const options = { seed, numRuns: trials(400, 50_000) };

const configText = JSON.stringify(
  {
    systems: [
      {
        system: "community",
        projects: [
          {
            project: "jcb",
            probe: { kind: "http", http: { expectStatus: [200, 204] }, failureThreshold: 2 },
            targets: [
              {
                target: "packages",
                primary: 5,
                network: [
                  { id: 5, name: "first", url: "https://git.example.org/joomla/packages" },
                  { id: 6, url: "https://mirror.example.com/joomla/packages", probe: { timeout: "900ms" } },
                ],
              },
            ],
          },
        ],
      },
    ],
    probe: { attempts: 2, controls: ["https://control.example.net/"], maxBytes: 8192 },
    site: { title: "A feed", url: "https://status.example.org/feed/", interval: "5m", host: "nginx" },
    maintenance: [{ scope: 6, from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z", reason: "A move" }],
  },
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
    schema: 1,
    run,
    vantage: "default",
    shard: { index: 1, count: 1 },
    config: fingerprint(nodes),
    prober: "mirrorfeed/0.0.0",
    started_at: timestamp,
    finished_at: timestamp,
    controls: [],
    observations: [
      { id: 5, code: "ok", ...seen, revision: "1".repeat(40), branch: "main", tls_expires_at: timestamp },
      { id: 6, code: second, ...seen, http_status: 200 },
    ],
  };
}

const before = [resultsAt("r1", noon, "ok"), resultsAt("r2", noon + 3_600_000, "timeout")].reduce<
  FeedState | undefined
>((state, results) => advanceState(config, nodes, mergeResults([results]), state).state, undefined);
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

type Predicate<Value> = (value: Value) => void | Promise<void>;

async function holds<Value>(arbitrary: Arbitrary<Value>, predicate: Predicate<Value>): Promise<void> {
  const properties = Object.getOwnPropertyNames(Object.prototype).length;
  await fc.assert(
    fc.asyncProperty(arbitrary, async (value) => {
      await predicate(value);
    }),
    options,
  );
  expect(Object.getOwnPropertyNames(Object.prototype)).toHaveLength(properties);
}

describe(`whatever comes to a door, ${options.numRuns} times (seed ${seed})`, () => {
  test("mirrors.json is refused in a sentence, or makes a site inside its folder", async () => {
    let taken = 0;
    await holds(nearly(configText), (text) => {
      const read = atDoor(() => validateConfig(text, "mirrors.json"));
      if (read === undefined) return;
      taken += 1;
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
    });
    expect(taken).toBeGreaterThan(0);
  });

  test.each<[string, string, (text: string) => [Round, FeedState]]>([
    ["a state", stateText, (text) => [later, parseState(text, "state.json")]],
    ["results", resultsText, (text) => [mergeResults([parseResults(text, "results.json", nodes)]), before]],
  ])(
    "%s: refused in a sentence, or through a run and every document to a state that can be read",
    async (_, good, door) => {
      let taken = 0;
      await holds(nearly(good), (text) => {
        const [round, known] = atDoor(() => door(text)) ?? [];
        if (round === undefined) return;
        taken += 1;
        const after = advanceState(config, nodes, round, known);
        textsOf(renderSite(config, resolveRound(config, nodes, round, after)));
        const { state } = after;
        if (state !== undefined) expect(parseState(formatState(state), "again")).toEqual(state);
      });
      expect(taken).toBeGreaterThan(0);
    },
  );

  test("an advertisement of git ends as a code, and its revision is one", async () => {
    const good = advertise(numberedRefs(2));
    await holds(fc.tuple(nearly(good), fc.boolean()), async ([text, complete]) => {
      const judgement = await classifyGit({
        status: 200,
        headers: { "content-type": "application/x-git-upload-pack-advertisement" },
        body: Buffer.from(text, "latin1"),
        complete,
        bounded: !complete,
        tlsExpiresAt: undefined,
      });
      expect(codes).toContain(judgement.code);
      expect(judgement.revision ?? "0".repeat(40)).toMatch(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);
    });
  });

  test("a request to the preview is answered from inside the site", async () => {
    const site = treeOf(renderContract(resolveRound(config, nodes, later, { state: before, online: [] })));
    const targets = [
      "/v1/network/community/jcb/packages/1",
      "/errors/system.json",
      "/.mirrorfeed/x",
      "/../a/%2e%2e/b",
    ];
    await holds(
      fc.tuple(fc.constantFrom("GET", "HEAD", "POST", "\0"), nearly(...targets)),
      ([method, target]) => {
        const found = route(method, target, (path) => {
          expect(`${resolve("/site", path)}/`).toMatch(/^\/site\//);
          return site.files.has(path);
        });
        if (found.kind === "file") expect(site.files).toContain(found.path);
      },
    );
  });

  test("a list to import is refused in a sentence, or its mirrors make a mirrors.json that is valid", async () => {
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
    const place = { system: "community", project: "lists", target: "new" };
    let taken = 0;
    await holds(nearly(...lists), (text) => {
      const list = atDoor(() => readMirrors("list", text));
      if (list === undefined) return;
      const { mirrors, probe, notes } = list;
      for (const note of notes) expect(note).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
      const merged = atDoor(() =>
        changeNodes(configText, "mirrors.json", { ...place, mirrors, probe, isRemoving: true }),
      );
      if (merged === undefined) return;
      taken += 1;
      expect(listNodes(validateConfig(merged.text, "again"))).toHaveLength(nodes.length + mirrors.length);
    });
    expect(taken).toBeGreaterThan(0);
  });

  test("the address of a remote is refused in a sentence, or is not an option or a command", async () => {
    const addresses = [
      "https://example.org/a.git",
      "git@example.org:a/b.git",
      "../a.git",
      "ext::sh -c x",
      "-oProxy",
    ];
    await holds(nearly(...addresses), (address) => {
      const remote = atDoor(() => parseRemote(address, "/srv"));
      if (remote !== undefined) expect(remote.address).not.toMatch(/^-|^\w+::/);
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

const mutation = fc.record({
  // Most mutations keep the text well-formed, since otherwise nothing would get past the first parser.
  kind: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom("renumber" as const, "replace" as const) },
    { weight: 1, arbitrary: fc.constantFrom("insert", "delete", "repeat", "cut", "flip") },
  ),
  at: fc.nat({ max: 9999 }).map((step) => step / 10_000),
  length: fc.nat({ max: 40 }),
  text: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...nasty) },
    { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 8 }) },
  ),
  number: fc.oneof(
    fc.constantFrom(0, 1, 999, 8.64e15 - 1, 8.64e15),
    fc.nat(),
    fc.integer({ min: 0, max: 8.64e15 }),
  ),
});

type Mutation = typeof mutation extends Arbitrary<infer Value> ? Value : never;

/**
 * Generates one of these texts with up to three mutations. Some mutations replace a JSON value, and others change a
 * piece of the text regardless of the syntax.
 */
function nearly(...texts: readonly string[]): Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...texts), fc.array(mutation, { maxLength: 3 }))
    .map(([text, mutations]) => mutations.reduce(mutate, text));
}

function mutate(text: string, { kind, at, length, text: other, number }: Mutation): string {
  if (kind === "renumber") return replaceMatch(text, /(?<=[[:,])\d+(?=[\],}])/g, at, String(number));
  if (kind === "replace") return replaceMatch(text, scalar, at, other);
  const start = Math.floor(at * text.length);
  const before = text.slice(0, start);
  const piece = text.slice(start, start + length);
  const rest = text.slice(start + length);
  switch (kind) {
    case "insert":
      return before + other + piece + rest;
    case "delete":
      return before + rest;
    case "repeat":
      return before + piece + piece + rest;
    case "cut":
      return before;
    case "flip":
      return (
        before +
        String.fromCharCode((text.charCodeAt(start) || 0) ^ (1 << (length % 8))) +
        text.slice(start + 1)
      );
  }
}

/** A JSON string, number or literal, but not a property name. */
const scalar = /"(?:[^"\\]|\\.)*"(?!:)|-?\d+(?:\.\d+)?|true|false|null/g;

function replaceMatch(text: string, pattern: RegExp, at: number, other: string): string {
  const found = [...text.matchAll(pattern)];
  const chosen = found[Math.floor(at * found.length)];
  if (chosen === undefined) return text + other;
  return text.slice(0, chosen.index) + other + text.slice(chosen.index + chosen[0].length);
}
