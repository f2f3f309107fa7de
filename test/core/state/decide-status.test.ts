import { describe, expect, test } from "vitest";
import type { Status } from "../../../src/core/contract/network.ts";
import { damp, vote } from "../../../src/core/state/node-state.ts";

describe("the vote of a run", () => {
  test.each<[string, readonly string[], Status | undefined, string?]>([
    ["one good answer", ["ok"], 1, "ok"],
    ..."dns refused unreachable reset timeout tls redirect http_status auth not_http not_git too_large blocked_address"
      .split(" ")
      .map((code): [string, readonly string[], Status, string] => [code, [code], 0, code]),
    ["429 is not evidence", ["rate_limited"], undefined],
    ["an address family that this machine lacks is not evidence", ["no_route"], undefined],
    ["the majority", ["ok", "timeout", "ok"], 1, "ok"],
    ["the majority, with its most frequent code", ["reset", "timeout", "ok", "timeout"], 0, "timeout"],
    ["of codes as frequent, the first", ["tls", "reset", "ok", "reset", "tls"], 0, "tls"],
    ["a tie", ["ok", "timeout"], undefined],
    ["who has no evidence has no vote", ["ok", "rate_limited"], 1, "ok"],
  ])("%s", (_, seen, status, code) => {
    expect(vote(seen)).toEqual(status === undefined ? undefined : { status, code });
  });
});

describe("damping", () => {
  function play(start: Status, votes: string, failureThreshold: number, successThreshold: number): string {
    let standing = { status: start, streak: 0 };
    return Array.from(votes, (one) => {
      standing = damp(standing, one === "?" ? undefined : one === "1" ? 1 : 0, {
        failureThreshold,
        successThreshold,
      });
      return standing.status;
    }).join("");
  }
  test.each<[Status, string, number, number, string]>([
    [1, "000", 3, 1, "110"],
    [1, "00100", 3, 1, "11111"],
    [1, "0?0?0", 3, 1, "11110"],
    [0, "11011", 1, 2, "01001"],
    [1, "????", 1, 1, "1111"],
    [1, "00011", 2, 2, "10001"],
  ])(
    "from %s, the votes %s with failureThreshold %s and successThreshold %s give %s",
    (start, votes, failureThreshold, successThreshold, statuses) => {
      expect(play(start, votes, failureThreshold, successThreshold)).toBe(statuses);
    },
  );
});
