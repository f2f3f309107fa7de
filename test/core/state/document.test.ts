import { describe, expect, test } from "vitest";
import { latestRun, latestTimestamp } from "../../../src/core/probe/observation.ts";
import { type NodeState, type State } from "../../../src/core/state/state-schema.ts";
import { formatState, parseState } from "../../support/stored.ts";

const untold: NodeState = { status: 1, since: 7, transitions: [] };

test("a state's text has a line for each node and reference, by number and by name, without what is unknown", () => {
  const state: State = {
    schema: 1,
    runs: [["r1", 5]],
    nodes: { 40000000000: untold, 5000000000: untold, 9: { ...untold, code: "ok", streak: undefined } },
    references: {
      "s/p/u": { branch: "main", versions: [] },
      "s/p/t": { branch: "main", versions: [{ value: "a".repeat(16), since: 5 }] },
    },
    vantages: {
      b: { times: [5, 7], nodes: { 5000000000: { code: "ok", hours: "", days: "1|0.0.1" } } },
      a: { times: [5], nodes: {} },
    },
  };
  expect(formatState(state)).toBe(`{
"nodes":{
"40000000000":{"since":7,"status":1,"transitions":[]},
"5000000000":{"since":7,"status":1,"transitions":[]},
"9":{"code":"ok","since":7,"status":1,"transitions":[]}},
"references":{
"s/p/t":{"branch":"main","versions":[{"value":"aaaaaaaaaaaaaaaa","since":5}]},
"s/p/u":{"branch":"main","versions":[]}},
"runs":[["r1",5]],
"schema":1,
"vantages":{
"a":{
"nodes":{
},
"times":[5]},
"b":{
"nodes":{
"5000000000":{"code":"ok","days":"1|0.0.1","hours":""}},
"times":[5,7]}}}
`);
});

const id = "000000000000000a";
const [digest, short] = ["0123456789abcdef", "0123456789"];
const line = { channel: "ops", event: "offline", subject: "a", nodes: [1, 2], since: 7, rule: "rule-1" };
const whole = {
  schema: 1,
  runs: [["r1", 5]],
  nodes: { 1: { ...untold, revision: "abc", branch: "main", url: "0123456789ab", cause: "ECONNRESET" } },
  references: {
    "s/p/t": {
      ...{ branch: "main", versions: [{ value: "abc", since: 5, date: 5, taken: true }] },
      ...{ refs: { HEAD: short }, moves: [[5, "HEAD", "", short]], known_from: 5, refs_of: digest },
      answers: [["HEAD", short, "past", short]],
      rewritten: [[5, "refs/tags/v1", short, ""]],
    },
  },
  notifications: { lines: { [id]: line }, channels: { ops: { sent: [7], failures: 1, next: 9 } } },
  vantages: { default: { times: [5], nodes: { 1: { hours: "1|0.0.1", days: "" } } } },
};

/** Replaces a part of a value, or removes it if `part` is undefined. */
function replaced(value: unknown, [key, ...rest]: readonly string[], part: unknown): unknown {
  if (key === undefined || typeof value !== "object" || value === null) return part;
  const entries = Object.entries(value).filter(([own]) => own !== key);
  const before: unknown = Object.entries(value).find(([own]) => own === key)?.[1];
  const after = Object.fromEntries([...entries, [key, replaced(before, rest, part)]]);
  return Array.isArray(value) ? Object.values(after) : after;
}

function parseWith(path: readonly string[], part: unknown): State {
  return parseState(JSON.stringify(replaced(whole, path, part)), "state.json");
}

const node = ["nodes", "1"];
const reference = ["references", "s/p/t"];
const known = ["notifications", "lines", id];
const channel = ["notifications", "channels", "ops"];

const remedy = '"; restore an earlier state, or move this one away to start over.';

