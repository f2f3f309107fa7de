import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Config } from "../../../src/core/config/config-schema.ts";
import { readCounts } from "../../../src/core/state/counts.ts";
import { formerKeptMs, urlDigest } from "../../../src/core/state/identity.ts";
import type { State } from "../../../src/core/state/state-schema.ts";
import {
  hoursFrom as start,
  networkAt,
  playHours,
  projectConfig,
  type Seen,
  stateAfter,
} from "../../support/rounds.ts";

const hour = 3_600_000;
const [one, two] = [contentOf("1"), contentOf("2")];

function contentOf(digit: string) {
  return { revision: digit.repeat(40), branch: "main" };
}

function configOf(...urls: readonly string[]): Config {
  return projectConfig([{ target: "t", primary: 1, network: networkAt(urls) }]);
}

const both = configOf("https://a.example.org/x", "https://b.example.org/x");
/** The state after the second mirror failed twice. */
const down = playHours(both, [
  [one, one],
  [one, "timeout"],
  [one, "timeout"],
]);

function step(config: Config, state: State | undefined, at: number, ...seen: Seen[]): State {
  return stateAfter(config, state, { at, seen });
}

/** What was counted for the second mirror, by day. */
function daysOf(state: State) {
  return readCounts(state.vantages["default"]?.nodes["2"]?.days ?? "");
}

describe("the digest of a URL", () => {
  test.each([
    ["host", "https://b.example.org/x/y"],
    ["port", "https://a.example.org:8443/x/y"],
    ["path", "https://a.example.org/x/z"],
    ["letters of the path", "https://a.example.org/x/Y"],
    ["query", "https://a.example.org/x/y?z"],
  ])("counts another %s", (_, url) => {
    expect(urlDigest(url, "git")).not.toBe(urlDigest("https://a.example.org/x/y", "git"));
  });

  test("is that of the path without what does not count, whatever the path", () => {
    const path = fc.array(fc.stringMatching(/^[a-z0-9._-]{1,8}$/), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(path, fc.constantFrom("", "/", ".git", ".git/"), (parts, end) => {
        const url = `https://a.example.org/${parts.join("/")}x`;
        expect(urlDigest(`${url}${end}`, "git")).toBe(urlDigest(url, "git"));
        expect(urlDigest(`${url}y`, "git")).not.toBe(urlDigest(url, "git"));
      }),
    );
  });
});

describe("an id that was given to another URL", () => {
  test("inherits neither status, nor revision, nor counts, nor transitions", () => {
    const moved = configOf("https://a.example.org/x", "https://c.example.org/x");
    const after = step(moved, down, start + 3 * hour, one, "rate_limited");
    const since = start + 3 * hour;
    expect(after.nodes["2"]).toEqual({
      ...{ name: "c.example.org/x", url: urlDigest("https://c.example.org/x", "git") },
      ...{ status: 1, code: "rate_limited", transitions: [], since, unverified_since: since },
    });
    expect(daysOf(after)).toMatchObject([{ count: { ok: 0, failed: 0, unobserved: 1 } }]);
    expect(after.nodes["1"]).toMatchObject({ since: start });
    expect(after.references).toEqual(down.references);
  });

  test("inherits all of it with another scheme, .git or slash", () => {
    const same = configOf("https://a.example.org/x", "http://b.example.org/x.git/");
    const after = step(same, down, start + 3 * hour, one, "rate_limited");
    expect(after.nodes["2"]).toMatchObject({ status: 0, since: start + hour, code: "timeout" });
    expect(daysOf(after)).toMatchObject([{ count: { ok: 1, failed: 2 } }]);
  });

  test("inherits all of it at the URL to which the former one redirected, and nothing at a third one", () => {
    const primary = { ...one, moved_to: "https://c.example.org/y" };
    const mirror = { ...one, moved_to: "https://c.example.org/x" };
    const before = playHours(both, [
      [primary, mirror],
      [primary, "timeout"],
    ]);
    const movedTo = (...urls: string[]) => step(configOf(...urls), before, start + 2 * hour, one, "timeout");
    const moved = movedTo("https://c.example.org/y", "https://c.example.org/x.git");
    expect(moved.nodes["2"]).toMatchObject({ status: 0, since: start + hour, moved_to: undefined });
    expect(before.nodes["2"]).toMatchObject(mirror);
    expect(moved.references).toEqual(before.references);
    expect(moved.former).toBeUndefined();
    const third = movedTo("https://c.example.org/y", "https://d.example.org/x");
    expect(third.nodes["2"]).toMatchObject({ status: 0, since: start + 2 * hour });
  });

  test("that is the primary gives its target another reference", () => {
    const moved = configOf("https://c.example.org/x", "https://b.example.org/x");
    const after = step(moved, down, start + 3 * hour, two, one);
    const since = start + 3 * hour;
    expect(after.references["s/p/t"]?.versions).toMatchObject([{ value: two.revision, since }]);
    expect(after.nodes["2"]).toMatchObject({ status: 1, since });
  });
});

