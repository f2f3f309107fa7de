import { describe, expect, test } from "vitest";
import { listNodes } from "../../src/config/nodes.ts";
import type { Node } from "../../src/config/nodes.ts";
import type { Config } from "../../src/config/schema.ts";
import type { Observation } from "../../src/probe/observation.ts";
import { contentOf } from "../../src/state/content.ts";
import { moveReferences, patternsOf, type ReferenceMove } from "../../src/state/reference.ts";
import type { NodeState, Reference } from "../../src/state/schema.ts";
import { nodesAt, projectConfig, vantageOf } from "../support/rounds.ts";

const [node] = nodesAt(["a.example.org"]) as [Node];
const patterns = patternsOf(node);
const [former, newest] = ["a".repeat(16), "b".repeat(16)] as [string, string];
const reference: Reference = {
  branch: "main",
  revisions: [["1", 1000]],
  sets: [
    [former, 1000],
    [newest, 2000],
  ],
};
const moved: ReferenceMove = {
  before: reference,
  after: reference,
  seen: { revision: true, refs: true },
  patterns,
};
const past: NodeState = { status: 1, since: 0, transitions: [] };

function observed(more: Partial<Observation> = {}): Observation {
  return { id: 1, code: "ok", attempts: 1, checked_at: "2026-01-01T00:00:00.000Z", ...more };
}

function contentAfter(
  seen: readonly Observation[],
  more: { before?: NodeState; move?: ReferenceMove; at?: number; url?: string } = {},
) {
  const { before, move = moved, at = 5000, url = node.url } = more;
  return contentOf({ ...node, url }, before, { at, seen, refs: new Map(), reference: move });
}

describe("the content of a mirror", () => {
  test("is that of its first good observation", () => {
    const seen = [
      observed({ code: "http_status", revision: "9" }),
      observed({
        revision: "1",
        branch: "main",
        content_at: "1970-01-01T00:00:07Z",
        content_code: "expired",
      }),
      observed({ revision: "2" }),
    ];
    expect(contentAfter(seen)).toMatchObject({
      revision: "1",
      branch: "main",
      content_at: 7000,
      content_code: "expired",
    });
  });

  test("is wrong since it was first seen so, also where nothing is a reference", () => {
    const none = { ...moved, after: undefined };
    const expired = [observed({ content_code: "expired" })];
    const first = contentAfter(expired, { move: none });
    expect(first.content_since).toBe(5000);
    const before = { ...first, url: "", status: 1 as const, since: 0, transitions: [] };
    expect(contentAfter(expired, { before, move: none, at: 6000 }).content_since).toBe(5000);
    expect(contentAfter([observed({})], { before, move: none, at: 6000 }).content_since).toBeUndefined();
  });

  test("is what most vantages saw, and that of the first if as many saw another", () => {
    const seen = ["1", "2", "2", "3"].map((revision) => observed({ revision }));
    expect(contentAfter(seen)).toMatchObject({ revision: "2" });
    expect(contentAfter([...seen, observed({ revision: "1" })])).toMatchObject({ revision: "1" });
    const withCode = [observed({ revision: "1", content_code: "expired" }), ...seen.slice(0, 1)];
    expect(contentAfter([...withCode, observed({ revision: "1" })]).content_code).toBeUndefined();
  });

  test("is that of before if none was good, and nothing else of that", () => {
    const content = {
      revision: "1",
      branch: "main",
      refs: newest,
      refs_unread: "unread" as const,
      content_at: 3,
      content_code: "expired",
    };
    const before = { ...past, ...content, code: "ok", streak: 2 };
    expect(contentAfter([observed({ code: "timeout", revision: "9" })], { before })).toMatchObject(content);
    expect(contentAfter([], { before })).not.toHaveProperty("streak");
    expect(contentAfter([]).revision).toBeUndefined();
  });

  test("has no branch without a revision, and an unnamed branch with one", () => {
    expect(contentAfter([observed({ branch: "main" })]).branch).toBeUndefined();
    expect(contentAfter([observed({ revision: "1" })]).branch).toBe("");
  });

  test("has the expiry of the certificate that was shown first, of failures too, else that of before", () => {
    const shown = [
      observed({ code: "timeout" }),
      observed({ code: "tls", tls_expires_at: "1970-01-01T00:00:03Z" }),
      observed({ tls_expires_at: "1970-01-01T00:00:04Z" }),
    ];
    expect(contentAfter(shown).tls_expires_at).toBe(3000);
    expect(contentAfter([observed()], { before: { ...past, tls_expires_at: 8 } }).tls_expires_at).toBe(8);
    expect(contentAfter([observed()]).tls_expires_at).toBeUndefined();
  });

  test("loses the certificate of a redirect that an http URL no longer has", () => {
    const more = { before: { ...past, tls_expires_at: 8 }, url: "http://a.example.org/" };
    expect(contentAfter([observed()], more).tls_expires_at).toBeUndefined();
    expect(contentAfter([observed({ code: "timeout" })], more).tls_expires_at).toBe(8);
  });
});

