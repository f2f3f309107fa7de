import { describe, expect, test } from "vitest";
import { listNodes } from "../../../src/core/config/nodes.ts";
import { type Observation, observationSchema } from "../../../src/core/probe/observation.ts";
import { formatRefSet, type RefSet, refSetDigest } from "../../../src/core/probe/ref-set.ts";
import { advance } from "../../../src/core/state/advance.ts";
import { daysKept, hoursKept } from "../../../src/core/state/counts.ts";
import { keptReferences, shownNames } from "../../../src/core/state/room.ts";
import type { Reference } from "../../../src/core/state/content-schema.ts";
import type { State } from "../../../src/core/state/state-schema.ts";
import { maxBytes } from "../../../src/core/state/store.ts";
import { projectConfig } from "../../support/rounds.ts";
import { dayMs, hourMs } from "../../../src/core/base/text/time.ts";
import { fitState, formatState, parseState } from "../../support/stored.ts";

const start = Date.parse("2026-03-01T00:00:00Z");
/** A character of three bytes in UTF-8. */
const wide = "\ufffd";

/** Returns a very long answer of a mirror, and the mirror's refs. Names and revisions change in each run. */
function longAnswer(id: number, run: number): { readonly seen: Observation; readonly set: RefSet } {
  const checked_at = new Date(start + run * 5 * hourMs).toISOString();
  const isEven = run % 2 === 0;
  const tags = [0, 1, 2, 3].map((tag) => `refs/tags/v${tag}`);
  const heads = [0, 1, 2, 3].map((head) => `refs/heads/${isEven ? id : run}-${head}`);
  const object = (index: number): string => `${run}${id}${index}`.padStart(12, "0").padEnd(40, "0");
  const names = [...tags, ...heads].map((name) => name.padEnd(1000, wide));
  const set = new Map(names.map((name, index) => [name, object(index)]));
  const failed = { id, code: "captive_portal", attempts: 1, checked_at, http_status: 511 };
  const down = { ...failed, code: "blocked_address", phase: "z".repeat(20), cause: "E".repeat(64) };
  const good = {
    ...{ id, code: "ok", attempts: 1, checked_at, http_status: 200, refs: refSetDigest(formatRefSet(set)) },
    ...{ revision: `${run}-${id}-`.padEnd(64, "~"), branch: wide.repeat(33), content_at: checked_at },
    ...(isEven && { content_code: "missing_file" }),
    tls_expires_at: new Date(Date.parse(checked_at) + (isEven ? 2 : 90) * dayMs).toISOString(),
    index: {
      ...{ size: Number.MAX_SAFE_INTEGER, sha256: "a".repeat(64), sha512: "a".repeat(128) },
      files: Array.from({ length: 16 }, (_, index) => ({
        path: `${run}-${index}`.padEnd(300, "~"),
        size: Number.MAX_SAFE_INTEGER,
        seen: { changed: 9_999_999_999, last: 9_999_999_999 },
      })),
    },
  };
  return { seen: observationSchema.parse(run % 3 === 2 ? down : good), set };
}

function shortAnswer(id: number, run: number): { readonly seen: Observation; readonly set: RefSet } {
  const checked_at = new Date(start + run * 5 * hourMs).toISOString();
  const set = new Map([["HEAD", "a".repeat(40)]]);
  const refs = refSetDigest(formatRefSet(set));
  const revision = "a".repeat(40);
  return { seen: { id, code: "ok", attempts: 1, checked_at, revision, branch: "main", refs }, set };
}

/** The first id has five digits, like most ids in a feed of 40,000 nodes. */
const firstId = 10_001;

/**
 * Returns the state after runs in which every mirror gave very long answers, except mirrors that `isEveryday` selects.
 */
function stateOf(nodes: number, mirrors: number, isEveryday: (id: number) => boolean = () => false): State {
  const config = projectConfig(
    Array.from({ length: nodes / mirrors }, (_, target) => ({
      target: `target-${firstId + target}`,
      primary: firstId + target * mirrors,
      network: Array.from({ length: mirrors }, (_unused, index) => {
        const id = firstId + target * mirrors + index;
        return { id, url: `https://mirror-${id}.example.org/repository` };
      }),
    })),
  );
  const listed = listNodes(config);
  let state: State | undefined;
  for (let run = 0; run < 15; run += 1) {
    const answers = listed.map(({ id }) => (isEveryday(id) ? shortAnswer(id, run) : longAnswer(id, run)));
    const observations = new Map(answers.map(({ seen }) => [seen.id, seen]));
    const refs = new Map(answers.map(({ seen, set }) => [seen.refs ?? "", set]));
    const proof = { url: "https://c.example.org/", proof: "tls", code: "ok", attempts: 1 } as const;
    const controls = [{ ...proof, checked_at: new Date(start).toISOString() }];
    const vantages = [{ name: "default", controls, observations, missingShards: [] }];
    const round = { run: `r${run}`, at: start + run * 5 * hourMs, vantages, refs };
    ({ state } = advance(config, listed, round, state));
  }
  if (state === undefined) throw new Error("There were runs.");
  return withFullCounts(state);
}

