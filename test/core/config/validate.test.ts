import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nameProblem } from "../../../src/core/base/text/name.ts";
import { listNodes } from "../../../src/core/config/nodes.ts";
import { outline } from "../../../src/core/config/outline.ts";
import { slashlessFits } from "../../../src/core/config/rules.ts";
import { validateConfig } from "../../../src/core/config/validate.ts";
import { configFrom, inputErrorOf, mirrorsJson as feed } from "../../support/mirrors-json.ts";

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

const named = (system: unknown): object => systemsNamed(system);

function problemsOf(value: unknown): string {
  return problemsOfText(JSON.stringify(value, null, 2));
}

function problemsOfText(text: string): string {
  return inputErrorOf(() => validateConfig(text, "mirrors.json"));
}

const node = "systems[0].projects[0].targets[0].network";
const window = { scope: 1, from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z", reason: "disks" };

/** Tests each row: the problems of `make(value)` must include `place` followed by `message`. */
function refuses<Value>(
  place: string,
  make: (value: Value) => unknown,
  rows: readonly (readonly [value: Value, message: string])[],
): void {
  test.each(rows)("%j", (value, message) => {
    expect(problemsOf(make(value))).toContain(`${place}${message}`);
  });
}

describe("a configuration is refused with the place and the remedy", () => {
  refuses("", (value: unknown) => value, [
    [[], "the file: must be an object"],
    [{}, "systems: is missing; it must be an array"],
    [{ systems: [] }, "systems: must not be empty"],
    [{ systems: [{ system: "a", projects: [] }] }, "systems[0].projects: must not be empty"],
    [feed([]), `${node}: must not be empty`],
    [
      feed([good], { sytems: [] }),
      "sytems: is not a known key; did you mean systems? Known keys: $schema, systems",
    ],
    [
      feed([good], {}, { primary: 9 }),
      "targets[0].primary: 9 is not the id of a mirror of this target; write one of 1",
    ],
    [
      systemsNamed("alpha", "ALPHA"),
      'systems[1].system: "ALPHA" is already the name of systems[0], since case is ignored',
    ],
    [systemsNamed("beta", "beta"), 'systems[1].system: "beta" is already the name of systems[0]'],
    [
      { ...named("index"), site: { slashless: true } },
      'systems[0].system: "index" cannot be used with site.slashless, since index.html is already the page of the folder above',
    ],
    [
      { ...systemsNamed("packages.html", "packages"), site: { slashless: true } },
      'systems[0].system: "packages.html" cannot be used with site.slashless, since a file of that name is already the page of systems[1]; choose another name',
    ],
  ]);

  refuses("", named, [
    [
      "Community",
      'systems[0].system: "Community" must be lower case, since some file systems ignore case; write "community"',
    ],
    ["My Target", 'some file systems ignore case; write "my-target" (line'],
    [" a  b. ", 'not end with a dot; write "a-b" (line'],
    ["é", "not end with a dot (line"],
    ["../etc", "must not contain two dots in a row"],
    ["a/b", "must contain only a-z"],
    ["a\\b", "must contain only a-z"],
    ["", "is empty; give it a name"],
    ["a\u0007", '"a\\u0007" must contain only'],
    ["a\u202eb", '"a\\u202eb" must contain only'],
    ["__proto__", "must contain only a-z"],
    ["index.json", "is reserved for the"],
    ["con", "is a device name on Windows"],
    ["lpt1.txt", "is a device name on Windows"],
    ["a.", "not end with a dot"],
    [".git", "must contain only"],
    ["a".repeat(101), "is longer than 100 characters"],
    [1, "systems[0].system: must be a string"],
  ]);

  refuses(`${node}[0]`, (more: object) => feed([{ ...good, ...more }]), [
    [
      { status: 1 },
      ".status: is not a known key; known keys: id, name, url, country, weight, contact, probe, freshness",
    ],
    [{ "\n::error::x": 1 }, `["\\u000a::error::x"]: is not a known key`],
    [{ country: "DEU" }, ".country: must be a two-letter country code"],
    [{ country: "uk" }, '.country: "UK" is not in ISO 3166-1; write "GB"'],
    [{ weight: 0 }, ".weight: must be 1 or more"],
    [{ weight: 1.5 }, ".weight: must be a whole number"],
    [{ id: "1" }, ".id: must be a whole number"],
    [{ id: 1.5 }, ".id: must be a whole number"],
    [{ id: 0 }, ".id: must be 1 or more"],
    [{ id: undefined }, ".id: is missing; it must be a whole number"],
    [{ name: "\u001b[31mred" }, ".name: has control or invisible characters"],
    [{ name: " " }, ".name: is empty"],
    [{ probe: { attempts: 11 } }, ".probe.attempts: must be 10 or less"],
    [{ probe: { concurrency: 1 } }, ".probe.concurrency: is not a known key"],
    [
      { probe: { kind: "http", git: { refs: "HEAD" } } },
      ".probe.git: has no effect, since no mirror here is of kind git",
    ],
  ]);

  refuses("", (url: string) => feed([{ id: 1, url }]), [
    ["packages", '"packages" is not a URL'],
    ["ftp://example.org/a", 'has the scheme "ftp"; only http and https are probed'],
    ["javascript:alert(1)", "only http and https are probed"],
    ["https://me:secret@example.org/a", "contains credentials"],
    ["https://me@example.org/a", "contains credentials"],
    ["https://:secret@example.org/a", "contains credentials"],
    ["https://example.org/a#b", "has a fragment"],
    ["https://example.org/a#", "has a fragment"],
    ["https://example.org/a?b", "has a query, but a Git repository has none"],
    ["https://example.org/a?", "has a query, but a Git repository has none"],
    ["https://127.1/a", 'is not normalized; write "https://127.0.0.1/a"'],
    ["https://EXAMPLE.org/a", 'write "https://example.org/a"'],
    ["https://example.org/a/../b", 'write "https://example.org/b"'],
    ["https://example.org/\u202ea", "contains invisible characters"],
    [`https://example.org/${"a".repeat(2000)}`, "is longer than 2000 characters"],
  ]);

  refuses(`${node}[1].`, (second: object) => feed([good, { ...other, ...second }]), [
    [{ id: 1 }, `id: 1 is already the id of ${node}[0]; the next free one is 2`],
    [{ url: good.url }, `url: "${good.url}" is already the URL of ${node}[0]; remove one`],
    [{ url: `${good.url}/` }, `url:`],
    [{ url: `${good.url}//` }, `url:`],
  ]);

  refuses("probe.", (probe: object) => feed([good], { probe }), [
    [{ kind: "ping" }, 'kind: must be one of "apt", "git", "http", "pacman", "rpm"'],
    [{ timeout: "0s" }, "timeout: must be 100ms or longer"],
    [{ apt: { suite: "sid" } }, "apt: has no effect, since no mirror here is of kind apt; remove it, or set"],
    [{ http: { expectStatus: 99 } }, "http.expectStatus: must be 100 or more"],
    [{ http: { expectStatus: "2xx" } }, "http.expectStatus: must be an HTTP status such as 200"],
    [{ http: { content: {} } }, "http.content: is empty; set one or more"],
    [
      { http: { content: { sha256: "A".repeat(64) } } },
      'http.content.sha256: must be "reference", or a SHA-256 digest',
    ],
    [{ http: { content: { size: 0 } } }, "http.content.size: must be"],
    [
      { http: { content: { size: 9, sha256: "reference" } } },
      'http.content: has a size, so the body is not read; replace "reference" with the digest, or remove size',
    ],
    [
      { http: { content: { size: 9, text: "a" } } },
      "http.content: has a size, so the body is not read; remove size, or remove text",
    ],
    [
      { http: { content: { size: 9, timestamp: { format: "epoch" } } } },
      "http.content: has a size, so the body is not read; remove size, or remove text and timestamp",
    ],
    [{ http: { content: { files: ["/a"] } } }, "http.content.files[0]: must be a path relative to the URL"],
    [
      { http: { content: { timestamp: { header: "date", pointer: "/a" } } } },
      "http.content.timestamp: has both a header and a pointer; remove one of them",
    ],
    [
      { http: { content: { timestamp: { file: "a" } } } },
      "http.content.timestamp.file: is not a known key; known keys: path, header, pointer, format",
    ],
    [{ controls: Array(17).fill("https://example.org/") }, "controls: must have 16 entries or fewer"],
    [{ controls: ["example.org"] }, 'controls[0]: "example.org" has no scheme; write "https://example.org"'],
    [{ controls: [80] }, 'controls[0]: must be a URL, or { "url":'],
    [{ controls: [{ url: "http://example.org/" }] }, 'controls[0]: must be a URL, or { "url":'],
    [
      { controls: [{ url: "http://example.org/", text: " " }] },
      "controls[0].text: is empty; write some text from the answer",
    ],
    [
      { controls: [{ url: "http://example.org/", text: "x".repeat(201) }] },
      "controls[0].text: is longer than 200 characters; shorten it",
    ],
  ]);

  refuses("freshness.", (freshness: object) => feed([good], { freshness }), [
    [{ offlineAfter: "24" }, "offlineAfter: must be a duration such as 10s, 30m, 24h or 7d"],
    [{ offlineAfter: "367d" }, "offlineAfter: must be 366d or shorter"],
    [{ grace: "28" }, "grace: must be a duration such as 10s, 30m, 24h or 7d"],
    [{ grace: "367d" }, "grace: must be 366d or shorter"],
    [
      { codes: ["nope"] },
      'codes[0]: must be one of "missing_file", "wrong_size", "half_synced", "expired", "no_fetch"',
    ],
    [
      { grace: "1h", states: ["behind"] },
      "states: has no effect without offlineAfter; add offlineAfter, or remove this key",
    ],
  ]);

  refuses("site.", (site: object) => feed([good], { site }), [
    [{ url: "https://me@example.org/" }, "url: contains credentials"],
    [{ url: "status" }, 'url: "status" is not a URL'],
    [{ url: "https://example.org/?a" }, "url: has a query"],
    [{ url: "https://example.org/x/?" }, "url: has a query; remove the ? and everything after it"],
    [{ url: "https://example.org/x/#" }, 'url: "https://example.org/x/#" has a fragment'],
    [{ url: "https://example.org/a'b/" }, "url: has a path with characters"],
    [{ url: "https://example.org/.git/" }, "url: has a path with characters"],
    [{ host: "geocities" }, "host: must be one of"],
    [
      { host: "nginx", slashless: true },
      'slashless: only works with the host "github-pages"; remove it, since "nginx" serves paths without a trailing slash as JSON',
    ],
  ]);

  refuses("maintenance[0].", (changes: object) => withMaintenance({ ...window, ...changes }), [
    [{ scope: "nowhere.example" }, 'scope: "nowhere.example" is not a host, path or id in this file'],
    [
      { scope: good.url },
      'scope: "https://git.example.org/joomla/packages" is not a host, path or id in this file; did you mean "git.example.org"?',
    ],
    [
      { scope: "https://git.example.org" },
      'scope: "https://git.example.org" is not a host, path or id in this file; did you mean "git.example.org"?',
    ],
    [
      { scope: "git.example.org:8443" },
      'scope: "git.example.org:8443" is not a host, path or id in this file; did you mean "git.example.org"?',
    ],
    [
      { scope: "git.example.org:443" },
      'scope: "git.example.org:443" is not a host, path or id in this file; did you mean "git.example.org"?',
    ],
    [{ scope: 9 }, "scope: 9 is not a host, path or id in this file"],
    [{ scope: "s" }, 'scope: "s" is not a host, path or id in this file'],
    [{ to: window.from }, "to: must be later than from"],
    [{ from: window.to, to: window.from }, "to: must be later than from"],
    [{ from: "tomorrow" }, "from: must be a timestamp in UTC"],
  ]);

  test.each<[unknown, string[]]>([
    [
      { systems: [null, 1, "a", [], { system: "a", projects: [null] }] },
      [
        ...[0, 1, 2, 3].map((index) => `systems[${index}]: must be an object`),
        "systems[4].projects[0]: must be an object",
      ],
    ],
    [
      feed([{ url: good.url }, { url: other.url }]),
      [0, 1].map((index) => `${node}[${index}].id: is missing; it must be a whole number`),
    ],
    [
      feed(
        [
          { id: 1, url: 5 },
          { id: 2, url: ["https://example.org/?a"] },
        ],
        { maintenance: [{ ...window, scope: "example.org" }] },
      ),
      [
        ...[0, 1].map((index) => `${node}[${index}].url: must be a string`),
        'maintenance[0].scope: "example.org" is not a host, path or id in this file; write a host, a path such as system/project/target, or an id',
      ],
    ],
    [
      feed([{ ...good, id: "1" }, other], { maintenance: [{ ...window, scope: 1 }] }, { primary: 1 }),
      [`${node}[0].id: must be a whole number`],
    ],
    [
      feed([{ ...good, url: "git.example.org/a" }], {
        maintenance: [{ ...window, scope: "git.example.org" }],
        contacts: { "git.example.org": "ops" },
        channels: { ops: { type: "webhook", urlEnv: "HOOK" } },
      }),
      [`${node}[0].url: "git.example.org/a" has no scheme; write "https://git.example.org/a"`],
    ],
    [
      feed([], {}, { primary: 1 }),
      [`${node}: must not be empty; add an entry, or remove the object around it`],
    ],
    [
      {
        systems: [
          {
            system: "s",
            projects: [
              { project: "p", targets: ["t", "t"].map((target) => ({ target, network: [good, other] })) },
            ],
          },
        ],
      },
      [
        'systems[0].projects[0].targets[1].target: "t" is already the name of systems[0].projects[0].targets[0], since case is ignored; choose another',
      ],
    ],
    [
      feed([{ ...good, url: "https://git.example.org:8443/a" }], {
        maintenance: [{ ...window, scope: "git.example.org" }],
        contacts: { "git.example.org": "ops" },
        channels: { ops: { type: "webhook", urlEnv: "HOOK" } },
      }),
      [
        'maintenance[0].scope: "git.example.org" is not a host, path or id in this file; did you mean "git.example.org:8443"?',
        'contacts["git.example.org"]: "git.example.org" is not a host in this file; did you mean "git.example.org:8443"?',
      ],
    ],
    [
      feed([good], {
        notify: { to: ["ops"], events: ["offline"], certificateDays: 30 },
        channels: { ops: { type: "webhook", urlEnv: "HOOK" } },
      }),
      [
        'notify.certificateDays: has no effect, since this rule does not cover certificates; add "certificate" to events, or remove this key',
      ],
    ],
    [
      feed([{ id: 1, url: "https://example.org/?a", probe: { kind: 5 } }]),
      [
        `${node}[0].probe.kind: must be one of "apt", "git", "http", "pacman", "rpm"`,
        `${node}[0].url: has a query, but a Git repository has none; remove the ? and everything after it, or probe it as http`,
      ],
    ],
    [
      feed([
        { ...good, node: "a b" },
        { ...other, node: "a b", "a b": 1 },
      ]),
      [
        ...["[0].node", "[1].node", '[1]["a b"]'].map(
          (path) =>
            `${node}${path}: is not a known key; known keys: id, name, url, country, weight, contact, probe, freshness`,
        ),
      ],
    ],
    [{ ...named(5), maintenance: [{ ...window, scope: "5/p" }] }, ["systems[0].system: must be a string"]],
    [
      { ...feed([good]), probe: { controls: "https://control.example.org/" }, maintenance: "" },
      ["probe.controls: must be an array", "maintenance: must be an array"],
    ],
    [
      withMaintenance(null, { scope: true, from: 5, to: 3, reason: "disks" }),
      [
        "maintenance[0]: must be an object",
        "maintenance[1].scope: must be a host, a path such as system/project/target, or the id of a mirror",
        ...["from", "to"].map(
          (key) => `maintenance[1].${key}: must be a timestamp in UTC; write it as 2026-01-31T08:00:00Z`,
        ),
      ],
    ],
  ])("%j has one problem for each fault", (value, problems) => {
    const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
    const lines = problems.map((problem) => `  ${problem} (line 1)`);
    expect(problemsOfText(JSON.stringify(value))).toBe([`mirrors.json has ${count}:`, ...lines].join("\n"));
  });

  test("every problem at once, with its line", () => {
    const message = problemsOf(
      feed(
        [
          { ...good, color: "red" },
          { id: 1, url: "gopher://example.org" },
        ],
        { probe: { attempts: 0 } },
      ),
    );
    expect(message).toContain("mirrors.json has 4 problems:");
    expect(message).toMatch(/network\[0\]\.color: .*\(line 15\)/);
    expect(message).toMatch(/network\[1\]\.id: 1 is already.*\(line \d+\)/);
    expect(message).toMatch(/network\[1\]\.url: .*gopher/);
    expect(message).toMatch(/probe\.attempts: must be 1 or more/);
  });

  test("what is missing, with the line of what lacks it", () => {
    expect(problemsOfText('\n{ "systems": [\n{ "system": "a" }\n] }')).toBe(
      "mirrors.json has 1 problem:\n  systems[0].projects: is missing; it must be an array (line 3)",
    );
  });

  test("the first 200 of many problems, and how many more there are", () => {
    const linesOf = (count: number): string[] =>
      problemsOf(
        feed(
          Array.from({ length: count }, (_, index) => ({ id: -index, url: `https://example.org/${index}` })),
        ),
      ).split("\n");
    expect(linesOf(200)).toHaveLength(201);
    expect(linesOf(200).at(-1)).toMatch(/^ {2}.*network\[199\]\.id: must be 1 or more/);
    expect(linesOf(217)).toHaveLength(202);
    expect(linesOf(217)[0]).toBe("mirrors.json has 217 problems:");
    expect(linesOf(217).at(-1)).toBe("  … and 17 more");
  });

  test.each<[string, string]>([
    ['{\n  "systems": [],\n}', "line 3, column 1: "],
    ['{ "a": 1 "b": 2 }', "line 1, column 10: expected a comma before this"],
    ['{\n  // no\n  "systems": [] }', "line 2, column 3: JSON does not allow comments"],
    ['{ "systems": [', "line 1, column 15: the [ at line 1, column 14 is not closed; add ]"],
    [
      '{\n "systems": [\n}',
      "line 3, column 1: the [ at line 2, column 13 is not closed; add ] before this }",
    ],
    [
      '{\n "systems": [{ "system": "a" }\n,\n "probe": {} }',
      'line 4, column 2: the [ at line 2, column 13 is not closed; add ] before "probe"',
    ],
    ['{ "a": "[", "b" }', "line 1, column 17: expected a colon"],
    ['{ "systems: [] }', "line 1, column 3: this string has no closing double quote"],
    ["", "line 1, column 1: "],
    ["<html>", "line 1, column 1: "],
    ['{ "a": tru, "b": fals }', "line 1, column 8: unexpected text"],
    ['{"systems": "\\u12"}', "\\u needs four hexadecimal digits"],
  ])("JSON syntax with line and column of the first error only: %s", (text, message) => {
    const [title, ...lines] = problemsOfText(text).split("\n");
    expect(title).toBe("mirrors.json is not JSON:");
    expect(lines).toEqual([expect.stringContaining(message)]);
  });

  test("a name that stands twice, which JSON.parse would drop silently", () => {
    const text = JSON.stringify(feed([good])).replace('"project":"p"', '"project":"old","project":"p"');
    expect(problemsOfText(text)).toContain("systems[0].projects[0].project: is repeated in this object");
  });

  test("__proto__ as a key neither pollutes nor passes", () => {
    expect(problemsOfText('{"systems":[{"__proto__":{"a":1},"system":"a","projects":[]}]}')).toContain(
      "__proto__",
    );
    expect(Object.prototype).not.toHaveProperty("a");
  });

  test("nesting without end", () => {
    expect(problemsOfText("[".repeat(200_000))).not.toBe("");
    expect(problemsOfText(`{"systems":${"[".repeat(100_000)}${"]".repeat(100_000)}}`)).not.toBe("");
  });
});

describe("a configuration that is right", () => {
  test.each([
    "https://example.org",
    "https://example.org/",
    "https://example.org/?a=b",
    "http://example.org:8080/a%20b",
  ])("accepts the URL %s", (url) => {
    expect(problemsOf(feed([{ id: 1, url, probe: { kind: "http" } }]))).toBe("");
  });

  test("accepts a name of 100 characters, and a URL of 2000", () => {
    expect(problemsOf(named("a".repeat(100)))).toBe("");
    expect(problemsOf(feed([{ id: 1, url: "https://example.org/".padEnd(2000, "a") }]))).toBe("");
  });

  test("takes what a level inherits and does not use, and what only some mirrors use", () => {
    const nodes = [{ ...good, probe: { kind: "http" } }, other];
    const settings = { probe: { git: { refs: "HEAD" }, http: { expectStatus: 204 } } };
    expect(problemsOf(feed(nodes, settings))).toBe("");
    const rule = { freshness: { offlineAfter: "24h", states: ["behind"] } };
    expect(problemsOf(feed([{ ...good, freshness: { codes: ["expired"] } }, other], rule))).toBe("");
    expect(
      problemsOf(feed([{ ...good, freshness: { grace: "8h" } }, other], { freshness: { grace: "2h" } })),
    ).toBe("");
  });

  test("takes maintenance by host, by path and by id", () => {
    const maintenance = ["git.example.org", "s/p", "s/p/t", 1].map((scope) => ({ ...window, scope }));
    expect(problemsOf(withMaintenance(...maintenance))).toBe("");
  });

  test("may hold 10,000 targets", () => {
    const targets = Array.from({ length: 10_000 }, (_, index) => ({
      target: `t${index}`,
      network: Array.from({ length: 4 }, (_, copy) => ({
        id: index * 4 + copy + 1,
        url: `https://m${copy}.example.org/t/${index}`,
      })),
    }));
    const systems = [{ system: "big", projects: [{ project: "all", targets }] }];
    expect(listNodes(configFrom({ systems }))).toHaveLength(40_000);
  });
});

test("a name that a message suggests is never refused", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: "grapheme" })), (text) => {
      const [, suggested] = /; write "([^"]*)"$/.exec(nameProblem(text) ?? "") ?? [];
      expect(suggested === undefined ? undefined : nameProblem(suggested)).toBeUndefined();
    }),
  );
});

