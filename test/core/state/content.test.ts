import { describe, expect, test } from "vitest";
import { listNodes } from "../../../src/core/config/nodes.ts";
import type { Config } from "../../../src/core/config/config-schema.ts";
import type { Observation } from "../../../src/core/probe/observation.ts";
import type { RefSet } from "../../../src/core/probe/ref-set.ts";
import { contentsAfter } from "../../../src/core/state/content.ts";
import type { NodeContent, Reference } from "../../../src/core/state/content-schema.ts";
import type { NodeState } from "../../../src/core/state/state-schema.ts";
import { networkAt, projectConfig } from "../../support/rounds.ts";
import { hourMs } from "../../../src/core/base/text/time.ts";

const graceMs = 28 * hourMs;
const past: NodeState = { status: 1, since: 0, transitions: [] };
const [first, second] = ["a".repeat(16), "b".repeat(16)] as [string, string];
const branches = { HEAD: "1", "refs/heads/main": "1" };
/** Refs by digest: main at commit 1, and `second` without the tag. */
const sets = new Map<string, RefSet>([
  [first, new Map(Object.entries({ ...branches, "refs/tags/v1": "1" }))],
  [second, new Map(Object.entries(branches))],
]);

function observed(more: Partial<Observation> = {}): Observation {
  return { id: 2, code: "ok", attempts: 1, checked_at: "2026-01-01T00:00:00.000Z", ...more };
}

const main = { revision: "1", branch: "main" };
/** The versions of a reference that has commit 1. */
const versions = [{ value: "1", since: 1000 }];
const shown = { ...main, refs: first };
const unread = { ...main, refs_unread: "unread" } as const;

interface Run {
  readonly config?: Config;
  readonly before?: NodeState | undefined;
  readonly known?: Reference | undefined;
  readonly primary?: Partial<Observation> | undefined;
  readonly at?: number;
}

const urls = ["https://m1.example.org/x", "https://m2.example.org/x"];

function configOf(probe: object = {}, url = "https://m2.example.org/x"): Config {
  const network: object[] = networkAt(["https://m1.example.org/x", url]);
  Object.assign(network[1] ?? {}, { probe });
  return projectConfig([{ target: "t", primary: 1, network }]);
}

/** Plays a run that sees the two mirrors like this. The first one is new. */
function play(seen: readonly (readonly Partial<Observation>[])[], run: Run = {}) {
  const { config = configOf(), before, known, at = 5000 } = run;
  const nodes = listNodes(config).map((node, index) => {
    return { node, before: index === 0 ? undefined : before, seen: (seen[index] ?? []).map(observed) };
  });
  return contentsAfter(nodes, known, { at, lastRun: at - 1000, refs: sets });
}

/** Returns the second mirror's content after a run in which the primary shows commit 1, unless it shows nothing. */
function contentAfter(seen: readonly Partial<Observation>[], run: Run = {}): NodeContent {
  const primary = "primary" in run ? run.primary : shown;
  return play([primary === undefined ? [] : [primary], seen], run).contents.get(2) ?? {};
}

/** Returns the second mirror's contents after runs a grace apart. */
function contentsOf(...runs: readonly (readonly Partial<Observation>[])[]): NodeContent[] {
  return runs.reduce<NodeContent[]>((before, seen, index) => {
    const last = before.at(-1);
    const at = 5000 + index * graceMs;
    return [...before, contentAfter(seen, { before: last && { ...past, ...last }, at })];
  }, []);
}

describe("content that has expired", () => {
  const expired = { ...shown, content_code: "expired" };
  const unled = projectConfig([{ target: "t", network: networkAt(urls) }]);
  const warned: Reference = { branch: "main", versions, warnings: ["expired"] };

  test.each<[string, Partial<Observation>[], Run, string | undefined]>([
    ["is held against a mirror if the reference's has not", [expired], {}, "expired"],
    ["but not if the reference's has, too", [expired], { primary: expired }, undefined],
    ["nor while the reference is not seen", [expired], { primary: undefined, known: warned }, undefined],
    ["but again once the reference is renewed", [expired], { known: warned }, "expired"],
    ["nor if all have, without a primary", [expired], { config: unled, primary: expired }, undefined],
  ])("%s", (_, seen, run, code) => {
    expect(contentAfter(seen, run).content_code).toBe(code);
  });

  test.each<[string, Partial<Observation>, string | undefined, Reference["warnings"]]>([
    ["is told of the target if all have expired", expired, undefined, ["expired"]],
    ["also if one of them lacks a file", { ...shown, content_code: "missing_file" }, undefined, ["expired"]],
    ["but is held against the primary if another has not", shown, "expired", undefined],
  ])("%s", (_, other, code, warnings) => {
    const after = play([[expired], [other]]);
    expect([after.contents.get(1)?.content_code, after.reference?.warnings]).toEqual([code, warnings]);
  });

  test("excuses no missing file", () => {
    const lacking = { ...shown, content_code: "missing_file" };
    expect(contentAfter([lacking], { primary: expired }).content_code).toBe("missing_file");
  });
});