describe("a state with", () => {
  test.each<[string, string[], ...unknown[]]>([
    ["everything", []],
    ["opaque revisions", [...reference, "versions"], [{ value: "~".repeat(64), since: 5 }]],
    ["a moved tag", [...reference, "rewritten"], [[5, "refs/tags/v1", short, "abcdef0123"]]],
    [
      "the largest id",
      ["nodes", `${Number.MAX_SAFE_INTEGER}`],
      { ...untold, streak: 1000, tls_expires_at: latestTimestamp },
    ],
    ["64 runs with long ids", ["runs"], Array(64).fill(["r".repeat(200), latestRun])],
    ["512 times", ["vantages", "default", "times"], Array(512).fill(latestTimestamp)],
  ])("%s is read again", (_, path, part = whole) => {
    const parsed = parseWith(path, part);
    expect(parsed).toEqual(replaced(whole, path, part));
    const text = formatState(parsed);
    expect(parseState(text, "state.json")).toEqual(parsed);
    for (const line of [`"${id}":{"channel":"ops","event":"offline",`, `"ops":{"failures":1,`])
      expect(text).toContain(`\n${line}`);
  });

  test.each<[path: string[], ...wrong: unknown[]]>([
    [[...node, "revision"], "a b", "abc ", "", "~".repeat(65)],
    [[...node, "url"], "0123456789a", "0123456789abc"],
    [[...node, "cause"], "E CONN", "E".repeat(65)],
    [[...node, "status"], 2],
    [[...node, "since"], -1],
    [[...node, "branch"], "x".repeat(1001)],
    ...["01", "12345678901234567", "1x"].map((key): [string[], object] => [["nodes", key], untold]),
    [["nodes"], []],
    [["more"], 1],
    [["runs"], [["", 5]], [["r".repeat(201), 5]]],
    [[...reference, "more"], 1],
    [[...reference, "versions"], [{ value: "a\tc", since: 5 }], Array(33).fill({ value: "a", since: 5 })],
    [[...reference, "moves"], [[5, "HEAD", "x", short]], Array(65).fill([5, "HEAD", "", short])],
    [[...reference, "answers"], [["HEAD", short, "older", short]], [["HEAD", "", "past", short]]],
    [
      [...node, "behind"],
      [5, "HEAD", "a b"],
      [5, "HEAD"],
    ],
    [[...node, "own_tags"], "1234", "12345".repeat(34)],
    [[...reference, "refs", "HEAD"], `${short}0`, short.slice(1), `g${short}`],
    [[...reference, "refs_of"], digest.slice(1)],
    [[...reference, "rewritten"], [[5, "refs/tags/v1", short, "x"]]],
    [["vantages", "default", "times"], []],
    [["vantages", "default", "nodes", "1", "hours"], "1|0.0.1 "],
    [[...known, "nodes"], undefined, [0], Array<number>(100_001).fill(1)],
    [[...known, "address"], "a@example.org"],
    [[...channel, "failures"], 0, 101],
    [[...channel, "text"], "It is offline."],
    [["notifications", "secrets"], {}],
  ])("%s %j is refused, and its place named", (path, ...wrong) => {
    const isUnknown = ["more", "address", "text", "secrets"].includes(path.at(-1) ?? "");
    const place = (isUnknown ? path.slice(0, -1) : path).join(".");
    for (const part of wrong) {
      expect(() => parseWith(path, part)).toThrow(`The state in state.json is broken at "${place}`);
      expect(() => parseWith(path, part)).toThrow(remedy);
    }
  });
});

test.each<[text: string, message: RegExp]>([
  ['{"schema":1', /^The state in state\.json is not JSON; restore an earlier state/],
  ["", /is not JSON/],
  ['{"schema":2}', /by a newer version of mirrorfeed \(schema 2, not 1\); use that version/],
  ...["null", "[]", "{}", '{"schema":"2"}', '{"schema":0}', '{"systems":[]}'].map(
    (text): [string, RegExp] => [
      text,
      /^The state in state\.json is broken at ".+"; restore an earlier state/,
    ],
  ),
])("%s is not a state", (text, problem) => {
  expect(() => parseState(text, "state.json")).toThrow(problem);
});