describe("site.slashless", () => {
  const slashless = { site: { host: "github-pages", slashless: true } };

  test("takes many names without comparing each with all", () => {
    const targets = Array.from({ length: 20_000 }, (_, index) => ({ target: `t${index}.html`, network: [] }));
    const systems = [{ system: "s", projects: [{ project: "jcb", targets }] }];
    const start = performance.now();
    expect(slashlessFits(outline({ systems }), slashless)).toEqual([]);
    // Comparing every pair would take 22 s.
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  test("leaves a name that is not a text to its own problem, and tells those below it", () => {
    const projects = [{ project: "jcb", targets: [{ target: "index", network: [good] }] }];
    const validate = (): unknown => configFrom({ systems: [{ system: 7, projects }], ...slashless });
    expect(validate).toThrow(/systems\[0\]\.system: (?!.*slashless)/);
    expect(validate).toThrow(
      'systems[0].projects[0].targets[0].target: "index" cannot be used with site.slashless',
    );
  });
});

test("a key with a typing error is one problem, not also one that is missing", () => {
  const withKey = (key: string): string =>
    problemsOfText(JSON.stringify(feed([good])).replace('"url":', `"${key}":`));
  expect(withKey("ulr")).toMatch(/has 1 problem:\n.*\[0\]\.ulr: is not a known key; did you mean url\?/);
  expect(withKey("address")).toMatch(/has 2 problems:/);
});