describe("a reference without a revision", () => {
  const index = { files: [{ path: "a", size: 3 }] };
  const known: Reference = { branch: "", versions: [], index, warnings: ["no_time"] };
  test.each<[string, Partial<Observation> | undefined, Reference | undefined, object | undefined]>([
    ["has the files of the primary", { index }, undefined, { versions: [], index, warnings: undefined }],
    ["and what its settings lack", { unchecked: ["no_time"] }, undefined, { warnings: ["no_time"] }],
    ["also while it is not seen", undefined, known, known],
    ["is forgotten once there is none", {}, { ...known, index: undefined }, undefined],
    ["gets one", { revision: "1", branch: "main" }, known, { versions: [{ value: "1" }], index: undefined }],
  ])("%s", (_, primary, before, expected) => {
    const { reference } = play([primary === undefined ? [] : [primary]], { known: before });
    if (expected === undefined) expect(reference).toBeUndefined();
    else expect(reference).toMatchObject(expected);
  });

  test("makes no mirror in sync", () => {
    expect(contentAfter([{}], { primary: { index }, known }).freshness).toBeUndefined();
  });
});

describe("the content of a mirror", () => {
  test("is that of its first good observation", () => {
    const seen = [
      { code: "http_status", revision: "9" },
      { ...main, content_at: "1970-01-01T00:00:07Z", content_code: "expired" },
      { revision: "2" },
    ];
    expect(contentAfter(seen)).toMatchObject({ ...main, content_at: 7000, content_code: "expired" });
  });

  test("is what most locations saw, and that of the first if as many saw another", () => {
    const seen = ["1", "2", "2", "3"].map((revision) => ({ revision }));
    expect(contentAfter(seen)).toMatchObject({ revision: "2" });
    expect(contentAfter([...seen, { revision: "1" }])).toMatchObject({ revision: "1" });
    const withCode = [{ revision: "1", content_code: "expired" }, { revision: "1" }, { revision: "1" }];
    expect(contentAfter(withCode).content_code).toBeUndefined();
  });

  test("is that of before if none was good, with the time of the last good answer", () => {
    const content: NodeContent = {
      ...{ ...main, refs: second, refs_unread: "unread", content_at: 3, content_code: "expired" },
      ...{ freshness: "behind", behind: [5, "HEAD", "0"], late: true, content_since: 3 },
    };
    const before = { ...past, ...content, code: "ok", streak: 2 };
    for (const seen of [[], [{ code: "timeout", revision: "9" }], [{ code: "rate_limited" }]]) {
      expect(contentAfter(seen, { before })).toMatchObject({ ...content, unseen_since: 4000 });
      expect(contentAfter(seen, { before: { ...before, unseen_since: 9 } }).unseen_since).toBe(9);
    }
    expect(contentAfter([shown], { before }).unseen_since).toBeUndefined();
    expect(contentAfter([])).toEqual({ tls_expires_at: undefined });
  });

  test("is compared on the branch of the reference, and says when that was first seen", () => {
    const own = { revision: "2", branch: "own", refs: first };
    const seen = contentAfter([own]);
    expect(seen).toMatchObject({ revision: "2", main: "1", main_since: 5000, freshness: "in_sync" });
    const next = { before: { ...past, ...seen }, at: 6000 };
    expect(contentAfter([own], next).main_since).toBe(5000);
    expect(contentAfter([shown], next).main_since).toBe(5000);
    expect(contentAfter([{ ...shown, revision: "3" }], next).main_since).toBe(6000);
  });

  test("has the expiry of the certificate that was shown first, of failures too, else that of before", () => {
    const certificates = [
      { code: "timeout" },
      { code: "tls", tls_expires_at: "1970-01-01T00:00:03Z" },
      { tls_expires_at: "1970-01-01T00:00:04Z" },
    ];
    const before = { ...past, tls_expires_at: 8 };
    const config = configOf({}, "http://m2.example.org/x");
    const expiry = (seen: readonly Partial<Observation>[], run?: Run) =>
      contentAfter(seen, run).tls_expires_at;
    expect(expiry(certificates)).toBe(3000);
    expect(expiry([{}], { before })).toBe(8);
    expect(expiry([{}])).toBeUndefined();
    // An http: URL has a certificate only while it redirects.
    expect(expiry([{}], { before, config })).toBeUndefined();
    expect(expiry([{ code: "timeout" }], { before, config })).toBe(8);
  });
});

