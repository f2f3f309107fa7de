import { describe, expect, test } from "vitest";
import type { State } from "../../src/state/schema.ts";
import { networkAt, projectConfig, type Seen, stateAfter } from "../support/rounds.ts";

const hour = 3_600_000;
const start = Date.parse("2026-03-01T00:00:00Z");
const refsOf = (digit: string): string => digit.repeat(16);

/** Plays rounds an hour apart. A letter is the content of a mirror, `A` the HEAD of `a` with other refs, `-` a failure. */
function play(rounds: string, more: object = {}): State {
  const [first = "", ...rest] = rounds.split(" ");
  const hosts = Array.from(first, (_, index) => `https://m${index}.example.org/x`);
  const config = projectConfig([{ target: "t", primary: 1, network: networkAt(hosts) }], {
    freshness: { offlineAfter: "3h", codes: ["missing_file", "expired"] },
    ...more,
  });
  const states = [first, ...rest].reduce<State[]>((before, round, index) => {
    const seen = Array.from(round, seenAs);
    return [...before, stateAfter(config, before.at(-1), { at: start + index * hour, seen })];
  }, []);
  const last = states.at(-1);
  if (last === undefined) throw new Error("There is a round.");
  return last;
}

function seenAs(letter: string): Seen {
  if (letter === "-") return "timeout";
  const lower = letter.toLowerCase();
  const revision = (lower.charCodeAt(0) - 87).toString(16).padStart(16, "0").padEnd(40, "0");
  const refs = refsOf(letter === lower ? "1" : "2");
  return { revision, branch: "main", refs: `${revision.slice(8, 16)}${refs.slice(8)}` };
}

function statuses({ nodes }: State): string {
  return Object.values(nodes)
    .map(({ status }) => status)
    .join("");
}

function kept({ nodes }: State): string {
  return Object.values(nodes)
    .map(({ kept_online }) => (kept_online ?? "-").charAt(0))
    .join("");
}

const many = (round: string, times: number): string => Array(times).fill(round).join(" ");

describe("a primary whose content no other mirror has taken", () => {
  test.each<[string, string, string, string]>([
    ["makes no mirror offline", `aaaa ${many("baaa", 9)}`, "1111", "-ppp"],
    ["makes none offline by its refs alone", `aaaa ${many("Aaaa", 9)}`, "1111", "-ppp"],
    ["makes none offline by something new in each run", `aaaa baaa caaa daaa eaaa faaa gaaa`, "1111", "-ppp"],
    ["makes none offline from the first run", many("baaa", 40), "1111", "-ppp"],
    ["makes none offline if one is away now", `aaa ${many("baa", 9)} ba-`, "110", "-p-"],
    [
      "makes none offline if they move on one by one",
      `aaaa baaa ${many("bcaa", 3)} ${many("bcde", 40)}`,
      "1111",
      "-ppp",
    ],
    [
      "makes none offline by what a stale mirror has",
      `cccb ${many("aaab", 4)} ${many("baab", 9)}`,
      "1111",
      "-pp-",
    ],
    [
      "brings back none that was behind before",
      `aaaa bbba ${many("bbba", 5)} ${many("cbba", 5)}`,
      "1110",
      "-pp-",
    ],
  ])("%s", (_, rounds, online, why) => {
    const state = play(rounds);
    expect([statuses(state), kept(state)]).toEqual([online, why]);
  });

  test.each<[string, string, string]>([
    ["one other mirror has taken it", `aaaa baaa bbaa ${many("bbaa", 5)}`, "1100"],
    ["the one that took it is away since", `aaaa bbaa ${many("b-aa", 5)}`, "1000"],
    ["one takes each release just before the next", "aaaa baaa cbaa dcaa edaa feaa", "1100"],
    ["there is only one other", `aa ${many("ba", 5)}`, "10"],
    ["the others do not agree", `abcd ${many("abcd", 40)}`, "1000"],
    [
      "it has what the others have again, and all but one take the next",
      `aaaa baaa aaaa ${many("cccb", 40)}`,
      "1110",
    ],
  ])("but it does if %s", (_, rounds, online) => {
    expect(statuses(play(rounds))).toBe(online);
  });
});
