import { describe, expect, test } from "vitest";
import type { State } from "../../src/state/schema.ts";
import { networkAt, projectConfig, type Seen, stateAfter } from "../support/rounds.ts";

const hour = 3_600_000;
const start = Date.parse("2026-03-01T00:00:00Z");

/**
 * Plays rounds an hour apart. A letter is a mirror's content, and its capital has the same HEAD but different refs. `1`
 * is `a` with unreadable refs, `2` is `b` with unreadable refs, `%` is a half-synced `b`, and `-` is a failure.
 */
function play(rounds: string, more: object = {}): State {
  const [first = "", ...rest] = rounds.split(" ");
  const hosts = Array.from(first, (_, index) => `https://m${index}.example.org/x`);
  const config = projectConfig([{ target: "t", primary: 1, network: networkAt(hosts) }], {
    freshness: { offlineAfter: "3h", codes: ["half_synced"] },
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
  const names: Readonly<Record<string, string>> = { "1": "a", "2": "b", "%": "b" };
  const name = names[letter] ?? letter.toLowerCase();
  const revision = (name.charCodeAt(0) - 87).toString(16).padStart(16, "0").padEnd(40, "0");
  const head = { revision, branch: "main" };
  if (letter === "1" || letter === "2") return { ...head, refs_unread: "unread" };
  const refs = revision.slice(8, 16) + (letter === name.toUpperCase() ? "2" : "1").repeat(8);
  return { ...head, refs, content_code: letter === "%" ? "half_synced" : undefined };
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
    ["makes none offline if they left it", `aaaa ${many("abbb", 40)}`, "1111", "-ppp"],
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
      "has nobody pay for it once it is followed",
      `aaaa ${many("baaa", 9)} ${many("ccaa", 3)}`,
      "1111",
      "----",
    ],
    [
      "has nobody pay for more than is kept of it",
      `aaaa ${Array.from("bcdefghijklmnopqrstuvw", (letter) => `${letter}aaa`).join(" ")} ${many("xxaa", 3)}`,
      "1111",
      "----",
    ],
    ["has nobody pay for having left it", `aaaa ${many("abbb", 40)} ${many("ccbb", 3)}`, "1111", "----"],
    [
      "brings back none that was behind before",
      `aaaa bbba ${many("bbba", 5)} ${many("cbba", 5)}`,
      "1110",
      "-pp-",
    ],
    [
      "has nobody pay for a move before the one that was followed",
      "aaaa baaa caaa ccca ccca",
      "1111",
      "----",
    ],
  ])("%s", (_, rounds, online, why) => {
    const state = play(rounds);
    expect([statuses(state), kept(state)]).toEqual([online, why]);
  });

  test.each<[string, string, string]>([
    ["one other mirror has taken it", `aaaa baaa bbaa ${many("bbaa", 5)}`, "1100"],
    ["the one that took it is away since", `aaaa bbaa ${many("b-aa", 5)}`, "1000"],
    ["one takes each release just before the next", "aaaa baaa cbaa dcaa edaa feaa", "1100"],
    [
      "most others have come back to it",
      `aaaa ${many("abbb", 4)} aaaa ${many("caaa", 2)} ccaa ccaa ccaa`,
      "1100",
    ],
    [
      "two others took it, though their refs cannot be read",
      `aaaa ${many("a11a", 2)} ${many("b22a", 5)}`,
      "1110",
    ],
    ["it is half synced itself", `aaaa ${many("%aaa", 5)}`, "0111"],
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