/**
 * Fills all hours and days with the counts of half-hourly runs from one location, in which each answer took ten
 * seconds. Removes ended incidents, because a feed of any size keeps at most 500 of them.
 */
function withFullCounts({ incidents = {}, ...state }: State): State {
  const filled = (keep: number, entry: string): string => `fff|${Array<string>(keep).fill(entry).join(",")}`;
  const [hours, days] = [filled(hoursKept, "1.1.0.0.7ps.0"), filled(daysKept, "o.o.0.aaaa.a.7ps")];
  const nodes = Object.keys(state.nodes).map((id) => [id, { code: "blocked_address", hours, days }]);
  const open = Object.entries(incidents).filter(([, { end }]) => end === undefined);
  const vantages = { default: { times: [start], nodes: Object.fromEntries(nodes) } };
  return { ...state, incidents: Object.fromEntries(open), vantages };
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

test("300 bytes are kept of the names of a difference, and one name at least", () => {
  expect(shownNames(["a", "b", "c", "d", "e", "f"])).toEqual(["a", "b", "c", "d", "e"]);
  const long = shownNames([wide, wide, wide].map((one) => one.repeat(1000)));
  expect(long).toEqual([`${wide.repeat(99)}…`]);
  expect(bytesOf(long[0])).toBe(302);
});

describe("a state", () => {
  const nodes = 40;
  const limit = Math.floor((maxBytes / 40_000) * nodes);

  test.each([1, 2, 10])("of 40,000 such nodes can be stored, with %i of them in a target", (mirrors) => {
    const state = stateOf(nodes, mirrors);
    expect(Buffer.byteLength(formatState(state))).toBeGreaterThan(limit);
    const fitted = fitState(state, limit);
    expect(Buffer.byteLength(fitted.text)).toBeLessThanOrEqual(limit);
    expect(fitted.text).toBe(formatState(fitted.state));
    expect(formatState(parseState(fitted.text, "state.json"))).toBe(fitted.text);
    expect(Object.values(fitted.state.nodes).map(({ status }) => status)).toEqual(
      Object.values(state.nodes).map(({ status }) => status),
    );
  });

  test("loses nothing of everyday mirrors while others say as much as they can", () => {
    const isEveryday = (id: number): boolean => id >= firstId + nodes / 2;
    const state = stateOf(nodes, 2, isEveryday);
    const fitted = fitState(state, limit);
    expect(Buffer.byteLength(fitted.text)).toBeLessThanOrEqual(limit);
    const everyday = ({ nodes: all }: State) => Object.entries(all).filter(([id]) => isEveryday(Number(id)));
    expect(everyday(fitted.state)).toEqual(everyday(state));
    expect(everyday(fitted.state)).toHaveLength(nodes / 2);
    const target = `s/p/target-${firstId + nodes / 2 - 1}`;
    expect(fitted.state.references[target]).toEqual(state.references[target]);
  });
});

test("references keep their refs while there is room, the smallest first", () => {
  const reference: Reference = { branch: "main", versions: [{ value: "1", since: 1000 }] };
  const heavy = (bytes: number): Reference => {
    return { ...reference, refs: { x: "y".repeat(bytes) }, moves: [[1, "x", "", ""]], known_from: 1 };
  };
  const kept = (...sizes: readonly number[]) => {
    const all = sizes.map((size, index) => ({ place: `t${index}`, reference: heavy(size) }));
    return Object.values(keptReferences(all, 1)).map(({ refs }) => refs !== undefined);
  };
  const small = 256 * 1024;
  /** The size of a reference's refs in JSON, in bytes, without the only object id in them. */
  const frame = JSON.stringify([{ x: "" }, [[1, "x", "", ""]]]).length;

  expect(kept(small - frame)).toEqual([true]);
  expect(kept(small - frame + 1)).toEqual([false]);
  expect(kept(small / 2, 10, small / 2)).toEqual([true, true, false]);
  const [lost] = Object.values(keptReferences([{ place: "t", reference: heavy(small) }], 1));
  expect(lost).toEqual({ ...reference, refs: undefined, moves: undefined, known_from: undefined });
});
