import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { latestTimestamp, latestRun } from "../../src/probe/observation.ts";
import { formatState, parseState } from "../../src/state/document.ts";
import {
  type NodeState,
  type Reference,
  revisionsKept,
  type State,
  timesKept,
  transitionsKept,
} from "../../src/state/schema.ts";
import { codes } from "../../src/kinds/kinds.ts";
import { anyCharacter } from "../support/any-url.ts";

const untold: NodeState = { status: 1, since: 7, transitions: [] };

/** Returns a value with the keys of all its objects the other way round. */
function backwards<Value>(value: Value): Value;
function backwards(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const turned = Object.entries(value).map(([key, part]): [string, unknown] => [key, backwards(part)]);
  return Object.fromEntries(turned.reverse());
}

test("a state's text has a line for each node and reference, by number and by name, without what is unknown", () => {
  const state: State = {
    schema: 1,
    runs: [
      ["r1", 5],
      ["r2", 7],
    ],
    nodes: {
      40000000000: untold,
      5000000000: untold,
      10: untold,
      9: {
        status: 0,
        since: 7,
        code: "http_status",
        http_status: 404,
        streak: 2,
        transitions: [[7, 0, "http_status"]],
        revision: "a".repeat(40),
        branch: "main",
        tls_expires_at: 99,
      },
    },
    references: {
      "s/p/u": { branch: "main", revisions: [] },
      "s/p/t": { branch: "main", revisions: [["a".repeat(16), 5]] },
    },
    vantages: {
      b: {
        times: [5, 7],
        nodes: {
          5000000000: { code: "ok", hours: "", days: "" },
          9: { from: 5, hours: "1|0.0.1", days: "1|0.0.1" },
        },
      },
      a: { times: [5], nodes: {} },
      c: { times: [6], nodes: {} },
    },
  };
  const text = [
    "{",
    '"nodes":{',
    '"10":{"since":7,"status":1,"transitions":[]},',
    '"40000000000":{"since":7,"status":1,"transitions":[]},',
    '"5000000000":{"since":7,"status":1,"transitions":[]},',
    `"9":{"branch":"main","code":"http_status","http_status":404,"revision":"${"a".repeat(40)}","since":7,"status":0,"streak":2,"tls_expires_at":99,"transitions":[[7,0,"http_status"]]}},`,
    '"references":{',
    `"s/p/t":{"branch":"main","revisions":[["${"a".repeat(16)}",5]]},`,
    '"s/p/u":{"branch":"main","revisions":[]}},',
    '"runs":[["r1",5],["r2",7]],',
    '"schema":1,',
    '"vantages":{',
    '"a":{',
    '"nodes":{',
    "},",
    '"times":[5]},',
    '"b":{',
    '"nodes":{',
    '"5000000000":{"code":"ok","days":"","hours":""},',
    '"9":{"days":"1|0.0.1","from":5,"hours":"1|0.0.1"}},',
    '"times":[5,7]},',
    '"c":{',
    '"nodes":{',
    "},",
    '"times":[6]}}}',
    "",
  ];
  expect(formatState(state).split("\n")).toEqual(text);
});

