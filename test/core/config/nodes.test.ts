import { describe, expect, test } from "vitest";
import { fingerprint, freshnessRule, listNodes, newNodes, nodeName } from "../../../src/core/config/nodes.ts";
import { configFrom, mirrorsJson, networkAt } from "../../support/mirrors-json.ts";

test.each([
  ["https://git.example.org/joomla/packages", "git.example.org/joomla/packages"],
  ["https://git.example.org/", "git.example.org"],
  ["https://git.example.org/a//", "git.example.org/a"],
  ["http://git.example.org:8080/a/", "git.example.org:8080/a"],
  ["https://git.example.org/a/?b=c", "git.example.org/a/?b=c"],
])("the node at %s is named %s", (url, name) => {
  expect(nodeName(url)).toBe(name);
});

describe("the fingerprint of what is probed", () => {
  function of(node: object, probe: object = {}): string {
    const other = { id: 2, url: "https://b.example.org/a" };
    const network = [{ id: 1, url: "https://a.example.org/a", ...node }, other];
    return fingerprint(listNodes(configFrom(mirrorsJson(network, { probe }))));
  }

  test("is 32 hexadecimal digits, the same in every version: results of one may be built by another", () => {
    expect(of({})).toBe("d4c413ced2f0e7afb62308a461b07fde");
  });

  test.each<[object, object, object?]>([
    [{ probe: { kind: "apt", apt: { keyring: "/a/keys.gpg" } } }, { probe: { kind: "apt" } }],
    [{ name: "A", probe: { timeout: "2s", attempts: 1, failureThreshold: 2 } }, {}, { perHost: 1 }],
    [
      { probe: { kind: "http", http: { expectStatus: [204] } } },
      { probe: { kind: "http", http: { expectStatus: 204 } } },
    ],
  ])("is the same for %j and %j: only what is probed counts", (one, other, probe) => {
    expect(of(one, probe)).toBe(of(other));
  });

  test.each([
    { id: 3 },
    { url: "https://c.example.org/a" },
    { probe: { kind: "http" } },
    { probe: { kind: "http", http: { expectStatus: 204 } } },
    { probe: { kind: "http", http: { content: { text: "a" } } } },
    { probe: { kind: "http", http: { expectStatus: [200, 204] } } },
  ])("is another with %j", (node) => {
    expect(of(node)).not.toBe(of({}));
  });
});

describe("the nodes of a configuration", () => {
  const network = (...ids: readonly number[]) =>
    ids.map((id) => ({ id, url: `https://m${id}.example.org:8443/x/` }));
  const first = { id: 1, url: "https://m1.example.org/", name: "One", country: "de", weight: 3 };
  const ofNode = { failureThreshold: 1, successThreshold: 2, timeout: "5s" };
  const second = { id: 2, url: "http://m2.example.org/x", probe: ofNode };
  const ofTarget = { timeout: "4s", git: { refs: "HEAD" } };
  const targets = [
    { target: "t", primary: 2, probe: ofTarget, network: [first, second] },
    { target: "u", freshness: { grace: "2h", states: ["behind"] }, network: network(3) },
  ];
  const config = configFrom({
    freshness: { offlineAfter: "1h", codes: ["expired"] },
    probe: { timeout: "2s", attempts: 2, failureThreshold: 4, successThreshold: 5 },
    systems: [
      { system: "s", projects: [{ project: "p", probe: { attempts: 3, timeout: "3s" }, targets }] },
      { system: "z", projects: [{ project: "p", targets: [{ target: "t", network: network(4, 5) }] }] },
    ],
  });

  test("have the names of their levels, in the order of the file", () => {
    expect(listNodes(config).map(({ id, place, host, primary }) => [id, place, host, primary])).toEqual([
      [1, "s/p/t", "m1.example.org", false],
      [2, "s/p/t", "m2.example.org", true],
      [3, "s/p/u", "m3.example.org:8443", false],
      [4, "z/p/t", "m4.example.org:8443", false],
      [5, "z/p/t", "m5.example.org:8443", false],
    ]);
    const [one, two] = listNodes(config);
    const names = { system: "s", project: "p", target: "t" };
    expect(one).toMatchObject({ ...names, name: "One", country: "DE", weight: 3 });
    expect(two).toMatchObject({ name: "m2.example.org/x", country: undefined, weight: undefined });
  });

  test("have the settings of the innermost level that has them, and only the options of kinds", () => {
    const options = { refs: "HEAD" };
    const file = { kind: "git", attempts: 2, timeoutMs: 2000, failureThreshold: 4, successThreshold: 5 };
    expect(listNodes(config).map(({ settings }) => settings)).toEqual([
      { ...file, attempts: 3, timeoutMs: 4000, options },
      { ...file, attempts: 3, timeoutMs: 5000, failureThreshold: 1, successThreshold: 2, options },
      { ...file, attempts: 3, timeoutMs: 3000, options: {} },
      { ...file, options: {} },
      { ...file, options: {} },
    ]);
  });

  test("have the rule of freshness of their levels", () => {
    const defaults = { graceMs: 28 * 3_600_000, states: ["behind", "differs"], codes: [] };
    expect(freshnessRule([])).toEqual(defaults);
    const rule = { ...defaults, offlineAfterMs: 3_600_000, codes: ["expired"] };
    const [first, , third] = listNodes(config);
    expect(first?.freshness).toEqual(rule);
    expect(third?.freshness).toEqual({ ...rule, graceMs: 2 * 3_600_000, states: ["behind"] });
  });
});

test("a host is the contact's only if the file says so, not because objects have a key of its name", () => {
  const urls = ["https://constructor/a", "https://__proto__/a", "https://git.example.org/a"];
  const config = configFrom(
    mirrorsJson(networkAt(urls), {
      channels: { ops: { type: "webhook", urlEnv: "HOOK_URL" } },
      contacts: { "git.example.org": "ops" },
    }),
  );
  expect(listNodes(config).map(({ contact }) => contact)).toEqual([undefined, undefined, "ops"]);
});

describe("new nodes", () => {
  const of = (...nodes: readonly object[]) => configFrom(mirrorsJson(nodes));
  const [one, two] = [1, 2].map((id) => ({ id, url: `https://m${id}.example.org/x` })) as [object, object];

  test("are those that the earlier configuration, if any, does not have", () => {
    expect(newNodes(undefined, of(one, two)).map(({ id }) => id)).toEqual([1, 2]);
    expect(newNodes(of(two), of(one, two)).map(({ id }) => id)).toEqual([1]);
    expect(newNodes(of(one, two), of(two, one))).toEqual([]);
    expect(newNodes(of(one, two), of(two))).toEqual([]);
    expect(newNodes(of(one), of({ ...one, probe: { kind: "http" } }))).toHaveLength(1);
  });
});