describe("the refs of a mirror", () => {
  const seen = observed({ revision: "1", branch: "main", refs: newest });
  const unread = observed({ revision: "1", branch: "main", refs_unread: "unread" });
  const before = { ...past, revision: "1", branch: "main", refs: newest };

  test("are kept if they are of the patterns of the reference", () => {
    expect(contentAfter([seen]).refs).toBe(newest);
    expect(contentAfter([seen], { move: { ...moved, patterns: "others" } }).refs).toBeUndefined();
  });

  test("are those of before if they were not read once and nothing moved", () => {
    expect(contentAfter([unread], { before })).toMatchObject({ refs: newest, refs_unread: "unread" });
  });

  test("are not unread if they are not of the patterns of the reference", () => {
    const move = { ...moved, patterns: "others" };
    expect(contentAfter([unread], { before, move })).toMatchObject({
      refs: undefined,
      refs_unread: undefined,
    });
  });

  test.each<[string, Observation, Partial<NodeState>]>([
    ["there were none", unread, { refs: undefined }],
    ["HEAD moved", unread, { revision: "0" }],
    ["they were not read before either", unread, { refs_unread: "unread" }],
    ["there are too many", { ...unread, refs_unread: "too_many" }, {}],
    ["no revision was read", observed({ refs_unread: "unread" }), { revision: undefined }],
  ])("are unknown if they were not read, and %s", (_, one, own) => {
    const content = contentAfter([one], { before: { ...before, ...own } });
    expect(content).toMatchObject({ refs: undefined, refs_unread: one.refs_unread });
  });

  test("are unknown if they were not read when those of the reference moved away from them", () => {
    const sets = { ...reference, sets: [[former, 1000] satisfies [string, number]] };
    const move = { ...moved, before: sets };
    const equal = { ...before, refs: former };
    expect(contentAfter([unread], { before: equal, move }).refs).toBeUndefined();
    expect(contentAfter([unread], { before: equal }).refs).toBe(former);
    expect(contentAfter([unread], { before, move }).refs).toBe(newest);
  });
});

describe("wrong content", () => {
  const expired = observed({ revision: "1", branch: "main", refs: newest, content_code: "expired" });
  const ahead = observed({ revision: "1", branch: "main", refs: "c".repeat(16) });

  test("has the time of the run that first saw it", () => {
    expect(contentAfter([expired]).content_since).toBe(5000);
    expect(
      contentAfter([expired], { before: { ...past, content_code: "half_synced", content_since: 5 } }),
    ).toMatchObject({ content_since: 5000 });
    expect(
      contentAfter([expired], { before: { ...past, content_code: "expired", content_since: 5 } }),
    ).toMatchObject({
      content_since: 5,
    });
  });

  test("may be a difference, with its own time", () => {
    const day = 86_400_000;
    const first = contentAfter([ahead], { at: 5000 });
    expect(first).toMatchObject({ apart_since: 5000, content_since: undefined });
    expect(first).not.toHaveProperty("differs");
    const second = contentAfter([ahead], { at: 5000 + day, before: { ...past, ...first } });
    expect(second).toMatchObject({ apart_since: 5000, differs: true, content_since: 5000 + day });
    const third = contentAfter([ahead], { at: 6000 + day, before: { ...past, ...second } });
    expect(third).toMatchObject({ differs: true, content_since: 5000 + day });
  });

  test("ends when the content is right", () => {
    const before = { ...past, content_code: "expired", content_since: 5 };
    expect(
      contentAfter([observed({ revision: "1", branch: "main", refs: newest })], { before }),
    ).toMatchObject({
      content_code: undefined,
      content_since: undefined,
    });
  });
});