describe("any state", () => {
  const timestamp = fc.integer({ min: 0, max: latestTimestamp });
  const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }).map(String);
  const code = fc.constantFrom(...codes);
  const status = fc.constantFrom(0 as const, 1 as const);
  const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
  const digits = (length: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`));
  const content = fc.oneof(
    fc.constant({}),
    fc.record({ revision: fc.oneof(digits(40), digits(64)), branch: fc.string({ unit: anyCharacter }) }),
  );
  const node = fc
    .record({
      status,
      since: timestamp,
      code: optional(code),
      http_status: optional(fc.integer({ min: 100, max: 999 })),
      streak: optional(fc.integer({ min: 1, max: 1000 })),
      transitions: fc.array(fc.tuple(timestamp, status, code), { maxLength: 8 }),
      tls_expires_at: optional(fc.integer({ min: 1, max: latestTimestamp })),
    })
    .chain((rest) => content.map((seen): NodeState => ({ ...rest, ...seen })));
  const counts = fc.constantFrom("", "5ao9|2.0.0,,1.1.0", "a|1.0.0.3c.3c.3c");
  const name = fc.stringMatching(/^[a-z]{1,8}$/);
  const state: fc.Arbitrary<State> = fc.record({
    schema: fc.constant(1 as const),
    runs: fc.array(
      fc.tuple(fc.string({ minLength: 1, maxLength: 200 }), fc.integer({ min: 0, max: latestRun })),
      { maxLength: 64 },
    ),
    nodes: fc.dictionary(id, node),
    references: fc.dictionary(
      fc.tuple(name, name, name).map((names) => names.join("/")),
      fc.record({
        branch: fc.string(),
        revisions: fc.array(fc.tuple(digits(16), timestamp), { maxLength: 8 }),
      }),
    ),
    vantages: fc.dictionary(
      name,
      fc.record({
        times: fc.array(timestamp, { minLength: 1, maxLength: 512 }),
        nodes: fc.dictionary(
          id,
          fc.record({ code: optional(code), from: optional(timestamp), hours: counts, days: counts }),
        ),
      }),
    ),
  });

  test("comes back from its text as it was", () => {
    fc.assert(
      fc.property(state, (any) => {
        expect(parseState(formatState(any), "state.json")).toEqual(any);
      }),
    );
  });

  test("has one text, whatever order its records came in", () => {
    fc.assert(
      fc.property(state, (any) => {
        expect(formatState(backwards(any))).toBe(formatState(any));
      }),
    );
  });
});

describe("a state is refused by the place of", () => {
  const whole: State = {
    schema: 1,
    runs: [["r1", 5]],
    nodes: { 1: { ...untold, revision: "abc", branch: "main", url: "0123456789ab", cause: "ECONNRESET" } },
    references: {
      "s/p/t": {
        branch: "main",
        revisions: [["abc", 5]],
        contents: { abc: { at: 5 } },
        sets: [["0123456789abcdef", 5]],
        refs: { HEAD: "0123456789" },
        recent: { HEAD: 5 },
        refs_of: "0123456789abcdef",
        rewritten: [[5, "refs/tags/v1", "0123456789", ""]],
      },
    },
    vantages: { default: { times: [5], nodes: { 1: { hours: "1|0.0.1", days: "" } } } },
  };

  /** A text of the state, with one text in it replaced by another one. */
  function changed(from: string, to: string): string {
    const text = formatState(whole);
    expect(text).toContain(from);
    return text.replace(from, to);
  }

  test("nothing if it is whole", () => {
    expect(parseState(formatState(whole), "state.json")).toEqual(whole);
    const longest = changed('"revisions":[["abc"', `"revisions":[["${"~".repeat(200)}"`);
    expect(parseState(longest, "state.json").references["s/p/t"]?.revisions).toEqual([["~".repeat(200), 5]]);
    const moved = changed('"0123456789",""]', '"0123456789","abcdef0123"]');
    expect(parseState(moved, "state.json").references["s/p/t"]?.rewritten?.[0]?.[3]).toBe("abcdef0123");
  });

  test.each([
    ["nodes.1.revision", '"revision":"abc"', '"revision":"a b"'],
    ["nodes.1.revision", '"revision":"abc"', '"revision":" abc"'],
    ["nodes.1.revision", '"revision":"abc"', '"revision":"abc "'],
    ["nodes.1.revision", '"revision":"abc"', '"revision":""'],
    ["nodes.1.revision", '"revision":"abc"', `"revision":"${"~".repeat(201)}"`],
    ["nodes.1.url", '"0123456789ab"', '"0123456789a"'],
    ["nodes.1.url", '"0123456789ab"', '"x0123456789ab"'],
    ["nodes.1.url", '"0123456789ab"', '"0123456789abc"'],
    ["nodes.1.cause", '"ECONNRESET"', '"E CONN"'],
    ["nodes.1.cause", '"ECONNRESET"', '"econn"'],
    ["nodes.1.cause", '"ECONNRESET"', `"${"E".repeat(65)}"`],
    ["nodes.1.status", '"status":1', '"status":2'],
    ["nodes.1.since", '"since":7', '"since":-1'],
    ["nodes.1.branch", '"branch":"main"', `"branch":"${"x".repeat(1001)}"`],
    ["nodes.01", '"1":{"branch"', '"01":{"branch"'],
    ["nodes.12345678901234567", '"1":{"branch"', '"12345678901234567":{"branch"'],
    ["nodes.1x", '"1":{"branch"', '"1x":{"branch"'],
    ["runs.0.0", '"r1"', '""'],
    ["runs.0.0", '"r1"', `"${"r".repeat(201)}"`],
    ["references.s/p/t.revisions.0.0", '"revisions":[["abc"', '"revisions":[["a\\tc"'],
    ["references.s/p/t.sets.0.0", '[["0123456789abcdef"', '[["0123456789abcdefg"'],
    ["references.s/p/t.sets.0.0", '[["0123456789abcdef"', '[["g0123456789abcdef"'],
    ["references.s/p/t.refs.HEAD", '"HEAD":"0123456789"', '"HEAD":"01234567890"'],
    ["references.s/p/t.refs.HEAD", '"HEAD":"0123456789"', '"HEAD":"012345678"'],
    ["references.s/p/t.refs.HEAD", '"HEAD":"0123456789"', '"HEAD":"g0123456789"'],
    ["references.s/p/t.refs_of", '"refs_of":"0123456789abcdef"', '"refs_of":"0123456789abcde"'],
    ["references.s/p/t.rewritten.0.3", '"0123456789",""]', '"0123456789","x"]'],
    ["references.s/p/t", '"branch":"main","contents"', '"more":1,"branch":"main","contents"'],
    ["", '"schema":1', '"more":1,"schema":1'],
    ["nodes", '"nodes":{', '"nodes":[],"no":{'],
    ["vantages.default.times", '"times":[5]', '"times":[]'],
    ["vantages.default.nodes.1.hours", '"1|0.0.1"', '"1|0.0.1 "'],
  ])("%s if %s is %s", (place, from, to) => {
    expect(() => parseState(changed(from, to), "state.json")).toThrow(`is broken at "${place}"; restore`);
  });
});

test.each<[string, string, RegExp]>([
  ["cut off", '{"schema":1', /^The state in state\.json is not JSON; restore the one before it/],
  ["empty", "", /is not JSON/],
  [
    "of another schema",
    '{"schema":2}',
    /by another version of mirrorfeed \(schema 2, not 1\); use that version/,
  ],
])("a state that is %s is refused", (_, text, message) => {
  expect(() => parseState(text, "state.json")).toThrow(message);
});

const strange = ['"schema"', '{"schema":"2"}', '{"schema":null}', '{"schema":0}', '{"schema":-1}'];
test.each(["null", "3", "[]", "{}", ...strange])("%s is not a state", (text) => {
  expect(() => parseState(text, "state.json")).toThrow(
    /^The state in state\.json is broken at ".*"; restore the one before it, or move it away to begin anew\.$/,
  );
});

const [one, message] = ["000000000000000a", "0000000000000001"];
const event = {
  event: "offline",
  nodes: [1, 2],
  since: 7,
  to: { ops: { rule: "rule-1", digest: message } },
};
const waiting = { channel: "ops", phase: "begin", events: [one], at: 7 };
function textWith(notifications: object): string {
  return JSON.stringify({ schema: 1, runs: [], nodes: {}, references: {}, notifications, vantages: {} });
}

test("the text of notifications has a line for each event and message, and is read again", () => {
  const text = textWith({ dropped: [2, 7], outbox: { [message]: waiting }, events: { [one]: event } });
  const parsed = parseState(text, "the state");
  const written = formatState(parsed);
  expect(parseState(written, "the state")).toEqual(parsed);
  expect(written).toContain(`\n"${one}":{"event":"offline","nodes":[1,2],`);
  expect(written).toContain(`\n"${message}":{"at":7,"channel":"ops",`);
});

test.each<[string, object]>([
  ["an event with a short id", { events: { a: event }, outbox: {} }],
  ["an event without nodes", { events: { [one]: { ...event, nodes: undefined } }, outbox: {} }],
  ["a node that is none", { events: { [one]: { ...event, nodes: [0] } }, outbox: {} }],
  ["too many nodes", { events: { [one]: { ...event, nodes: Array<number>(1001).fill(1) } }, outbox: {} }],
  ["an unknown field of an event", { events: { [one]: { ...event, address: "a@example.org" } }, outbox: {} }],
  [
    "a channel with another name",
    { events: { [one]: { ...event, to: { "a b": event.to.ops } } }, outbox: {} },
  ],
  ["a receiver without a rule", { events: { [one]: { ...event, to: { ops: {} } } }, outbox: {} }],
  ["a message without a phase", { events: {}, outbox: { [message]: { ...waiting, phase: undefined } } }],
  ["a message of an unknown phase", { events: {}, outbox: { [message]: { ...waiting, phase: "change" } } }],
  ["a message of no event", { events: {}, outbox: { [message]: { ...waiting, events: [] } } }],
  ["no attempt", { events: {}, outbox: { [message]: { ...waiting, attempts: 0 } } }],
  ["too many attempts", { events: {}, outbox: { [message]: { ...waiting, attempts: 101 } } }],
  ["a text", { events: {}, outbox: { [message]: { ...waiting, text: "It is offline." } } }],
  ["no outbox", { events: {} }],
  ["nothing that was given up", { events: {}, outbox: {}, dropped: [0, 7] }],
  ["an unknown field", { events: {}, outbox: {}, secrets: {} }],
])("a state is refused with %s", (_, notifications) => {
  expect(() => parseState(textWith(notifications), "the state")).toThrow(/is broken at "notifications/);
});

test("a key __proto__ in a state pollutes nothing", () => {
  const text = '{"schema":1,"runs":[],"nodes":{"__proto__":{"status":1}},"references":{},"vantages":{}}';
  expect(parseState(text, "state.json").nodes).toEqual({});
  expect({}).not.toHaveProperty("status");
});

test("a state of 1,000 nodes that are as long as they get stays under 3 MB for each vantage", () => {
  const at = latestRun;
  const revision = "0123456789".repeat(4);
  const node: NodeState = {
    ...{ url: "0123456789ab", status: 0, since: at, code: "http_status", http_status: 404, revision },
    ...{ branch: "main", tls_expires_at: at },
    transitions: Array.from({ length: transitionsKept }, () => [at, 0, "http_status"] as const),
  };
  const reference: Reference = {
    branch: "main",
    revisions: Array.from({ length: revisionsKept }, () => [revision.slice(0, 16), at]),
  };
  // What a run each minute makes of two hours in three that were good.
  const filled = (keep: number, entry: string): string => `fff|${Array<string>(keep).fill(entry).join(",")}`;
  const [hours, days] = [filled(48, "14.k.5"), filled(91, "qo.dc.3c.kjzk.6y0.rr")];
  const ids = Array.from({ length: 1000 }, (_, index) => index + 1);
  const state: State = {
    schema: 1,
    runs: [["run", at]],
    nodes: Object.fromEntries(ids.map((id) => [id, node])),
    references: Object.fromEntries(ids.slice(500).map((id) => [`system/project/target-${id}`, reference])),
    vantages: {
      default: {
        times: Array<number>(timesKept).fill(at),
        nodes: Object.fromEntries(ids.map((id) => [id, { code: "ok", from: at, hours, days }])),
      },
    },
  };
  const text = formatState(state);
  expect(parseState(text, "state.json")).toEqual(state);
  expect(Buffer.byteLength(text)).toBeLessThan(3_000_000);
});
