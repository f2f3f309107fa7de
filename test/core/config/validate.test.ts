import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nameProblem } from "../../../src/core/base/text/name.ts";
import { listNodes } from "../../../src/core/config/nodes.ts";
import { validateConfig } from "../../../src/core/config/validate.ts";
import { largeConfig } from "../../support/large-feed.ts";
import { inputErrorOf, mirrorsJson as feed, networkAt, problemsIn } from "../../support/mirrors-json.ts";

const good = { id: 1, url: "https://git.example.org/joomla/packages" };
const other = { id: 2, url: "https://mirror.example.org/joomla/packages" };

function withMaintenance(...maintenance: readonly unknown[]): object {
  return feed([good], { maintenance });
}

function systemsNamed(...names: readonly unknown[]): object {
  const systems = names.map((system, index) => {
    const network = [{ ...good, id: index + 1 }];
    return { system, projects: [{ project: "p", targets: [{ target: "a", network }] }] };
  });
  return { systems };
}

function messageFor(text: string): string {
  return inputErrorOf(() => validateConfig(text, "mirrors.json"));
}

const node = "systems[0].projects[0].targets[0].network";
const window = { scope: 1, from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z", reason: "disks" };
const hook = { channels: { ops: { type: "webhook", urlEnv: "HOOK" } } };

/** Tests each row: one of the problems of `make(value)` must be `place` followed by `message`. */
function refuses<Value>(
  place: string,
  make: (value: Value) => unknown,
  rows: readonly (readonly [value: Value, message: string])[],
): void {
  test.each(rows)("%j", (value, message) => {
    expect(problemsIn(make(value)).join("\n")).toContain(`${place}${message}`);
  });
}

describe("a configuration is refused with the place and the remedy", () => {
  refuses("", (value: unknown) => value, [
    [[], ": must be an object"],
    [{}, "systems: is missing; it must be an array"],
    [{ systems: [] }, "systems: must not be empty"],
    [feed([good], { sytems: [] }), "sytems: is not a known key; did you mean systems? Known keys: $schema,"],
    [
      systemsNamed("alpha", "ALPHA"),
      'systems[1].system: "ALPHA" is already the name of systems[0], since case is ignored',
    ],
    ...["index", "packages.html"].map((name): [object, string] => [
      { ...systemsNamed(name), site: { slashless: true } },
      `systems[0].system: "${name}" cannot be used with site.slashless`,
    ]),
  ]);

  refuses("systems[0].system: ", systemsNamed, [
    [
      "Community",
      '"Community" must contain only a-z, 0-9, ".", "_" and "-", begin with a letter or a digit, and have no dot at the end or next to another; write "community"',
    ],
    [" a  b. ", '" a  b. " must contain only a-z, 0-9, ".", "_" and "-", begin with a letter or a digit'],
    ["../etc", '"../etc" must contain only'],
    ["", "is empty; give it a name"],
    ["a\u202eb", '"a\\u202eb" must contain only'],
    ["lpt1.txt", '"lpt1.txt" is a device name on Windows'],
    ["a".repeat(101), "is longer than 100 characters"],
    [1, "must be a string"],
  ]);

  refuses(`${node}[0]`, (more: object) => feed([{ ...good, ...more }]), [
    [
      { status: 1 },
      ".status: is not a known key; known keys: id, name, url, country, weight, contact, probe, freshness",
    ],
    [{ "\n::error::x": 1 }, `["\\u000a::error::x"]: is not a known key`],
    [{ country: "uk" }, '.country: "UK" is not in ISO 3166-1; write "GB"'],
    [{ id: "1" }, ".id: must be a whole number"],
    [{ id: undefined }, ".id: is missing; it must be a whole number"],
    [{ name: "\u001b[31mred" }, ".name: has control or invisible characters"],
    [{ probe: { attempts: 11 } }, ".probe.attempts: must be 10 or less"],
    [{ probe: { concurrency: 1 } }, ".probe.concurrency: is not a known key"],
    [
      { probe: { kind: "http", git: { refs: "HEAD" } } },
      ".probe.git: has no effect, since no mirror here is of kind git",
    ],
  ]);

  refuses(`${node}[0].url: `, (url: string) => feed([{ id: 1, url }]), [
    ["packages", '"packages" is not a URL'],
    ["https://me@example.org/a", "contains credentials"],
    ["https://example.org/a?", "has a query, which only http mirrors may have"],
    ["https://127.1/a", '"https://127.1/a" is not normalized; write "https://127.0.0.1/a"'],
    ["https://example.org/\u202ea", '"https://example.org/\\u202ea" contains invisible characters'],
    [`https://example.org/${"a".repeat(2000)}`, "is longer than 2000 characters"],
  ]);

  refuses(`${node}[1].`, (second: object) => feed([good, { ...other, ...second }]), [
    [{ id: 1 }, `id: 1 is already the id of ${node}[0]; the next free one is 2`],
    [{ url: `${good.url}//` }, `url: "${good.url}//" is already the URL of ${node}[0]; remove one`],
  ]);

  refuses("probe.", (probe: object) => feed([good], { probe }), [
    [{ kind: "ping" }, 'kind: must be one of "apt", "git", "http", "index", "pacman", "rpm"'],
    [{ apt: { suite: "sid" } }, "apt: has no effect, since no mirror here is of kind apt; remove it, or set"],
    [{ http: { expectStatus: "2xx" } }, "http.expectStatus: must be an HTTP status such as 200"],
    [{ http: { content: {} } }, "http.content: is empty; set one or more"],
    [
      { http: { content: { sha256: "A".repeat(64) } } },
      'http.content.sha256: must be "reference", or a SHA-256',
    ],
    [{ http: { content: { size: 9, sha256: "reference" } } }, "http.content: has a size"],
    [{ http: { content: { files: ["/a"] } } }, "http.content.files[0]: must be a path relative to the URL"],
    [{ controls: ["example.org"] }, 'controls[0]: "example.org" has no scheme; write "https://example.org"'],
    [{ controls: [{ url: "http://example.org/" }] }, 'controls[0]: must be a URL, or { "url":'],
  ]);

  refuses("freshness.", (freshness: object) => feed([good], { freshness }), [
    [{ offlineAfter: "24" }, "offlineAfter: must be a duration such as 10s, 30m, 24h or 7d"],
    [{ codes: ["nope"] }, 'codes[0]: must be one of "missing_file", "wrong_size"'],
    [{ grace: "1h", states: ["behind"] }, "states: has no effect without offlineAfter"],
  ]);

  refuses("site.", (site: object) => feed([good], { site }), [
    [{ url: "https://example.org/a'b/" }, "url: has a path with characters"],
    [{ host: "geocities" }, "host: must be one of"],
    [{ host: "nginx", slashless: true }, 'slashless: only works with the host "github-pages"; remove it'],
  ]);

  refuses("maintenance[0].", (changes: object) => withMaintenance({ ...window, ...changes }), [
    [{ scope: good.url }, `scope: "${good.url}" is not a host, path or id in this file; write a host as in`],
    [{ scope: "git.example.org:8443" }, 'scope: "git.example.org:8443" is not a host'],
    [{ to: window.from }, "to: must be later than from"],
  ]);

  test.each<[unknown, string[]]>([
    [
      { systems: [null, [], { system: "a", projects: [null] }] },
      ["systems[0]", "systems[1]", "systems[2].projects[0]"].map((path) => `${path}: must be an object`),
    ],
    [
      feed([{ ...good, id: "1" }, other], { maintenance: [{ ...window, scope: 1 }] }, { primary: 1 }),
      [`${node}[0].id: must be a whole number`],
    ],
    [
      feed([{ ...good, url: "git.example.org/a" }], {
        maintenance: [{ ...window, scope: "git.example.org" }],
        contacts: { "git.example.org": "ops" },
        ...hook,
      }),
      [`${node}[0].url: "git.example.org/a" has no scheme; write "https://git.example.org/a"`],
    ],
    [
      feed([good], { notify: { to: ["ops"], events: ["offline"], certificateDays: 30 }, ...hook }),
      [
        'notify.certificateDays: has no effect, since this rule does not cover certificates; add "certificate" to events, or remove this key',
      ],
    ],
    [
      { ...feed([good]), probe: { controls: "https://control.example.org/" }, maintenance: "" },
      ["probe.controls: must be an array", "maintenance: must be an array"],
    ],
  ])("%j has one problem for each fault", (value, problems) => {
    expect(problemsIn(value)).toEqual(problems);
  });

  test("a misspelt key is not also reported as missing", () => {
    const { id } = good;
    expect(problemsIn(feed([{ id, ulr: good.url }]))).toEqual([expect.stringMatching(/did you mean url\?/)]);
    expect(problemsIn(feed([{ id, address: good.url }]))).toHaveLength(2);
  });

  test("every problem is listed with its line", () => {
    const text = '\n{ "systems": [\n{ "system": "a" }\n],\n"probe": { "attempts": 0 } }';
    expect(messageFor(text)).toBe(
      "mirrors.json has 2 problems:\n  systems[0].projects: is missing; it must be an array (line 3)\n  probe.attempts: must be 1 or more (line 5)",
    );
  });

  test("only the first 200 of many problems are listed, and the rest counted", () => {
    const urls = Array.from({ length: 217 }, (_, index) => `https://a.org/${index}`);
    const nodes = networkAt(urls, -217);
    const lines = messageFor(JSON.stringify(feed(nodes))).split("\n");
    expect(lines).toHaveLength(202);
    expect(lines[0]).toBe("mirrors.json has 217 problems:");
    expect(lines.at(-1)).toBe("  … and 17 more");
  });

  test.each<[string, string]>([
    [
      '{\n  "systems": [],\n}',
      "expected a name in double quotes; add one, or remove the preceding comma (line 3, column 1)",
    ],
    ['{ "a": 1 "b": 2 }', "expected a comma before this (line 1, column 10)"],
    ['{\n  // no\n  "systems": [] }', "JSON does not allow comments; remove this one (line 2, column 3)"],
    ['{ "systems": [', "expected a closing ] (line 1, column 15)"],
    ['{ "systems: [] }', "this string has no closing double quote (line 1, column 3)"],
    ["<html>", "unexpected text; write strings in double quotes (line 1, column 1)"],
    ['{ "a": tru, "b": fals }', "unexpected text; write strings in double quotes (line 1, column 8)"],
  ])("the first error in the JSON syntax of %s is the only problem", (text, problem) => {
    expect(messageFor(text)).toBe(`mirrors.json has 1 problem:\n  the file: ${problem}`);
  });

  test("a repeated name, which JSON.parse would drop silently", () => {
    const text = JSON.stringify(feed([good])).replace('"project":"p"', '"project":"old","project":"p"');
    expect(messageFor(text)).toContain("systems[0].projects[0].project: is repeated in this object");
  });

  test("__proto__ as a key neither pollutes nor passes", () => {
    const text = '{"systems":[{"__proto__":{"a":1},"system":"a","projects":[]}]}';
    expect(messageFor(text)).toContain("__proto__");
    expect(Object.prototype).not.toHaveProperty("a");
  });
});

describe("a configuration is valid", () => {
  const urls = ["https://example.org", "https://example.org/?a=b", "http://example.org:8080/a%20b"];
  test.each(urls)("with the URL %s", (url) => {
    expect(problemsIn(feed([{ id: 1, url, probe: { kind: "http" } }]))).toEqual([]);
  });

  test("with settings that only some mirrors use", () => {
    const nodes = [{ ...good, probe: { kind: "http" } }, other];
    const settings = { probe: { git: { refs: "HEAD" }, http: { expectStatus: 204 } } };
    expect(problemsIn(feed(nodes, settings))).toEqual([]);
    const rule = { freshness: { offlineAfter: "24h", states: ["behind"] } };
    expect(problemsIn(feed([{ ...good, freshness: { codes: ["expired"] } }, other], rule))).toEqual([]);
  });

  test("with maintenance by host, by path and by id", () => {
    const maintenance = ["git.example.org", "s/p", "s/p/t", 1].map((scope) => ({ ...window, scope }));
    expect(problemsIn(withMaintenance(...maintenance))).toEqual([]);
  });

  test("with 2,000 targets", () => {
    expect(listNodes(largeConfig(2000))).toHaveLength(4000);
  });
});

test("a suggested name is always valid", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: "grapheme" })), (text) => {
      const [, suggested] = /; write "([^"]*)"$/.exec(nameProblem(text) ?? "") ?? [];
      expect(suggested === undefined ? undefined : nameProblem(suggested)).toBeUndefined();
    }),
  );
});
