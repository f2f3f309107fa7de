import { describe, expect, test } from "vitest";
import { InputError } from "../../src/base/errors.ts";
import { listNodes } from "../../src/config/nodes.ts";
import { parseNotice } from "../../src/config/notice.ts";
import { configOf } from "../support/playing.ts";

const nodes = listNodes(configOf());
const times = "title: A title\nfrom: 2026-03-10T12:00:00Z\n";

function parse(text: string, name = "disks"): ReturnType<typeof parseNotice> {
  return parseNotice(text, name, `public/incidents/${name}.md`, nodes, Date.parse("2026-03-10T12:30:00Z"));
}

describe("a notice", () => {
  test("has its head, its mirrors and its text", () => {
    const head = "title: 'Disks: \"new\" <b>'\nmirrors: [9, 2]\ntargets: [s/p/t, z/p]\nstate: monitoring\n";
    const notice = parse(
      `---\n${head}from: 2026-03-10T12:00:00Z\nto: 2026-03-10T13:30:00Z\n---\n# Text\n---\n`,
    );
    expect(notice).toEqual({
      name: "disks",
      title: 'Disks: "new" <b>',
      nodes: new Set([9, 2, 1, 3, 8]),
      gone: [],
      from: Date.parse("2026-03-10T12:00:00Z"),
      to: Date.parse("2026-03-10T13:30:00Z"),
      state: "monitoring",
      markdown: "# Text\n---\n",
    });
  });

  test.each([
    ["without mirrors and targets is an announcement", `---\n${times}---\nText`],
    ["may have lines that end in CRLF", `---\r\n${times.replaceAll("\n", "\r\n")}---\r\nText`],
    ["may have comments, and spaces after its marks", `--- \n# a comment\n${times}---\t\nText`],
  ])("%s", (_, text) => {
    expect(parse(text)).toMatchObject({
      title: "A title",
      nodes: undefined,
      to: undefined,
      markdown: "Text",
    });
  });

  test("may have no text", () => {
    expect(parse(`---\n${times}---`).markdown).toBe("");
  });

  const bomb = Array.from({ length: 12 }, (_, n) =>
    n === 0
      ? "a0: &a0 [x, x, x, x, x, x, x, x]"
      : `a${n}: &a${n} [${Array(8)
          .fill(`*a${n - 1}`)
          .join(", ")}]`,
  ).join("\n");

  test.each<[string, string, string]>([
    ["no head", "Text", 'does not begin with its title and times; begin it with "---\\n'],
    ["a head without an end", `---\n${times}`, "does not begin with its title and times"],
    ["an empty head", "---\n---\n", "does not begin with its title and times"],
    ["a head that is a list", "---\n- 1\n---\n", "the head must be an object"],
    ["a head that is not YAML", "---\ntitle: [\n---\n", "is not valid YAML; correct line"],
    [
      "a repeated key",
      `---\n${times}title: B\n---\n`,
      "is not valid YAML; correct line 3, column 1: Map keys must be unique",
    ],
    ["a bomb of aliases", `---\n${times}${bomb}\n---\n`, "has aliases or merge keys that cannot be resolved"],
    [
      "an unknown key",
      `---\n${times}mirror: [1]\n---\n`,
      "mirror is not a known key; known here: title, mirrors, targets, from, to, state",
    ],
    ["a key of every object", `---\n${times}__proto__: 1\n---\n`, "__proto__"],
    [
      "too many mirrors",
      `---\n${times}mirrors: [${Array(1001).fill(1).join(", ")}]\n---\n`,
      "mirrors has more than 1000 entries; name a path instead",
    ],
    ["no title", "---\nfrom: 2026-03-10T12:00:00Z\n---\n", "title is missing; add it"],
    [
      "a title that is not a text",
      "---\ntitle: 5\nfrom: 2026-03-10T12:00:00Z\n---\n",
      "title must be a string",
    ],
    ["an empty title", "---\ntitle: ' '\nfrom: 2026-03-10T12:00:00Z\n---\n", "title is empty"],
    [
      "an invisible character in its title",
      `---\ntitle: "a\\u202eb"\nfrom: 2026-03-10T12:00:00Z\n---\n`,
      "title has control or invisible characters; remove them",
    ],
    ["no start", "---\ntitle: A\n---\n", "from must be a timestamp in UTC; write it as 2026-01-31T08:00:00Z"],
    [
      "a start that is not a time",
      "---\ntitle: A\nfrom: yesterday\n---\n",
      "from must be a timestamp in UTC; write it as 2026-01-31T08:00:00Z",
    ],
    ["an end before its start", `---\n${times}to: 2026-03-10T11:00:00Z\n---\n`, "to must be later than from"],
    [
      "a state that is not one",
      `---\n${times}state: done\n---\n`,
      "state must be one of investigating, identified, monitoring, resolved, planned",
    ],
    [
      "an end that is missing",
      `---\n${times}state: resolved\n---\n`,
      "to is missing; a resolved incident has an end",
    ],
    [
      "an unknown mirror",
      `---\n${times}mirrors: [1, 12]\n---\n`,
      "mirrors[1]: 12 is not the id of a mirror; write one of mirrors.json",
    ],
    ["a mirror that is not an id", `---\n${times}mirrors: [one]\n---\n`, "mirrors[0] must be a"],
    ["one mirror without a list", `---\n${times}mirrors: 1\n---\n`, "mirrors must be a list, such as [1, 2]"],
    ["an empty list", `---\n${times}mirrors: []\n---\n`, "mirrors is empty; add an entry, or remove the key"],
    [
      "an unknown target",
      `---\n${times}targets: [s/p/other]\n---\n`,
      'targets[0]: "s/p/other" is not a path of mirrors.json; write system/project or system/project/target',
    ],
    [
      "a misspelt target",
      `---\n${times}targets: [s/p/tt]\n---\n`,
      'targets[0]: "s/p/tt" is not a path of mirrors.json; did you mean s/p/t?',
    ],
    ["a system", `---\n${times}targets: [s]\n---\n`, 'targets[0]: "s" is not a path'],
    ["a control character", `---\n${times}---\na\u0008b`, "has control characters; remove them"],
  ])("is refused with %s", (_, text, message) => {
    expect(() => parse(text)).toThrow(InputError);
    expect(() => parse(text)).toThrow(message);
    expect(() => parse(text)).toThrow(/^public\/incidents\/disks\.md/);
  });

  test.each([
    ["Disks", 'the name "Disks" must be lower case'],
    ["a b", "the name"],
    ["..", "the name"],
    ["", "the name is empty"],
    ["con", "is a device name on Windows"],
    ["2026-11-21-1a2b3c", "looks like the name of an automatic incident; choose another name"],
  ])("is refused with the name %j", (name, message) => {
    expect(() => parse(`---\n${times}---\n`, name)).toThrow(message);
  });
});