describe("the references of targets after a run", () => {
  const onlyMain = { git: { refs: ["refs/heads/main"] } };
  const networkOf = (ids: readonly number[], own: Readonly<Record<number, object>> = {}) =>
    ids.map((id) => ({
      id,
      url: `https://m${id}.example.org/x`,
      ...(own[id] !== undefined && { probe: own[id] }),
    }));
  function movesOf(config: Config, seen: readonly (string | undefined)[]) {
    const nodes = listNodes(config);
    const vantage = vantageOf(
      "default",
      seen.map((revision) => (revision === undefined ? "timeout" : { revision, branch: "main" })),
    );
    const round = { run: "r", at: 10, vantages: [vantage] };
    return { nodes, moves: moveReferences(config, nodes, round, [vantage], undefined, 10) };
  }

  test("are those of each target by its place", () => {
    const config = projectConfig([
      { target: "t", primary: 2, network: networkOf([1, 2]) },
      { target: "u", network: networkOf([3, 4]) },
    ]);
    const { moves } = movesOf(config, ["a", "b", "c", "d"]);
    expect(moves.get("s/p/t")).toMatchObject({
      before: undefined,
      after: { branch: "main", revisions: [["b", 10]] },
      seen: { revision: true, refs: false },
    });
    expect(moves.get("s/p/u")).toMatchObject({ after: undefined, seen: { revision: false, refs: false } });
  });

  test("compare refs of the patterns of the primary, else of the first node", () => {
    const own = { 2: onlyMain };
    const primary = movesOf(projectConfig([{ target: "t", primary: 2, network: networkOf([1, 2], own) }]), [
      "a",
      "a",
    ]);
    const first = movesOf(projectConfig([{ target: "t", network: networkOf([2, 1], own) }]), ["a", "a"]);
    const second = movesOf(projectConfig([{ target: "t", network: networkOf([1, 2], own) }]), ["a", "a"]);
    expect(primary.moves.get("s/p/t")?.patterns).toBe('["refs/heads/main"]');
    expect(first.moves.get("s/p/t")?.patterns).toBe('["refs/heads/main"]');
    expect(second.moves.get("s/p/t")?.patterns).toBe('["refs/heads/*","refs/tags/*"]');
    expect(primary.nodes.map(patternsOf)).toEqual(['["refs/heads/*","refs/tags/*"]', '["refs/heads/main"]']);
  });

  test("are identified by the primary and the patterns, each of them", () => {
    const ids = [
      projectConfig([{ target: "t", primary: 1, network: networkOf([1, 2]) }]),
      projectConfig([{ target: "t", primary: 2, network: networkOf([1, 2]) }]),
      projectConfig([{ target: "t", network: networkOf([1, 2]) }]),
      projectConfig([{ target: "t", primary: 1, network: networkOf([1, 2], { 1: onlyMain }) }]),
    ].map((config) => {
      const nodes = listNodes(config);
      const refs = "a".repeat(16);
      const vantage = vantageOf(
        "default",
        [1, 2].map(() => ({ revision: "a", branch: "main", refs })),
      );
      const round = { run: "r", at: 10, vantages: [vantage] };
      return moveReferences(config, nodes, round, [vantage], undefined, 10).get("s/p/t")?.after?.refs_of;
    });
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/);
  });

  test("have the time of the content, and HEAD alone if there are too many refs", () => {
    const config = projectConfig([{ target: "t", primary: 1, network: networkOf([1]) }]);
    const refs = "a".repeat(16);
    const run = (more: Partial<Observation>, known?: Reference) => {
      const vantage = vantageOf("default", [{ revision: "a", ...more }]);
      const round = {
        run: "r",
        at: 10,
        vantages: [vantage],
        refs: new Map([[refs, new Map([["HEAD", "a"]])]]),
      };
      const state = known && {
        schema: 1 as const,
        runs: [],
        nodes: {},
        references: { "s/p/t": known },
        vantages: {},
      };
      return moveReferences(config, listNodes(config), round, [vantage], state, 10).get("s/p/t");
    };
    const first = run({ refs, content_at: "1970-01-01T00:00:07Z" });
    expect(first).toMatchObject({
      after: { branch: "", contents: { a: { at: 7000 } }, sets: [[refs, 10]], refs: { HEAD: "a" } },
      seen: { revision: true, refs: true },
    });
    const second = run({ refs_unread: "too_many" }, first?.after);
    expect(second?.before).toBe(first?.after);
    expect(second?.after?.sets).toBeUndefined();
    expect(run({ refs_unread: "unread" }, first?.after)?.after?.sets).toEqual([[refs, 10]]);
  });
});
