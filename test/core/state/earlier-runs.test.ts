import { expect, test } from "vitest";
import type { Reference } from "../../../src/core/state/content-schema.ts";
import { earlierRuns, isSettled } from "../../../src/core/state/earlier-runs.ts";
import type { State } from "../../../src/core/state/state-schema.ts";

test("earlier runs tell which nodes were silent, which lacked a part of their content, the newest reference, and which hosts were checked", () => {
  const node = (content_code?: string) => ({ status: 1, since: 0, transitions: [], content_code }) as const;
  const tally = (code: string | undefined) => ({ code, hours: "", days: "" });
  const newest = { value: "new", since: 2, date: 2, index: { size: 3 } };
  const state: State = {
    schema: 1,
    runs: [],
    nodes: { 1: node(), 2: node("missing_file"), 3: node("expired"), 4: node("half_synced") },
    references: {
      "s/p/t": { branch: "main", versions: [{ value: "old", since: 1 }, newest] },
      "s/p/u": { branch: "main", versions: [] },
      "s/p/v": { branch: "", versions: [], index: { size: 4 } },
    },
    vantages: {
      one: { times: [1], nodes: { 1: tally("ok"), 2: tally("timeout"), 3: tally("refused") } },
      two: { times: [1], nodes: { 1: tally("timeout"), 4: tally(undefined) } },
    },
  };
  const { silent, earlier, references } = earlierRuns(state, []);
  expect(silent).toEqual(new Set([2, 1]));
  expect([...earlier].flatMap(([id, { wasIncomplete }]) => (wasIncomplete ? [id] : []))).toEqual([2, 4]);
  expect(Object.fromEntries(references)).toEqual({
    "s/p/t": { revision: "new", index: { size: 3 } },
    "s/p/v": { revision: undefined, index: { size: 4 } },
  });
  expect(earlierRuns(undefined, [])).toMatchObject({ silent: new Set(), earlier: new Map() });
});

const [main, other] = ["refs/heads/main", "refs/heads/other"];
const full = (letter: string): string => letter.repeat(40);
const kept = (letter: string): string => letter.repeat(10);

test.each<[string, string, string, string, boolean]>([
  ["a former version", main, "a", "b", true],
  ["a foreign commit", main, "y", "b", false],
  ["a former version, on another branch", other, "a", "o", false],
  ["a past commit", main, "p", "c", true],
  ["a commit that was apart from this tip", main, "q", "b", true],
  ["a commit that was apart from an earlier tip", main, "q", "c", false],
  ["what another branch left", other, "m", "o", true],
  ["what another branch moved to", other, "n", "o", true],
  ["what another branch left, on the main branch", main, "m", "b", false],
])("of %s nothing needs to be asked: %s %s at %s: %s", (_, name, id, tip, settled) => {
  const reference: Reference = {
    branch: "main",
    versions: ["a", "b"].map((letter, since) => ({ value: full(letter), since })),
    refs: { [other]: kept("o") },
    answers: [
      [main, kept("p"), "past", kept("b")],
      [main, kept("q"), "apart", kept("b")],
    ],
    moves: [[5, other, kept("m"), kept("n")]],
  };
  expect(isSettled(reference, name, full(id), full(tip))).toBe(settled);
});
