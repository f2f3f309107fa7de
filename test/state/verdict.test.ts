import { describe, expect, test } from "vitest";
import type { NetworkNode } from "../../src/config/nodes.ts";
import type { Code, Results } from "../../src/probe/observation.ts";
import { decide, type State } from "../../src/state/verdict.ts";

const settings = {
  kind: "git",
  timeoutMs: 1000,
  attempts: 1,
  expectStatus: undefined,
  downAfter: 1,
  upAfter: 1,
} as const;

function nodesAt(hosts: readonly string[]): NetworkNode[] {
  return hosts.map((host, index) => ({
    id: index + 1,
    name: host,
    url: `https://${host}/a`,
    host,
    system: "s",
    project: "p",
    target: "t",
    settings,
  }));
}

function resultsOf(seen: readonly (Code | undefined)[], controls: readonly Code[] = []): Results {
  const at = { attempts: 1, checked_at: "2026-01-01T00:00:00.000Z" };
  return {
    schema: 1,
    run: "r",
    config: "0".repeat(32),
    prober: "test",
    started_at: at.checked_at,
    finished_at: at.checked_at,
    controls: controls.map((code) => ({ url: "https://control.example.org/", code, ...at })),
    observations: seen.flatMap((code, index) => (code === undefined ? [] : [{ id: index + 1, code, ...at }])),
  };
}

const two = ["a.example.org", "b.example.org"];

describe("the prober doubts itself first", () => {
  test.each<[string, readonly string[], readonly Code[], readonly Code[], "online" | "offline"]>([
    ["one good mirror proves it online", two, ["ok", "timeout"], [], "online"],
    ["one good control proves it online", two, ["timeout", "dns"], ["timeout", "ok"], "online"],
    ["controls that all fail prove it offline", two, ["http_status", "timeout"], ["timeout"], "offline"],
    ["controls that all fail do not outweigh a good mirror", two, ["ok", "timeout"], ["timeout"], "online"],
    ["network failures on two hosts", two, ["dns", "timeout"], [], "offline"],
    ["a captive portal that resets and forges", two, ["tls", "reset"], [], "offline"],
    ["a captive portal with a login page", two, ["not_git", "not_git"], [], "offline"],
    ["an HTTP error is an answer", two, ["http_status", "timeout"], [], "online"],
    ["a 401 is an answer", two, ["auth", "timeout"], [], "online"],
    ["a 429 is an answer", two, ["rate_limited", "timeout"], [], "online"],
    [
      "failures on one host prove nothing",
      ["a.example.org", "a.example.org"],
      ["timeout", "timeout"],
      [],
      "online",
    ],
    [
      "two ports of a machine are two hosts",
      ["a.example.org", "a.example.org:8443"],
      ["refused", "refused"],
      [],
      "offline",
    ],
    ["private addresses prove nothing", two, ["blocked_address", "blocked_address"], [], "online"],
    [
      "private addresses do not hide an offline prober",
      [...two, "c.example.org"],
      ["blocked_address", "dns", "dns"],
      [],
      "offline",
    ],
  ])("%s", (_, hosts, seen, controls, prober) => {
    expect(decide(nodesAt(hosts), resultsOf(seen, controls), undefined).prober).toBe(prober);
  });

  test("a void run keeps state and verdicts", () => {
    const previous: State = {
      statuses: new Map([
        [1, 1],
        [2, 0],
      ]),
    };
    const decision = decide(nodesAt(two), resultsOf(["dns", "dns"]), previous);
    expect([...decision.statuses.values()]).toEqual([1, 0]);
    expect(decision.state).toBe(previous);
  });

  test("a void first run has status 0 everywhere and leaves no state", () => {
    const decision = decide(nodesAt(two), resultsOf(["dns", "dns"]), undefined);
    expect([...decision.statuses.values()]).toEqual([0, 0]);
    expect(decision.state).toBeUndefined();
  });
});

describe("the verdict of a node beside a good one", () => {
  test.each<[Code | undefined, 0 | 1 | undefined, 0 | 1]>([
    ["ok", 0, 1],
    ["dns", 1, 0],
    ["refused", 1, 0],
    ["unreachable", 1, 0],
    ["reset", 1, 0],
    ["timeout", 1, 0],
    ["tls", 1, 0],
    ["redirect", 1, 0],
    ["http_status", 1, 0],
    ["auth", 1, 0],
    ["not_http", 1, 0],
    ["not_git", 1, 0],
    ["too_large", 1, 0],
    ["blocked_address", 1, 0],
    ["rate_limited", 1, 1],
    ["rate_limited", 0, 0],
    ["rate_limited", undefined, 1],
    ["no_route", 0, 0],
    ["no_route", undefined, 1],
    [undefined, 0, 0],
    [undefined, undefined, 1],
  ])("%s after %s is %s", (code, previous, status) => {
    const state: State | undefined =
      previous === undefined ? undefined : { statuses: new Map([[2, previous]]) };
    const decision = decide(nodesAt(two), resultsOf(["ok", code]), state);
    expect(decision.statuses.get(2)).toBe(status);
    expect(decision.state?.statuses).toEqual(decision.statuses);
  });
});
