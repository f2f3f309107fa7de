import { describe, expect, test } from "vitest";
import type { Status } from "../../../src/core/contract/network.ts";
import { dayMs, hourMs } from "../../../src/core/base/text/time.ts";
import { changesAfter, damp, vote } from "../../../src/core/state/node-state.ts";
import type { NodeState } from "../../../src/core/state/state-schema.ts";

test.each<[string, readonly string[], Status | undefined, string?]>([
  ["one good answer", ["ok"], 1, "ok"],
  ..."dns refused unreachable reset timeout tls redirect http_status auth not_http not_git too_large blocked_address"
    .split(" ")
    .map((code): [string, readonly string[], Status, string] => [code, [code], 0, code]),
  ["429 is not evidence", ["rate_limited"], undefined],
  ["a newer version's code is not evidence", ["of_newer"], undefined],
  ["a newer version's codes have no vote", ["of_newer", "of_newer", "timeout"], 0, "timeout"],
  ["an address family that this machine lacks is not evidence", ["no_route"], undefined],
  ["the majority", ["ok", "timeout", "ok"], 1, "ok"],
  ["the majority, with its most frequent code", ["reset", "timeout", "ok", "timeout"], 0, "timeout"],
  ["of codes as frequent, the first", ["tls", "reset", "ok", "reset", "tls"], 0, "tls"],
  ["a tie", ["ok", "timeout"], undefined],
  ["who has no evidence has no vote", ["ok", "rate_limited"], 1, "ok"],
])("the vote of a run: %s", (_, seen, status, code) => {
  expect(vote(seen)).toEqual(status === undefined ? undefined : { status, code });
});

describe("damping", () => {
  function play(start: Status, votes: string, failureThreshold: number, successThreshold: number): string {
    let standing = { status: start, streak: 0 };
    return Array.from(votes, (one) => {
      const voted = one === "?" ? undefined : one === "1" ? 1 : 0;
      standing = damp(standing, voted, { failureThreshold, successThreshold });
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

describe("the changes of content", () => {
  const graceMs = 28 * hourMs;
  const past: NodeState = { status: 1, since: 0, transitions: [] };
  const times = { at: 5 * dayMs, lastRun: 4 * dayMs };
  const soon = times.at + 13 * dayMs;
  const [fresh, late]: [NodeState, NodeState] = [
    { ...past, freshness: "in_sync" },
    { ...past, freshness: "behind", behind: [times.at - graceMs, "HEAD", "a"], late: true },
  ];
  const expiring: NodeState = { ...fresh, tls_expires_at: soon };
  const expired: NodeState = { ...fresh, tls_expires_at: soon - dayMs };
  const renewed: NodeState = { ...fresh, tls_expires_at: soon + 90 * dayMs };
  const young: NodeState = { ...late, late: undefined };
  const differing: NodeState = { ...past, freshness: "differs", differs: true };

  test.each<[string, NodeState | undefined, NodeState, (string | number)[][] | undefined]>([
    ["are none in a first run that finds it in sync", undefined, fresh, undefined],
    ["name no mirror that is behind for less than the grace", fresh, young, undefined],
    ["name one that is late", young, late, [[times.at, "behind"]]],
    ["name its return", late, fresh, [[times.at, "in_sync"]]],
    ["name no return to less than the grace", late, young, undefined],
    ["name a difference", fresh, differing, [[times.at, "differs"]]],
    ["name a problem first", fresh, { ...late, content_code: "no_fetch" }, [[times.at, "no_fetch"]]],
    ["are none while it is unknown", fresh, { ...fresh, freshness: "unknown" }, undefined],
    ["are none once it was not seen for a day", late, { ...young, unseen_since: times.lastRun }, undefined],
    ["are none while it is offline", fresh, { ...late, status: 0 }, undefined],
    [
      "are told from the last known, after it was unknown",
      { ...past, freshness: "unknown", changes: [[1, "behind"]] },
      fresh,
      [
        [1, "behind"],
        [times.at, "in_sync"],
      ],
    ],
    ["name a certificate that ends soon", fresh, expiring, [[times.at, "certificate_expires", soon]]],
    ["name a renewed certificate", expired, renewed, [[times.at, "certificate_renewed", soon + 90 * dayMs]]],
  ])("%s", (_, before, after, changes) => {
    expect(changesAfter(before, after.status, after, times)).toEqual(changes);
  });
});
