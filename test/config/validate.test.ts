import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { basePath, type Config, configJsonSchema } from "../../src/config/schema.ts";
import { nameProblem } from "../../src/base/text/name.ts";
import { listNodes } from "../../src/config/nodes.ts";
import { outline } from "../../src/config/outline.ts";
import { slashlessFits } from "../../src/config/rules.ts";
import { validateConfig } from "../../src/config/validate.ts";
import { InputError } from "../../src/base/errors.ts";

interface Node {
  id: unknown;
  url: unknown;
  [key: string]: unknown;
}

function feed(network: Node[], more: object = {}, target: object = {}): object {
  const targets = [{ target: "packages", network, ...target }];
  return { systems: [{ system: "community", projects: [{ project: "jcb", targets }] }], ...more };
}

const good: Node = { id: 1, url: "https://git.example.org/joomla/packages" };
const other: Node = { id: 2, url: "https://mirror.example.org/joomla/packages" };

function withNode(more: object): object {
  return feed([{ ...good, ...more }]);
}

function withProbe(probe: object): object {
  return feed([good], { probe });
}

function withSite(site: object): object {
  return feed([good], { site });
}

function withMaintenance(maintenance: unknown): object {
  return feed([good], { maintenance });
}

function problemsOf(value: unknown): string {
  return problemsOfText(typeof value === "string" ? value : JSON.stringify(value, null, 2));
}

function parsed(value: unknown): Config {
  return validateConfig(JSON.stringify(value), "mirrors.json");
}

