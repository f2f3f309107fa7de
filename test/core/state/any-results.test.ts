import fc from "fast-check";
import { expect, test } from "vitest";
import { fingerprint, listNodes } from "../../../src/core/config/nodes.ts";
import { InputError } from "../../../src/core/base/errors.ts";
import { codes } from "../../../src/core/kinds/kinds.ts";
import { observationSchema } from "../../../src/core/probe/observation.ts";
import { formatRefSet, parseRefSet, refSetDigest } from "../../../src/core/probe/ref-set.ts";
import { parseResults } from "../../../src/core/probe/results.ts";
import { advance } from "../../../src/core/state/advance.ts";
import { mergeResults, type Round, withoutClockAhead } from "../../../src/core/state/round.ts";
import type { State } from "../../../src/core/state/state-schema.ts";
import { anyCharacter } from "../../support/any-url.ts";
import { networkAt, projectConfig } from "../../support/rounds.ts";
import { trials } from "../../support/trials.ts";
import { formatState, parseState } from "../../support/stored.ts";

const urls = [1, 2, 3, 4].map((id) => `https://m${id}.example.org/x`);
const led = { target: "t", primary: 1, network: networkAt(urls) };
const config = projectConfig([led, { target: "u", network: networkAt(urls, 5) }]);
const nodes = listNodes(config);

const time = fc
  .oneof(
    fc.constantFrom("0000-01-01", "0001-01-01", "1969-12-31", "1970-01-01", "2026-03-01", "2026-03-02"),
    fc.constantFrom("2026-03-03", "9998-12-31", "9999-01-01", "9999-12-31"),
  )
  .chain((day) => fc.constantFrom(`${day}T00:00:00Z`, `${day}T23:59:59.999Z`));
const integer = fc.oneof(fc.nat(1000), fc.constantFrom(0, Number.MAX_SAFE_INTEGER));
const digits = (length: number) => fc.constantFrom("0", "a", "f").map((digit) => digit.repeat(length));
const hostile = fc.constantFrom("\u0001", "\ufffd", "\u2028", '"', "\ud800", "__proto__");
const character = fc.oneof(hostile, anyCharacter);
const text = fc
  .tuple(character, fc.constantFrom(1, 7, 1000))
  .map(([one, length]) => one.repeat(length).slice(0, length));
const odd = fc.constantFrom("a", "~".repeat(200), "__proto__", "constructor");
const token = fc.oneof(digits(40), digits(64), odd);

const ref = fc
  .tuple(fc.constantFrom("HEAD", "refs/heads/", "refs/tags/", ""), text)
  .map((parts) => parts.join(""));
const refSet = fc
  .array(fc.tuple(ref, digits(40)), { maxLength: 6 })
  .map((refs) => formatRefSet(new Map(refs)));

const file = fc.record(
  { path: token, size: integer, seen: fc.record({ changed: integer, last: integer }) },
  { requiredKeys: ["path"] },
);

const files = fc.array(file, { maxLength: 16 });

/** Everything that a results file can say about a node, and some values that no results file can contain. */
const seen = fc.record(
  {
    code: fc.constantFrom("ok", "ok", "ok", "new_code", ...codes),
    checked_at: time,
    attempts: fc.constant(1),
    http_status: fc.constantFrom(100, 200, 999),
    latency_ms: integer,
    phase: fc.constantFrom("wait", "z".repeat(20)),
    cause: fc.constantFrom("ECONNRESET", `E${"_".repeat(63)}`),
    tls_expires_at: time,
    revision: token,
    branch: text,
    refs_unread: fc.constantFrom("too_many", "unread"),
    content_at: time,
    content_code: fc.constantFrom("expired", "missing_file", "other"),
    index: fc.record({ size: integer, sha256: digits(64), sha512: digits(128), files }, { requiredKeys: [] }),
    set: refSet,
  },
  { requiredKeys: ["code", "checked_at", "attempts"] },
);

const run = fc.record({ all: fc.array(seen, { minLength: 8, maxLength: 8 }), finished_at: time });

/** Formats a results file. Leaves out the observations that no results file can contain. */
function resultsOf({ all, finished_at }: RunSeen, name: string): string {
  const texts = all.map(({ set = "no refs" }) => set).filter((set) => parseRefSet(set) !== undefined);
  const observations = all.map(({ set, ...one }, index) => {
    const refs = set === undefined ? {} : { refs: refSetDigest(set) };
    return { id: index + 1, ...one, ...refs };
  });
  return JSON.stringify({
    ...{ schema: 1, run: name, vantage: "default", shard: { index: 1, count: 1 } },
    ...{ config: fingerprint(nodes), prober: "x", started_at: finished_at, finished_at, controls: [] },
    observations: observations.filter((one) => observationSchema.safeParse(one).success),
    refs: Object.fromEntries(texts.map((set) => [refSetDigest(set), set])),
  });
}

type RunSeen = typeof run extends fc.Arbitrary<infer Value> ? Value : never;

const now = Date.parse("2026-03-03T12:00:00Z");

test("after any accepted results, the state comes back from its text as it was", () => {
  let [applied, refused] = [0, 0];
  fc.assert(
    fc.property(fc.array(run, { minLength: 1, maxLength: 6 }), (runs) => {
      let state: State | undefined;
      for (const [index, one] of runs.entries()) {
        let round: Round;
        try {
          round = mergeResults([parseResults(resultsOf(one, `r${index}`), "results.json", nodes)]);
        } catch (error) {
          if (!(error instanceof InputError)) throw error;
          refused += 1;
          continue;
        }
        const next = advance(config, nodes, withoutClockAhead(round, now), state).state;
        if (next === undefined) continue;
        applied += 1;
        state = parseState(formatState(next), "state.json");
        expect(state).toEqual(next);
      }
    }),
    { numRuns: trials(500) },
  );
  expect(applied).toBeGreaterThan(refused);
  expect(refused).toBeGreaterThan(0);
});