describe("the refs of a mirror", () => {
  const onlyMain = { config: configOf({ git: { refs: ["refs/heads/main"] } }) };
  const tagless = { ...main, refs: second };
  const inSync = { freshness: "in_sync" } as const;

  test.each<[string, readonly Partial<Observation>[], Run, Partial<NodeContent>]>([
    ["are kept", [shown], {}, { refs: first, freshness: "in_sync", difference: undefined }],
    ["are compared by name", [tagless], {}, { freshness: "behind", lacking: [5000, "refs/tags/v1", ""] }],
    ["of other patterns say nothing", [tagless], onlyMain, { freshness: "in_sync" }],
    ["are not unread if they are of other patterns", [unread], onlyMain, { refs_unread: undefined }],
    ["that were never read leave it unknown", [unread], {}, { refs_unread: "unread", freshness: "unknown" }],
    ["matter not if those of the reference were never read", [unread], { primary: unread }, inSync],
  ])("%s", (_, seen, run, content) => {
    expect(contentAfter(seen, run)).toMatchObject(content);
  });
});

describe("wrong content", () => {
  const expired = { ...shown, content_code: "expired" };

  test.each<[string, Run]>([
    ["a reference", {}],
    ["any", { primary: undefined }],
  ])("has the time of the run that first saw it, with %s", (_, run) => {
    const before: NodeState = { ...past, content_code: "expired", content_since: 5 };
    expect(contentAfter([expired], run)).toMatchObject({ content_code: "expired", content_since: 5000 });
    expect(contentAfter([expired], { ...run, before }).content_since).toBe(5);
    const other = { ...before, content_code: "half_synced" };
    expect(contentAfter([expired], { ...run, before: other }).content_since).toBe(5000);
    const right = contentAfter([shown], { ...run, before });
    expect(right).toMatchObject({ content_code: undefined, content_since: undefined });
  });

  test("may be a difference, since it was first seen apart", () => {
    const ahead = [{ revision: "9" }];
    const target = { target: "t", primary: 1, network: networkAt(urls) };
    const config = projectConfig([target], { probe: { kind: "http" } });
    const run = { config, known: { branch: "", versions }, primary: { revision: "1" } };
    const young = contentAfter(ahead, run);
    const apart = [5000, "HEAD", "9"];
    expect(young).toMatchObject({ freshness: "unknown", apart, content_since: undefined });
    const after = (at: number, before: NodeContent) =>
      contentAfter(ahead, { ...run, at, before: { ...past, ...before } });
    expect(after(5000 + graceMs - 1, young)).toMatchObject({ freshness: "unknown" });
    const old = after(5000 + graceMs, young);
    expect(old).toMatchObject({ freshness: "differs", differs: true, content_since: 5000 });
    expect(after(9000 + graceMs, old)).toMatchObject({ differs: true, content_since: 5000 });
  });
});

const fetched: Readonly<Record<string, Partial<Observation>>> = {
  o: { fetched: "ok" },
  f: { fetched: "failed" },
  t: { fetched: "timeout" },
};

/** Each letter is a proof: ok, failed, timeout or none. A slash separates locations. */
test.each<[string, string, string | undefined]>([
  ["one failure", "f", undefined],
  ["two failures in a row", "ff", "no_fetch"],
  ["two failures with nothing between", "f-f", "no_fetch"],
  ["two timeouts", "tt", undefined],
  ["three timeouts", "ttt", "no_fetch"],
  ["a failure and two timeouts", "tft", "no_fetch"],
  ["a failure after a success", "ffof", undefined],
  ["a success", "ffo", undefined],
  ["no proof after failures", "ff-", "no_fetch"],
  ["failures elsewhere, if one location succeeds", "f f/o", undefined],
  ["failures, if another location timed out", "f/t f/t", "no_fetch"],
])("after %s (%s) the content code is %s", (_, proofs, code) => {
  const runs = proofs.includes("/") ? proofs.split(" ") : Array.from(proofs);
  const seen = runs.map((run) => run.split("/").map((one) => ({ ...shown, ...fetched[one] })));
  const last = contentsOf(...seen).at(-1);
  expect(last?.content_code).toBe(code);
  expect(last?.content_since !== undefined).toBe(code !== undefined);
});

test("the reference of a target is identified by the primary and its patterns, or those of the first mirror", () => {
  const [one, two] = networkAt(urls);
  const patterned = { ...one, probe: { git: { refs: ["refs/heads/main"] } } };
  const identityOf = (target: object) => {
    const config = projectConfig([{ target: "t", ...target }]);
    return play([[shown], [shown]], { config }).reference?.refs_of;
  };

  const ids = [
    { primary: 1, network: [one, two] },
    { primary: 2, network: [one, two] },
    { network: [one, two] },
    { primary: 1, network: [patterned, two] },
    { network: [patterned, two] },
  ].map(identityOf);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/);
  expect(identityOf({ primary: 1, network: [two, patterned] })).toBe(ids[3]);
  expect(identityOf({ network: [two, one] })).toBe(ids[2]);
});
