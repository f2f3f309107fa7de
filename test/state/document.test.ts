import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { codes, latestMoment, latestRun } from "../../src/probe/observation.ts";
import { formatState, type NodeState, parseState, type State } from "../../src/state/document.ts";

const unknown = {
  code: undefined,
  httpStatus: undefined,
  revision: undefined,
  branch: undefined,
  tlsExpiresAt: undefined,
};
const untold: NodeState = { status: 1, since: 7, streak: 0, transitions: [], ...unknown };

function backwards<Value>(record: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).reverse());
}

test("a state's text has a line for each node and reference, by number and by name, and 0 and nothing for the unknown", () => {
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
        httpStatus: 404,
        streak: 2,
        transitions: [[7, 0, "http_status"]],
        revision: "a".repeat(40),
        branch: "main",
        tlsExpiresAt: 99,
      },
    },
    references: {
      "s/p/u": { branch: "main", revisions: [] },
      "s/p/t": { branch: "main", revisions: [["a".repeat(16), 5]] },
    },
    vantages: {
      b: { at: 7, nodes: { 5000000000: ["ok", "", ""], 9: ["", "1|0.0.1", "1|0.0.1"] } },
      a: { at: 5, nodes: {} },
      c: { at: 6, nodes: {} },
    },
  };
  const text = [
    '{"schema":1,"runs":[["r1",5],["r2",7]],',
    '"nodes":{',
    `"9":[0,7,"http_status",404,2,[[7,0,"http_status"]],"${"a".repeat(40)}","main",99],`,
    '"10":[1,7,"",0,0,[],"","",0],',
    '"5000000000":[1,7,"",0,0,[],"","",0],',
    '"40000000000":[1,7,"",0,0,[],"","",0]},',
    '"references":{',
    `"s/p/t":{"branch":"main","revisions":[["${"a".repeat(16)}",5]]},`,
    '"s/p/u":{"branch":"main","revisions":[]}},',
    '"vantages":{',
    '"a":{"at":5,"nodes":{',
    "}},",
    '"b":{"at":7,"nodes":{',
    '"9":["","1|0.0.1","1|0.0.1"],',
    '"5000000000":["ok","",""]}},',
    '"c":{"at":6,"nodes":{',
    "}}}}",
    "",
  ];
  expect(formatState(state).split("\n")).toEqual(text);
});

describe("any state", () => {
  const moment = fc.integer({ min: 0, max: latestMoment });
  const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }).map(String);
  const code = fc.constantFrom(...codes);
  const status = fc.constantFrom(0 as const, 1 as const);
  const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
  const digits = (length: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`));
  const content = fc.oneof(
    fc.constant({ revision: undefined, branch: undefined }),
    fc.record({ revision: fc.oneof(digits(40), digits(64)), branch: fc.string({ unit: "binary" }) }),
  );
  const node = fc
    .record({
      status,
      since: moment,
      code: optional(code),
      httpStatus: optional(fc.integer({ min: 100, max: 999 })),
      streak: fc.nat(1000),
      transitions: fc.array(fc.tuple(moment, status, code), { maxLength: 8 }),
      tlsExpiresAt: optional(fc.integer({ min: 1, max: latestMoment })),
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
        revisions: fc.array(fc.tuple(digits(16), moment), { maxLength: 8 }),
      }),
    ),
    vantages: fc.dictionary(
      name,
      fc.record({
        at: moment,
        nodes: fc.dictionary(id, fc.tuple(fc.oneof(code, fc.constant("" as const)), counts, counts)),
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
      fc.property(state, ({ nodes, references, vantages, ...rest }) => {
        const turned = Object.entries(vantages).map(
          ([one, { at, nodes: tallies }]): [string, State["vantages"][string]] => [
            one,
            { at, nodes: backwards(tallies) },
          ],
        );
        expect(
          formatState({
            ...rest,
            nodes: backwards(nodes),
            references: backwards(references),
            vantages: backwards(Object.fromEntries(turned)),
          }),
        ).toBe(formatState({ ...rest, nodes, references, vantages }));
      }),
    );
  });
});

test.each(["null", "3", '"schema"', "[]", "{}", '{"schema":"2"}', '{"schema":null}', '{"schema":0}'])(
  "%s is no state, and of no newer mirrorfeed",
  (text) => {
    expect(() => parseState(text, "state.json")).toThrow(
      /^The state in state\.json is broken at ".*"; restore the one before it, or move it away to begin anew\.$/,
    );
  },
);
