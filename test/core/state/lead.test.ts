import { describe, expect, test } from "vitest";
import { isAlone } from "../../../src/core/state/lead.ts";
import type { Reference } from "../../../src/core/state/content-schema.ts";
import type { State } from "../../../src/core/state/state-schema.ts";
import type { Shown } from "../../../src/core/state/shown.ts";
import { networkAt, playHours, projectConfig, type Seen } from "../../support/rounds.ts";

/** Returns a mirror with this content, which was made at this time. */
function shown(value: string | undefined, date?: number): Shown {
  return {
    ...{ revision: value, branch: "main", refs: undefined, hasTooMany: false, lists: () => false },
    ...{ date, index: undefined },
  };
}

describe("a primary with the content b of the time 20, which had a and left x, is alone", () => {
  const reference: Reference = {
    branch: "main",
    versions: [
      { value: "a", since: 1, date: 10 },
      { value: "b", since: 2, date: 20 },
    ],
    moves: [[2, "refs/heads/main", "x", "a"]],
    answers: [
      ["refs/heads/main", "new", "newer", "b"],
      ["refs/heads/main", "top", "newer", "b"],
      ["refs/heads/main", "old", "past", "b"],
      ["refs/heads/main", "c", "apart", "b"],
      ["refs/heads/main", "d", "apart", "b"],
    ],
  };

  /** Mirrors are values, with a time after `@`; `-` is a mirror whose branch is unknown. */
  test.each<[string, string, boolean]>([
    ["if no other mirror answered", "", false],
    ["if all have what it had", "a a a", false],
    ["if all have what it left", "x x x", false],
    ["if only one has newer content", "new", false],
    ["if two have newer content", "new top", true],
    ["if half have newer content", "new top b b", false],
    ["if more than half have content of a later time", "c@21 d@22 b", true],
    ["if more than half have content of an earlier time", "c@19 d@20 b", false],
    ["if two share content that it never had", "c c", true],
    ["if two do not share it", "c d", false],
    ["if more than half share it", "c c c d d", true],
    ["if they share content of its past", "old old old", false],
    ["if they share a commit that nobody asked about", "z z z", false],
    ["if they share content of an earlier time", "c@19 c@19 c@19", false],
    ["if the branch of the others is unknown", "c c - - -", true],
  ])("%s: %j", (_, mirrors, answer) => {
    const others = Array.from(mirrors.matchAll(/(\w+|-)(?:@(\d+))?/g), ([, value, date]) =>
      shown(value === "-" ? undefined : value, date === undefined ? undefined : Number(date)),
    );
    expect(isAlone(others, reference)).toBe(answer);
    expect(isAlone(others, { ...reference, versions: [] })).toBe(false);
  });
});

/** Plays rounds an hour apart. A letter is a mirror's content, `%` is a half-synced `b`, and `-` is a failure. */
function play(rounds: string): State {
  const played = rounds.split(" ").map((round) => Array.from(round, seenAs));
  const urls = played[0]?.map((_, index) => `https://m${index}.example.org/x`) ?? [];
  const config = projectConfig([{ target: "t", primary: 1, network: networkAt(urls) }], {
    probe: { kind: "http" },
    freshness: { offlineAfter: "3h", codes: ["half_synced"] },
  });
  return playHours(config, played);
}

function seenAs(letter: string): Seen {
  if (letter === "-") return "timeout";
  const revision = (letter === "%" ? "b" : letter).charCodeAt(0).toString(16).padEnd(40, "0");
  return { revision, content_code: letter === "%" ? "half_synced" : undefined };
}

const many = (round: string, times: number): string => Array(times).fill(round).join(" ");

/** The status of each mirror, and the first letter of the reason for which it is kept online. */
test.each<[string, string, string, string]>([
  ["makes no mirror offline", `aaaa ${many("baaa", 9)}`, "1111", "-ppp"],
  ["makes none offline by something new in each run", "aaaa baaa caaa daaa eaaa faaa gaaa", "1111", "-ppp"],
  ["makes none offline if they left it", `aaaa ${many("abbb", 40)}`, "1111", "p---"],
  ["makes none offline while they move on one by one", `aaaa baaa ${many("bcaa", 3)}`, "1111", "--pp"],
  ["makes none offline by stale content", `cccb ${many("aaab", 4)} ${many("baab", 9)}`, "1111", "-pp-"],
  ["has nobody pay for it once it is followed", `aaaa ${many("baaa", 9)} ${many("ccaa", 3)}`, "1111", "----"],
  ["has them pay for what was followed", `aaaa ${many("baaa", 9)} ${many("ccaa", 4)}`, "1100", "----"],
  ["has nobody pay for a move before the one that was followed", "aaaa baaa caaa ccca ccca", "1111", "----"],
  ["has them pay if one other mirror has taken it", `aaaa baaa ${many("bbaa", 6)}`, "1100", "----"],
  ["has them pay if the one that took it is away since", `aaaa bbaa ${many("b-aa", 5)}`, "1000", "----"],
  ["has them pay if one takes each release before the next", "aaaa baaa cbaa dcaa edaa feaa", "1100", "----"],
  [
    "has them pay if most came back",
    `aaaa ${many("abbb", 4)} aaaa caaa caaa ${many("ccaa", 3)}`,
    "1100",
    "----",
  ],
  ["pays for half synced content of its own", `aaaa ${many("%aaa", 5)}`, "0111", "-ppp"],
  ["makes the only other mirror offline", `aa ${many("ba", 5)}`, "10", "--"],
  ["makes one offline that lacks what all others took", `aaaa baaa aaaa ${many("cccb", 40)}`, "1110", "----"],
])("a primary whose content no other mirror has taken %s", (_, rounds, statuses, kept) => {
  const nodes = Object.values(play(rounds).nodes);
  const reasons = nodes.map(({ kept_online }) => (kept_online ?? "-").charAt(0));
  expect([nodes.map(({ status }) => status).join(""), reasons.join("")]).toEqual([statuses, kept]);
});