describe("a mirror that left the feed", () => {
  const alone = configOf("https://a.example.org/x");
  const left = step(alone, down, start + 3 * hour, one);
  /** The id of its outage. */
  const [incident = ""] = Object.keys(down.incidents ?? {});

  test("is set aside, and its id is remembered", () => {
    expect(Object.keys(left.nodes)).toEqual(["1"]);
    expect(left.former).toMatchObject({
      nodes: { 2: { at: start + 3 * hour, node: { name: "b.example.org/x", status: 0 } } },
      last_id: 2,
    });
    expect(Object.keys(left.incidents ?? {})).toEqual([incident]);
    const end = start + 3 * hour;
    expect(left.incidents?.[incident]).toMatchObject({ end, outages: [[2, start + hour, end]] });
  });

  test("comes back with its history within 30 days, at the same URL", () => {
    const back = step(both, left, start + 29 * 24 * hour, one, "timeout");
    expect(back.nodes["2"]).toMatchObject({ status: 0, since: start + hour });
    expect(daysOf(back)).toMatchObject([{ count: { failed: 1 } }, { count: { ok: 1, failed: 2 } }]);
    expect(back.former).toEqual({ nodes: {}, references: {}, last_id: 2 });
  });

  test("is gone after 30 days, but its id is still remembered", () => {
    const after = step(alone, left, start + 3 * hour + formerKeptMs, one);
    expect(after.former).toEqual({ nodes: {}, references: {}, last_id: 2 });
    expect(after.incidents).toMatchObject({ [incident]: { gone: 1 } });
    expect(step(both, after, start + 31 * 24 * hour, one, one).nodes["2"]).toMatchObject({ status: 1 });
  });

  test("changes places with the mirror that has its id now", () => {
    const moved = configOf("https://a.example.org/x", "https://c.example.org/x");
    const other = step(moved, left, start + 4 * hour, one, one);
    expect(other.nodes["2"]?.status).toBe(1);
    expect(other.incidents).toMatchObject({ [incident]: { outages: [], gone: 1 } });
    const back = step(both, other, start + 5 * hour, one, "timeout");
    expect(back.nodes["2"]).toMatchObject({ status: 0, since: start + hour });
    expect(back.former?.nodes["2"]?.node.url).toBe(urlDigest("https://c.example.org/x", "git"));
  });

  test("takes its target's reference along", () => {
    const other = projectConfig([
      { target: "t", primary: 1, network: networkAt(["https://a.example.org/x"]) },
      { target: "u", primary: 2, network: networkAt(["https://b.example.org/x"], 2) },
    ]);
    const known = step(other, undefined, start, one, two);
    const without = step(alone, known, start + hour, one);
    expect(Object.keys(without.references)).toEqual(["s/p/t"]);
    const back = step(other, without, start + 2 * hour, one, two);
    expect(back.references["s/p/u"]?.versions).toEqual(known.references["s/p/u"]?.versions);
  });
});