function problemsOfText(text: string): string {
  try {
    validateConfig(text, "mirrors.json");
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
  return "";
}

const node = "systems[0].projects[0].targets[0].network";

function named(name: unknown): object {
  return {
    systems: [{ system: name, projects: [{ project: "jcb", targets: [{ target: "a", network: [good] }] }] }],
  };
}

function located(url: unknown): object {
  return feed([{ id: 1, url }]);
}

const window = { scope: 1, from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z", reason: "disks" };

describe("a configuration is refused with the place and the remedy", () => {
  test.each<[string, unknown, string]>([
    ["no object", [], "the file: must be an object"],
    ["nothing", {}, "systems: is missing; it must be an array"],
    ["no systems", { systems: [] }, "systems: must not be empty"],
    ["no projects", { systems: [{ system: "a", projects: [] }] }, "systems[0].projects: must not be empty"],
    ["no nodes", feed([]), `${node}: must not be empty`],
    [
      "an unknown key at the top",
      feed([good], { sytems: [] }),
      "sytems: is not a known key; did you mean systems? Known here: $schema, systems",
    ],
    [
      "an unknown key of a node",
      withNode({ status: 1 }),
      `${node}[0].status: is not a known key; known here: id, name, url, country, weight, contact, probe, freshness`,
    ],
    ["a hostile key", withNode({ "\n::error::x": 1 }), `${node}[0]["\\u000a::error::x"]: is not a known key`],
    ["a country of three letters", withNode({ country: "DEU" }), "[0].country: must be a country of two"],
    [
      "a country that ISO lacks",
      withNode({ country: "uk" }),
      '[0].country: "UK" is not in ISO 3166-1; write "GB"',
    ],
    ["a weight of zero", withNode({ weight: 0 }), `${node}[0].weight: must be 1 or more`],
    ["a weight between numbers", withNode({ weight: 1.5 }), `${node}[0].weight: must be a whole number`],
    ["an id that is not a number", withNode({ id: "1" }), `${node}[0].id: must be a whole number`],
    ["a broken id", withNode({ id: 1.5 }), `${node}[0].id: must be a whole number`],
    ["an id of zero", withNode({ id: 0 }), `${node}[0].id: must be 1 or more`],
    ["no id", feed([{ url: good.url } as Node]), `${node}[0].id: is missing; it must be a whole number`],
    [
      "an id twice",
      feed([good, { ...other, id: 1 }]),
      `${node}[1].id: 1 is already the id of ${node}[0]; the next free one is 2`,
    ],
    [
      "an id twice beside a gap, whose number may have been another node's",
      feed([
        { ...good, id: 7 },
        { ...other, id: 7 },
      ]),
      `${node}[1].id: 7 is already the id of ${node}[0]; the next free one is 8`,
    ],
    [
      "a URL twice",
      feed([good, { ...good, id: 2 }]),
      `${node}[1].url: "https://git.example.org/joomla/packages" is already the URL of ${node}[0]`,
    ],
    [
      "a URL twice except for a slash",
      feed([good, { id: 2, url: `${String(good.url)}/` }]),
      `${node}[1].url:`,
    ],
    [
      "a URL twice except for slashes",
      feed([good, { id: 2, url: `${String(good.url)}//` }]),
      `${node}[1].url:`,
    ],
    [
      "a primary from elsewhere",
      feed([good, other], {}, { primary: 9 }),
      "targets[0].primary: 9 is not the id of a node of this target; write one of 1, 2",
    ],
    [
      "a name with capitals",
      named("Community"),
      'systems[0].system: "Community" must be lower case, since some file systems cannot tell the two apart; write "community"',
    ],
    [
      "a name with capitals and a space",
      named("My Target"),
      '"My Target" must be lower case, since some file systems cannot tell the two apart; write "my-target" (line',
    ],
    ["a name with spaces around", named(" a  b. "), 'does not end with a dot; write "a-b" (line'],
    ["a name without a letter", named("é"), "does not end with a dot (line"],
    ["a name that climbs", named("../etc"), "must not contain two dots in a row"],
    ["a name with a slash", named("a/b"), "may hold only a-z"],
    ["a name with a backslash", named("a\\b"), "may hold only a-z"],
    ["an empty name", named(""), "is empty; give it a name"],
    ["a name with a control character", named("a\u0007"), '"a\\u0007" may hold only'],
    ["a name with a bidi override", named("a\u202eb"), '"a\\u202eb" may hold only'],
    ["__proto__", named("__proto__"), "may hold only a-z"],
    ["index.json", named("index.json"), "is kept for the documents"],
    ["a device name", named("con"), "is a device name on Windows"],
    ["a device name with an ending", named("lpt1.txt"), "is a device name on Windows"],
    ["a name that ends with a dot", named("a."), "does not end with a dot"],
    ["a dot file", named(".git"), "may hold only"],
    ["a long name", named("a".repeat(101)), "is longer than 100 characters"],
    ["a name that is not a string", named(1), "systems[0].system: must be a string"],
    ["an invalid URL", located("packages"), '"packages" is not a URL'],
    [
      "a scheme that is not probed",
      located("ftp://example.org/a"),
      'has the scheme "ftp"; only http and https are probed',
    ],
    ["javascript", located("javascript:alert(1)"), "only http and https are probed"],
    ["credentials", located("https://me:secret@example.org/a"), "holds credentials"],
    ["a user alone", located("https://me@example.org/a"), "holds credentials"],
    ["a password alone", located("https://:secret@example.org/a"), "holds credentials"],
    ["a fragment", located("https://example.org/a#b"), "has a fragment"],
    ["an empty fragment", located("https://example.org/a#"), "has a fragment"],
    ["a query of a git mirror", located("https://example.org/a?b"), "a Git repository has no query"],
    ["an empty query of a git mirror", located("https://example.org/a?"), "a Git repository has no query"],
    ["a short address", located("https://127.1/a"), 'is not in its normal form; write "https://127.0.0.1/a"'],
    ["a host in capitals", located("https://EXAMPLE.org/a"), 'write "https://example.org/a"'],
    ["dots in a path", located("https://example.org/a/../b"), 'write "https://example.org/b"'],
    ["a bidi override in a URL", located("https://example.org/\u202ea"), "holds invisible characters"],
    ["a long url", located(`https://example.org/${"a".repeat(2000)}`), "is longer than 2000 characters"],
    [
      "an escape in a label",
      withNode({ name: "\u001b[31mred" }),
      `${node}[0].name: has control or invisible characters`,
    ],
    ["an empty label", withNode({ name: " " }), `${node}[0].name: is empty`],
    [
      "an unknown kind",
      withProbe({ kind: "ping" }),
      'probe.kind: must be one of "apt", "git", "http", "pacman", "rpm"',
    ],
    ["a deadline of nothing", withProbe({ timeout: "0s" }), "probe.timeout: must be 100ms or longer"],
    [
      "too many attempts",
      withNode({ probe: { attempts: 11 } }),
      `${node}[0].probe.attempts: must be 10 or less`,
    ],
    [
      "concurrency in an override",
      withNode({ probe: { concurrency: 1 } }),
      `${node}[0].probe.concurrency: is not a known key`,
    ],
    [
      "an expected status that is none",
      withProbe({ http: { expectStatus: 99 } }),
      "probe.http.expectStatus: must be 100 or more",
    ],
    [
      "an expected status in words",
      withProbe({ http: { expectStatus: "2xx" } }),
      "probe.http.expectStatus: must be an HTTP status such as 200",
    ],
    [
      "content of nothing",
      withProbe({ http: { content: {} } }),
      "probe.http.content: is empty; write one or more",
    ],
    [
      "a digest in capitals",
      withProbe({ http: { content: { sha256: "A".repeat(64) } } }),
      'probe.http.content.sha256: must be "reference", or a SHA-256 digest',
    ],
    [
      "a file with an absolute path",
      withProbe({ http: { content: { files: ["/a"] } } }),
      "probe.http.content.files[0]: must be a path relative to the URL",
    ],
    [
      "a timestamp of two places",
      withProbe({ http: { content: { timestamp: { header: "date", pointer: "/a" } } } }),
      "probe.http.content.timestamp: has a header and a pointer; keep one of them",
    ],
    [
      "a timestamp of an unknown place",
      withProbe({ http: { content: { timestamp: { file: "a" } } } }),
      "probe.http.content.timestamp.file: is not a known key; known here: path, header, pointer, format",
    ],
    [
      "a duration without a unit",
      feed([good], { freshness: { offlineAfter: "24" } }),
      "freshness.offlineAfter: must be a duration such as 10s, 30m, 24h or 7d",
    ],
    [
      "a duration of more than a year",
      feed([good], { freshness: { offlineAfter: "367d" } }),
      "freshness.offlineAfter: must be 366d or shorter",
    ],
    [
      "a content code that no kind has",
      feed([good], { freshness: { codes: ["nope"] } }),
      'freshness.codes[0]: must be one of "missing_file", "half_synced", "expired"',
    ],
    [
      "options of a kind that no mirror has",
      withProbe({ apt: { suite: "sid" } }),
      "probe.apt: has no effect, since no mirror here is of kind apt; remove it, or set",
    ],
    [
      "options of another kind at a node",
      feed([{ ...good, probe: { kind: "http", git: { refs: "HEAD" } } }, other]),
      "network[0].probe.git: has no effect, since no mirror here is of kind git",
    ],
    [
      "what makes mirrors offline, without a time",
      feed([good], { freshness: { states: ["behind"] } }),
      "freshness.states: has no effect without offlineAfter; add that, or remove this",
    ],
    [
      "more controls than are asked",
      withProbe({ controls: Array(17).fill("https://example.org/") }),
      "probe.controls: must have 16 entries or fewer",
    ],
    [
      "a control that is not a URL",
      withProbe({ controls: ["example.org"] }),
      'probe.controls[0]: "example.org" has no scheme; write "https://example.org"',
    ],
    [
      "a control of another type",
      withProbe({ controls: [80] }),
      'probe.controls[0]: must be a URL, or { "url":',
    ],
    [
      "a control without its text",
      withProbe({ controls: [{ url: "http://example.org/" }] }),
      'probe.controls[0]: must be a URL, or { "url":',
    ],
    [
      "a control with a blank text",
      withProbe({ controls: [{ url: "http://example.org/", text: " " }] }),
      "probe.controls[0].text: is empty; write a text from the answer",
    ],
    [
      "a control with a long text",
      withProbe({ controls: [{ url: "http://example.org/", text: "x".repeat(201) }] }),
      "probe.controls[0].text: is longer than 200 characters; shorten it",
    ],
    ["a site with credentials", withSite({ url: "https://me@example.org/" }), "site.url: holds credentials"],
    ["a site that is nowhere", withSite({ url: "status" }), 'site.url: "status" is not a URL'],
    ["a site with a query", withSite({ url: "https://example.org/?a" }), "site.url: has a query"],
    [
      "a site with an empty query",
      withSite({ url: "https://example.org/x/?" }),
      "site.url: has a query; remove it from the ? on",
    ],
    [
      "a site with an empty fragment",
      withSite({ url: "https://example.org/x/#" }),
      'site.url: "https://example.org/x/#" has a fragment',
    ],
    [
      "a site below an odd path",
      withSite({ url: "https://example.org/a'b/" }),
      "site.url: has a path with characters",
    ],
    [
      "a site below a dot",
      withSite({ url: "https://example.org/.git/" }),
      "site.url: has a path with characters",
    ],
    ["an unknown host", withSite({ host: "geocities" }), "site.host: must be one of"],
    [
      "slashless on another host",
      withSite({ host: "nginx", slashless: true }),
      'site.slashless: is for the host "github-pages" only; remove it, since "nginx" answers paths without a slash as JSON',
    ],
    [
      "slashless with a target that has the file of another",
      {
        systems: [
          {
            system: "community",
            projects: [
              {
                project: "jcb",
                targets: [
                  { target: "packages.html", network: [other] },
                  { target: "packages", network: [good] },
                ],
              },
            ],
          },
        ],
        site: { slashless: true },
      },
      'systems[0].projects[0].targets[0].target: "packages.html" cannot be used with site.slashless, since the file of that name answers for systems[0].projects[0].targets[1]; choose another name',
    ],
    [
      "slashless with a name that is a page's",
      { ...named("index"), site: { slashless: true } },
      'systems[0].system: "index" cannot be used with site.slashless, since its file index.html would be the page of the folder above',
    ],
    [
      "maintenance of nothing",
      withMaintenance([{ ...window, scope: "nowhere.example" }]),
      'maintenance[0].scope: "nowhere.example" is not a host, path or id of this file',
    ],
    [
      "maintenance of an id that is none",
      withMaintenance([{ ...window, scope: 9 }]),
      "maintenance[0].scope: 9 is not a host, path or id of this file",
    ],
    [
      "maintenance of a whole system",
      withMaintenance([{ ...window, scope: "community" }]),
      'maintenance[0].scope: "community" is not a host, path or id of this file',
    ],
    [
      "maintenance that ends as it begins",
      withMaintenance([{ ...window, to: window.from }]),
      "maintenance[0].to: must be later than from",
    ],
    [
      "maintenance that ends first",
      withMaintenance([{ ...window, from: window.to, to: window.from }]),
      "maintenance[0].to: must be later than from",
    ],
    [
      "maintenance without a time",
      withMaintenance([{ ...window, from: "tomorrow" }]),
      "maintenance[0].from: must be a timestamp in UTC",
    ],
  ])("%s", (_, value, message) => {
    expect(problemsOf(value)).toContain(message);
  });

  test.each<[string, unknown, string[]]>([
    [
      "entries that are no objects",
      { systems: [null, 1, "a", [], { system: "a", projects: [null] }] },
      [
        ...[0, 1, 2, 3].map((index) => `systems[${index}]: must be an object`),
        "systems[4].projects[0]: must be an object",
      ],
    ],
    [
      "nodes without an id",
      feed([{ url: good.url } as Node, { url: other.url } as Node]),
      [0, 1].map((index) => `${node}[${index}].id: is missing; it must be a whole number`),
    ],
    [
      "ids that are none beside one that stands twice",
      feed([
        good,
        { ...other, id: 1 },
        { id: "7", url: "https://c.example.org/" },
        { id: 8.5, url: "https://d.example.org/" },
      ]),
      [
        ...[2, 3].map((index) => `${node}[${index}].id: must be a whole number`),
        `${node}[1].id: 1 is already the id of ${node}[0]; the next free one is 2`,
      ],
    ],
    [
      "urls that are no text, with a maintenance",
      feed(
        [
          { id: 1, url: 5 },
          { id: 2, url: ["https://example.org/?a"] },
        ],
        { maintenance: [{ ...window, scope: "example.org" }] },
      ),
      [
        ...[0, 1].map((index) => `${node}[${index}].url: must be a string`),
        'maintenance[0].scope: "example.org" is not a host, path or id of this file; write git.example.org, system/project/target or an id',
      ],
    ],
    [
      "an invalid URL, with a maintenance of it",
      feed([{ id: 1, url: "packages" }], { maintenance: [window] }),
      [`${node}[0].url: "packages" is not a URL; write it as https://host/path`],
    ],
    [
      "a kind that is none, and a query",
      feed([{ id: 1, url: "https://example.org/?a", probe: { kind: 5 } }]),
      [
        `${node}[0].probe.kind: must be one of "apt", "git", "http", "pacman", "rpm"`,
        `${node}[0].url: a Git repository has no query; remove it from the ? on, or probe it as http`,
      ],
    ],
    [
      "keys of nodes that are not known",
      feed([
        { ...good, node: "a b" },
        { ...other, node: "a b", "a b": 1 },
      ]),
      [
        `${node}[0].node: is not a known key; known here: id, name, url, country, weight, contact, probe, freshness`,
        `${node}[1].node: is not a known key; known here: id, name, url, country, weight, contact, probe, freshness`,
        `${node}[1]["a b"]: is not a known key; known here: id, name, url, country, weight, contact, probe, freshness`,
      ],
    ],
    [
      "names that are no text, with a maintenance below one",
      {
        systems: [{ system: 5, projects: [{ project: "jcb", targets: [{ target: "a", network: [good] }] }] }],
        maintenance: [{ ...window, scope: "5/jcb" }],
      },
      [
        "systems[0].system: must be a string",
        'maintenance[0].scope: "5/jcb" is not a host, path or id of this file; write git.example.org, system/project/target or an id',
      ],
    ],
    [
      "timestamps that are not strings",
      withMaintenance([
        { ...window, from: 2100 },
        { ...window, to: 3 },
      ]),
      ["maintenance[0].from", "maintenance[1].to"].map(
        (place) => `${place}: must be a timestamp in UTC; write it as 2026-01-31T08:00:00Z`,
      ),
    ],
    [
      "a text where a list must be",
      { ...feed([good]), probe: { controls: "https://control.example.org/" }, maintenance: "" },
      ["probe.controls: must be an array", "maintenance: must be an array"],
    ],
    [
      "maintenance that is not an object, or has no place and no time",
      withMaintenance([null, { scope: true, from: 5, to: 3, reason: "disks" }]),
      [
        "maintenance[0]: must be an object",
        "maintenance[1].scope: must be a host, a path such as system/project/target, or the id of a node",
        ...["from", "to"].map(
          (key) => `maintenance[1].${key}: must be a timestamp in UTC; write it as 2026-01-31T08:00:00Z`,
        ),
      ],
    ],
  ])("%s have one problem each", (_, value, problems) => {
    const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
    const lines = problems.map((problem) => `  ${problem} (line 1)`);
    expect(problemsOfText(JSON.stringify(value))).toBe([`mirrors.json has ${count}:`, ...lines].join("\n"));
  });

  test("names that differ by case only, and names that are the same", () => {
    const systems = ["alpha", "ALPHA", "beta", "beta"].map((system, index) => ({
      system,
      projects: [
        {
          project: "jcb",
          targets: [{ target: "a", network: [{ id: index + 1, url: `https://example.org/${index}` }] }],
        },
      ],
    }));
    const message = problemsOf({ systems });
    expect(message).toContain(
      'systems[1].system: "ALPHA" is already the name of systems[0], since case is ignored',
    );
    expect(message).toContain('systems[3].system: "beta" is already the name of systems[2]');
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

  test.each<[string, string, string]>([
    ["a comma too many", '{\n  "systems": [],\n}', "line 3, column 1: "],
    ["a missing comma", '{ "a": 1 "b": 2 }', "line 1, column 10: a comma is expected before this"],
    ["a comment", '{\n  // no\n  "systems": [] }', "line 2, column 3: JSON has no comments"],
    ["an open brace", '{ "systems": [', "line 1, column 15: the [ of line 1, column 14 is not closed; add ]"],
    [
      "a bracket that is not closed",
      '{\n "systems": [\n}',
      "line 3, column 1: the [ of line 2, column 13 is not closed; add ] before this }",
    ],
    [
      "an array that is not closed before a key",
      '{\n "systems": [{ "system": "a" }\n,\n "probe": {} }',
      'line 4, column 2: the [ of line 2, column 13 is not closed; add ] before "probe"',
    ],
    ["a bracket in a text", '{ "a": "[", "b" }', "line 1, column 17: a colon is expected"],
    ["an open text", '{ "systems: [] }', "line 1, column 3: this string has no closing double quote"],
    ["nothing at all", "", "line 1, column 1: "],
    ["HTML", "<html>", "line 1, column 1: "],
    ["more than one syntax error", '{ "a": tru, "b": fals }', "line 1, column 8: unexpected text"],
  ])("JSON syntax with line and column of the first error only: %s", (_, text, message) => {
    const [title, ...lines] = problemsOfText(text).split("\n");
    expect(title).toBe("mirrors.json is not JSON:");
    expect(lines).toEqual([expect.stringContaining(message)]);
  });

  test("a name that stands twice, which JSON.parse would drop silently", () => {
    const text = JSON.stringify(feed([good])).replace('"project":"jcb"', '"project":"old","project":"jcb"');
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
  test("has every default", () => {
    const { probe, site, maintenance } = parsed(feed([good]));
    expect(probe).toEqual({
      kind: "git",
      timeout: "10s",
      attempts: 3,
      failureThreshold: 1,
      successThreshold: 1,
      concurrency: 128,
      perHost: 8,
      controls: [],
      ca: [],
      allowPrivate: false,
      maxRedirects: 20,
      maxBytes: 65_536,
    });
    expect(site).toEqual({
      title: "Mirror status",
      interval: "30m",
      slashless: false,
      host: "github-pages",
      targetFeeds: false,
      language: "en",
      timezone: "UTC",
      links: [],
    });
    expect(maintenance).toEqual([]);
  });

  test("lays overrides over the settings, the nearest last", () => {
    const config = parsed({
      systems: [
        {
          system: "community",
          projects: [
            {
              project: "jcb",
              probe: { timeout: "2s", attempts: 2 },
              targets: [
                {
                  target: "a",
                  probe: { attempts: 5 },
                  network: [good, { ...other, probe: { kind: "http", http: { expectStatus: 204 } } }],
                },
              ],
            },
          ],
        },
      ],
      probe: { timeout: "1s" },
    });
    const [first, second] = listNodes(config);
    expect(first?.settings).toMatchObject({
      kind: "git",
      timeoutMs: 2000,
      attempts: 5,
      options: {},
    });
    expect(second?.settings).toMatchObject({
      kind: "http",
      timeoutMs: 2000,
      attempts: 5,
      options: { expectStatus: [204] },
    });
  });

  test("a country becomes upper case, and neither it nor a weight is inherited", () => {
    const config = parsed(feed([{ ...good, country: "de", weight: 3 }, other]));
    expect(listNodes(config)).toMatchObject([
      { country: "DE", weight: 3 },
      { country: undefined, weight: undefined },
    ]);
  });

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
    expect(problemsOf(located("https://example.org/".padEnd(2000, "a")))).toBe("");
  });

  test("names a node by host, port and path", () => {
    const config = parsed(
      feed([
        { id: 1, url: "http://example.org:8080/a/b/" },
        { ...other, name: "The other" },
      ]),
    );
    expect(listNodes(config).map(({ name }) => name)).toEqual(["example.org:8080/a/b", "The other"]);
  });

  test("takes what a level inherits and does not use, and what only some mirrors use", () => {
    const nodes = [{ ...good, probe: { kind: "http" } }, other];
    const settings = { probe: { git: { refs: "HEAD" }, http: { expectStatus: 204 } } };
    expect(problemsOf(feed(nodes, settings))).toBe("");
    const rule = { freshness: { offlineAfter: "24h", states: ["behind"] } };
    expect(problemsOf(feed([{ ...good, freshness: { codes: ["expired"] } }, other], rule))).toBe("");
  });

  test("takes maintenance by host, by path and by id", () => {
    const maintenance = ["git.example.org", "community/jcb", "community/jcb/packages", 2].map((scope) => ({
      ...window,
      scope,
    }));
    expect(problemsOf(feed([good, other], { maintenance }))).toBe("");
  });

  test("may hold 10,000 targets", () => {
    const targets = Array.from({ length: 10_000 }, (_, index) => ({
      target: `t${index}`,
      network: Array.from({ length: 4 }, (_, copy) => ({
        id: index * 4 + copy + 1,
        url: `https://m${copy}.example.org/t/${index}`,
      })),
    }));
    const text = JSON.stringify({ systems: [{ system: "big", projects: [{ project: "all", targets }] }] });
    expect(listNodes(validateConfig(text, "mirrors.json"))).toHaveLength(40_000);
  });

  test("eleven targets with two mirrors each", () => {
    const config = validateConfig(
      readFileSync("test/support/community-mirrors.json", "utf8"),
      "mirrors.json",
    );
    expect(
      config.systems.map(({ system, projects }) => [system, projects.map(({ project }) => project)]),
    ).toEqual([["community", ["jcb"]]]);
    expect(listNodes(config)).toHaveLength(22);
  });
});

test.each([
  [undefined, ""],
  ["https://example.org", ""],
  ["https://example.org/", ""],
  ["https://example.org/repo", "/repo"],
  ["https://example.org/a/b-c/", "/a/b-c"],
])("a site at %s is mounted at %j", (url, path) => {
  const site = url === undefined ? {} : { url };
  expect(basePath(parsed(feed([good], { site })))).toBe(path);
});

test("a name that a message suggests is never refused", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: "grapheme" })), (text) => {
      const [, suggested] = /; write "([^"]*)"$/.exec(nameProblem(text) ?? "") ?? [];
      expect(suggested === undefined ? undefined : nameProblem(suggested)).toBeUndefined();
    }),
  );
});

