import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Config } from "../../src/config/schema.ts";
import { readCounts } from "../../src/state/counts.ts";
import type { State } from "../../src/state/schema.ts";
import { urlDigest } from "../../src/state/identity.ts";
import { networkAt, projectConfig, type Seen, stateAfter } from "../support/rounds.ts";

const start = Date.parse("2026-03-01T00:00:00Z");
const hour = 3_600_000;
const [one, two] = ["1", "2"].map((digit) => ({ revision: digit.repeat(40), branch: "main" })) as [
  Seen,
  Seen,
];

function configOf(...urls: readonly string[]): Config {
  return projectConfig([{ target: "t", primary: 1, network: networkAt(urls) }]);
}

function step(config: Config, state: State | undefined, at: number, ...seen: Seen[]): State {
  return stateAfter(config, state, { at, seen });
}

describe("the digest of a URL", () => {
  test.each([
    ["the scheme", "http://a.example.org/x/y"],
    ["slashes at the end", "https://a.example.org/x/y//"],
  ])("does not count %s", (_, url) => {
    expect(urlDigest(url, "git")).toBe(urlDigest("https://a.example.org/x/y", "git"));
  });

  test.each([
    ["host", "https://b.example.org/x/y"],
    ["port", "https://a.example.org:8443/x/y"],
    ["path", "https://a.example.org/x/z"],
    ["letters of the path", "https://a.example.org/x/Y"],
    ["query", "https://a.example.org/x/y?z"],
  ])("counts another %s", (_, url) => {
    expect(urlDigest(url, "git")).not.toBe(urlDigest("https://a.example.org/x/y", "git"));
  });

  test("counts .git where the kind does", () => {
    const [bare, withGit] = ["x/y", "x/y.git/"].map((path) =>
      urlDigest(`https://a.example.org/${path}`, "http"),
    );
    expect(withGit).not.toBe(bare);
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
  const former = configOf("https://a.example.org/x", "https://b.example.org/x");
  const down = [0, 1, 2].reduce<State | undefined>(
    (state, run) => step(former, state, start + run * hour, one, run === 0 ? one : "timeout"),
    undefined,
  );

  test("inherits neither status, nor revision, nor counts, nor transitions", () => {
    const moved = configOf("https://a.example.org/x", "https://c.example.org/x");
    const after = step(moved, down, start + 3 * hour, one, "rate_limited");
    expect(after.nodes["2"]).toEqual({
      url: urlDigest("https://c.example.org/x", "git"),
      status: 1,
      since: start + 3 * hour,
      code: "rate_limited",
      transitions: [],
      unverified_since: start + 3 * hour,
    });
    expect(readCounts(after.vantages["default"]?.nodes["2"]?.days ?? "")).toMatchObject([
      { count: { ok: 0, failed: 0, unobserved: 1 } },
    ]);
    expect(after.nodes["1"]).toMatchObject({ since: start });
    expect(after.references).toEqual(down?.references);
  });

  test("inherits all of it with another scheme, .git or slash", () => {
    const same = configOf("https://a.example.org/x", "http://b.example.org/x.git/");
    const after = step(same, down, start + 3 * hour, one, "rate_limited");
    expect(after.nodes["2"]).toMatchObject({ status: 0, since: start + hour, code: "timeout" });
    expect(readCounts(after.vantages["default"]?.nodes["2"]?.days ?? "")).toMatchObject([
      { count: { ok: 1, failed: 2 } },
    ]);
  });

  test("inherits nothing from a late run either", () => {
    const moved = configOf("https://a.example.org/x", "https://c.example.org/x");
    const after = step(moved, down, start + hour / 2, one, "ok");
    expect(after.nodes["2"]?.status).toBe(1);
    expect(after.nodes["2"]?.url).toBe(urlDigest("https://c.example.org/x", "git"));
  });

  test("that is the primary gives its target another reference", () => {
    const moved = configOf("https://c.example.org/x", "https://b.example.org/x");
    const after = step(moved, down, start + 3 * hour, two, one);
    expect(after.references["s/p/t"]?.versions).toMatchObject([
      { value: "2".repeat(40), since: start + 3 * hour },
    ]);
    expect(after.nodes["2"]).toMatchObject({ status: 1, since: start + 3 * hour });
  });
});
