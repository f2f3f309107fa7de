import { describe, expect, test } from "vitest";
import { fingerprint, listNodes, nodeName } from "../../src/config/nodes.ts";
import { validateConfig } from "../../src/config/validate.ts";

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
    const others = [{ id: 2, url: "https://b.example.org/a" }];
    const network = [{ id: 1, url: "https://a.example.org/a", ...node }, ...others];
    const systems = [{ system: "s", projects: [{ project: "p", targets: [{ target: "t", network }] }] }];
    return fingerprint(listNodes(validateConfig(JSON.stringify({ systems, probe }), "mirrors.json")));
  }

  test("is 32 hexadecimal digits, the same in every version: results of one may be built by another", () => {
    expect(of({})).toBe("d4c413ced2f0e7afb62308a461b07fde");
  });

  test.each<[string, object]>([
    ["the id", { id: 3 }],
    ["the URL", { url: "https://c.example.org/a" }],
    ["the kind", { probe: { kind: "http" } }],
    ["the expected status", { probe: { expectStatus: 204 } }],
    ["the content", { probe: { content: { text: "a" } } }],
    ["the expected statuses", { probe: { expectStatus: [200, 204] } }],
  ])("is another with %s of a node", (_, node) => {
    expect(of(node)).not.toBe(of({}));
  });

  test("is the same wherever a keyring lies", () => {
    expect(of({ probe: { aptKeyring: "/a/keys.gpg" } })).toBe(of({}));
  });

  test("is the same however long and often a node is asked, and whatever it is called", () => {
    const patience = { timeoutMs: 2000, attempts: 1, downAfter: 2, upAfter: 3 };
    expect(of({ name: "A", probe: patience }, { timeoutMs: 3000, perHost: 1 })).toBe(of({}));
  });

  test("is that of the statuses, however they are written", () => {
    expect(of({ probe: { expectStatus: [204] } })).toBe(of({ probe: { expectStatus: 204 } }));
  });
});
