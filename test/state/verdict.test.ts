import { describe, expect, test } from "vitest";
import type { Code } from "../../src/probe/observation.ts";
import { damp, isOnline, type Status, vote } from "../../src/state/verdict.ts";
import { nodesAt, vantageOf } from "./rounds.ts";

const two = ["a.example.org", "b.example.org"];

describe("a vantage doubts itself first", () => {
  test.each<[string, readonly string[], readonly Code[], readonly Code[], boolean]>([
    ["one good mirror proves it online", two, ["ok", "timeout"], [], true],
    ["one good control proves it online", two, ["timeout", "dns"], ["timeout", "ok"], true],
    ["controls that all fail prove it offline", two, ["http_status", "timeout"], ["timeout"], false],
    ["controls that all fail do not outweigh a good mirror", two, ["ok", "timeout"], ["timeout"], true],
    ["network failures on two hosts", two, ["dns", "timeout"], [], false],
    ["a captive portal that resets and forges", two, ["tls", "reset"], [], false],
    ["a captive portal with a login page", two, ["not_git", "not_git"], [], false],
    ["an HTTP error is an answer", two, ["http_status", "timeout"], [], true],
    ["a 401 is an answer", two, ["auth", "timeout"], [], true],
    ["a 429 is an answer", two, ["rate_limited", "timeout"], [], true],
    [
      "failures on one host prove nothing",
      ["a.example.org", "a.example.org"],
      ["timeout", "timeout"],
      [],
      true,
    ],
    [
      "two ports of a machine are two hosts",
      ["a.example.org", "a.example.org:8443"],
      ["refused", "refused"],
      [],
      false,
    ],
    ["private addresses prove nothing", two, ["blocked_address", "blocked_address"], [], true],
    [
      "private addresses do not hide an offline prober",
      [...two, "c.example.org"],
      ["blocked_address", "dns", "dns"],
      [],
      false,
    ],
    ["a shard without nodes proves nothing", two, [], [], true],
  ])("%s", (_, hosts, seen, controls, online) => {
    expect(isOnline(nodesAt(hosts), vantageOf("default", seen, controls))).toBe(online);
  });
});

describe("the vote of a run", () => {
  test.each<[string, readonly (Code | undefined)[], Status | undefined, Code?]>([
    ["one good answer", ["ok"], 1, "ok"],
    ...(
      "dns refused unreachable reset timeout tls redirect http_status auth not_http not_git too_large blocked_address".split(
        " ",
      ) as Code[]
    ).map((code): [string, readonly Code[], Status, Code] => [code, [code], 0, code]),
    ["429 is no evidence", ["rate_limited"], undefined],
    ["a family that this machine lacks is no evidence", ["no_route"], undefined],
    ["nothing observed", [undefined], undefined],
    ["no vantage at all", [], undefined],
    ["the majority", ["ok", "timeout", "ok"], 1, "ok"],
    ["the majority, with its most frequent code", ["reset", "timeout", "ok", "timeout"], 0, "timeout"],
    ["of codes as frequent, the first", ["tls", "reset", "ok", "reset", "tls"], 0, "tls"],
    ["a tie", ["ok", "timeout"], undefined],
    ["who has no evidence has no vote", ["ok", "rate_limited", undefined], 1, "ok"],
  ])("%s", (_, seen, status, code) => {
    expect(vote(seen)).toEqual(status === undefined ? undefined : { status, code });
  });
});

describe("damping", () => {
  function play(start: Status, votes: string, downAfter: number, upAfter: number): string {
    let standing = { status: start, streak: 0 };
    return Array.from(votes, (one) => {
      standing = damp(standing, one === "?" ? undefined : one === "1" ? 1 : 0, { downAfter, upAfter });
      return standing.status;
    }).join("");
  }
  test.each<[Status, string, number, number, string]>([
    [1, "0", 1, 1, "0"],
    [0, "1", 1, 1, "1"],
    [1, "000", 3, 1, "110"],
    [1, "00100", 3, 1, "11111"],
    [1, "0?0?0", 3, 1, "11110"],
    [0, "11011", 1, 2, "01001"],
    [1, "????", 1, 1, "1111"],
    [1, "0001", 2, 2, "1000"],
    [1, "00011", 2, 2, "10001"],
  ])(
    "from %s, the votes %s with downAfter %s and upAfter %s give %s",
    (start, votes, downAfter, upAfter, statuses) => {
      expect(play(start, votes, downAfter, upAfter)).toBe(statuses);
    },
  );
});