describe.each([
  ["mirrors.schema.json", "draft-7", "http://json-schema.org/draft-07/schema#", Ajv],
  ["mirrors.2020-12.schema.json", "draft-2020-12", "https://json-schema.org/draft/2020-12/schema", Ajv2020],
] as const)("public/%s", (file, draft, $schema, Validator) => {
  test("is that of the code; `npx vitest run test/config/validate.test.ts -u` writes it", async () => {
    await expect(`${JSON.stringify(configJsonSchema(draft), null, 2)}\n`).toMatchFileSnapshot(
      `../../public/${file}`,
    );
  });

  test("names its draft, and takes and refuses what the program does", () => {
    expect(configJsonSchema(draft)).toMatchObject({ $schema });
    const check = new Validator({ strict: false, validateFormats: false }).compile(configJsonSchema(draft));
    expect(check(feed([good]))).toBe(true);
    expect(check(withSite({ host: "github-pages" }))).toBe(true);
    for (const wrong of [
      feed([]),
      withNode({ id: 0 }),
      named("A"),
      located("ftp://a"),
      feed([good], { sytems: 1 }),
    ]) {
      expect(check(wrong), JSON.stringify(wrong)).toBe(false);
    }
  });
});

describe("site.slashless", () => {
  const slashless = { site: { host: "github-pages", slashless: true } };

  test("takes ordinary names", () => {
    expect(parsed(feed([good], slashless)).site.slashless).toBe(true);
  });

  test("takes many names without comparing each with all", () => {
    const targets = Array.from({ length: 20_000 }, (_, index) => ({ target: `t${index}.html`, network: [] }));
    const systems = [{ system: "community", projects: [{ project: "jcb", targets }] }];
    const start = performance.now();
    expect(slashlessFits(outline({ systems }), slashless)).toEqual([]);
    expect(performance.now() - start).toBeLessThan(2000);
  });

  test("leaves a name that is not a text to its own problem, and tells those below it", () => {
    const projects = [{ project: "jcb", targets: [{ target: "index", network: [good] }] }];
    const validate = (): unknown => parsed({ systems: [{ system: 7, projects }], ...slashless });
    expect(validate).toThrow(/systems\[0\]\.system: (?!.*slashless)/);
    expect(validate).toThrow(
      'systems[0].projects[0].targets[0].target: "index" cannot be used with site.slashless',
    );
  });
});

test("an escape that is not complete is named as such", () => {
  expect(() => validateConfig('{"systems": "\\u12"}', "mirrors.json")).toThrow(
    "\\u needs four hexadecimal digits",
  );
});

test("a key with a typing error is one problem, not also one that is missing", () => {
  const withKey = (key: string): string =>
    problemsOfText(JSON.stringify(feed([good])).replace('"url":', `"${key}":`));
  expect(withKey("ulr")).toMatch(/has 1 problem:\n.*\[0\]\.ulr: is not a known key; did you mean url\?/);
  expect(withKey("address")).toMatch(/has 2 problems:/);
});
