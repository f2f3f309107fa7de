import { describe, expect, test } from "vitest";
import { listNodes } from "../../../src/core/config/nodes.ts";
import { parseNotice } from "../../../src/core/config/notice.ts";
import { inputErrorOf } from "../../support/mirrors-json.ts";
import { configOf } from "../../support/playing.ts";

const nodes = listNodes(configOf());
const from = "from: 2026-03-10T12:00:00Z\n";
const times = `title: A title\n${from}`;
const tooMany = Array(1001).fill(1).join(", ");

function parse(text: string, name = "disks"): ReturnType<typeof parseNotice> {
  return parseNotice(text, name, `public/incidents/${name}.md`, nodes);
}

function expectRefusal(text: string, message: string): void {
  const refused = inputErrorOf(() => parse(text));
  expect(refused).toContain(message);
  expect(refused).toMatch(/^public\/incidents\/disks\.md/);
}

describe("a notice", () => {
  test("has its head, its mirrors and its text", () => {
    const head = "title: 'Disks: \"new\" <b>'\nmirrors: [9, 2]\ntargets: [s/p/t, z/p]\nstate: monitoring\n";
    const notice = parse(`---\n${head}${from}to: 2026-03-10T13:30:00Z\n---\n# Text\n---\n`);
    expect(notice).toEqual({
      name: "disks",
      title: 'Disks: "new" <b>',
      nodes: new Set([9, 2, 1, 3, 8]),
      gone: [],
      from: Date.parse("2026-03-10T12:00:00Z"),
      to: Date.parse("2026-03-10T13:30:00Z"),
      state: "monitoring",
      next: undefined,
      markdown: "# Text\n---\n",
      updates: [],
    });
  });

  test("has its updates, the newest first, and the state of the newest", () => {
    const sections =
      "Intro\n\n## 2026-03-10T12:10:00Z identified\n\nA disk.\n\n## Why\n\n## 2026-03-10T12:20:00Z\nSoon.\n";
    const notice = parse(`---\n${times}next: 2026-03-10T14:00:00Z\n---\n${sections}`);
    const at = Date.parse("2026-03-10T12:20:00Z");
    expect(notice).toMatchObject({
      markdown: "Intro\n\n",
      state: undefined,
      next: Date.parse("2026-03-10T14:00:00Z"),
      updates: [
        { at, state: undefined, markdown: "\nSoon.\n" },
        { at: at - 600_000, state: "identified", markdown: "\n\nA disk.\n\n## Why\n\n" },
      ],
    });
  });

  test("ends with an update that is resolved, unless its head says when", () => {
    const resolved = "## 2026-03-10T12:20:00Z resolved\nDone.\n";
    expect(parse(`---\n${times}---\n${resolved}`)).toMatchObject({
      state: "resolved",
      to: Date.parse("2026-03-10T12:20:00Z"),
    });
    const to = "2026-03-10T12:15:00Z";
    expect(parse(`---\n${times}to: ${to}\n---\n${resolved}`).to).toBe(Date.parse(to));
    expect(parse(`---\n${times}state: monitoring\n---\n## 2026-03-10T12:20:00Z planned`).state).toBe(
      "monitoring",
    );
  });

  test.each([
    `---\n${times}---\nText`,
    `---\r\n${times.replaceAll("\n", "\r\n")}---\r\nText`,
    `--- \n# a comment\n${times}---\t\nText`,
  ])("without mirrors is an announcement, however it is written: %j", (text) => {
    const announcement = { title: "A title", nodes: undefined, to: undefined, markdown: "Text" };
    expect(parse(text)).toMatchObject(announcement);
  });

  const withHead = (head: string) => `---\n${head}---\n`;
  const withText = (text: string) => `${withHead(times)}${text}\n`;

  test.each<[string, string]>([
    ["Text", 'does not begin with its title and times; begin it with "---\\n'],
    [withText("a\u0008b"), "has control characters; remove them"],
    [withHead("- 1\n"), "the front matter between the --- lines must be an object"],
    [withHead("title: [\n"), "is not valid YAML; correct it: "],
    [
      withHead(`${times}title: B\n`),
      "is not valid YAML; correct it: Map keys must be unique at line 3, column 1.",
    ],
    [
      withHead(`${times}mirror: [1]\n`),
      "mirror is not a known key; did you mean mirrors? Known keys: title, mirrors, targets, from, to, state, next",
    ],
    [
      withHead(`${times}mirrors: [${tooMany}]\n`),
      "mirrors has more than 1000 entries; name a project or target instead",
    ],
    [withHead(from), "title is missing; it must be a string"],
    [withHead(`title: ' '\n${from}`), "title is empty"],
    [withHead(`title: "a\\u202eb"\n${from}`), "title has control or invisible characters; remove them"],
    [withHead("title: A\n"), "from must be a timestamp in UTC; write it as 2026-01-31T08:00:00Z"],
    [
      withHead(`${times}state: done\n`),
      "state must be one of investigating, identified, monitoring, resolved, planned",
    ],
    [withHead(`${times}state: resolved\n`), '"to" is missing; a resolved incident needs an end'],
    [withHead(`${times}mirrors: [one]\n`), "mirrors[0] must be a whole number"],
    [withHead(`${times}mirrors: []\n`), "mirrors is empty; add an entry, or remove the key"],
    [
      withText("## 2026-03-10 Disks"),
      'the update "2026-03-10 Disks": its time must be a timestamp in UTC; write it as 2026-01-31T08:00:00Z',
    ],
    [
      withText("## 2026-03-10T12:10:00Z done"),
      'the update "2026-03-10T12:10:00Z done": its state must be one of investigating, identified,',
    ],
    [
      withText("## 2026-03-10T12:10:00Z\n## 2026-03-10T12:10:00Z planned"),
      'the update "2026-03-10T12:10:00Z planned" has the same time as another update; change one of them',
    ],
    [withText("## 2026-03-10T11:00:00Z resolved"), '"to" must be later than "from"'],
  ])("is refused as %j", (text, message) => {
    expectRefusal(text, message);
  });

  test("is refused if its head is nested without end", () => {
    expectRefusal(`---\nmirrors: ${"[".repeat(100_000)}\n---\n`, "is not valid YAML; correct it: ");
  });

  test.each([
    ["Disks", 'the name "Disks" must contain only'],
    ["", "the name is empty"],
    ["2026-11-21-1a2b3c", "looks like the name of an automatic incident; choose another name"],
  ])("is refused with the name %j", (name, message) => {
    expect(() => parse(`---\n${times}---\n`, name)).toThrow(message);
  });
});
