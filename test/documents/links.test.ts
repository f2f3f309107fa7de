import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { codes } from "../../src/kinds/kinds.ts";
import { declaredCommands } from "../support/declared-commands.ts";
import { blocksOf, documentNames, linkedNames, loadDocument, parseDocument } from "../support/document.ts";
import { validatePart, validateWhole } from "../support/document-json.ts";

const documents = documentNames.map(loadDocument);
const linked = linkedNames.map(loadDocument);
const root = join(import.meta.dirname, "../..");
const isThere = (path: string): boolean => existsSync(join(root, path));
const everything = documents.map(({ text }) => text).join("\n");

describe.each(documents)("$name", (document) => {
  const { name } = document;

  test("shows JSON that is valid", () => {
    const wholes = blocksOf(document, "json");
    for (const { text, line } of wholes)
      expect(() => {
        validateWhole(text, `${name}:${line}`);
      }).not.toThrow();
    const whole = wholes.find(({ text }) => text.includes('"network"'))?.text;
    for (const { text, line } of blocksOf(document, "json5"))
      expect(() => {
        validatePart(text, `${name}:${line}`, whole);
      }).not.toThrow();
  });

  test("names options of the command before them", async () => {
    const commands = await declaredCommands();
    const text = document.text.replaceAll(/\\\n/g, " ");
    for (const [, called = "", rest = ""] of text.matchAll(/mirrorfeed ([a-z]+)\b([^`\n|]*)/g)) {
      const command = commands.find((one) => one.name() === called);
      const known = ["--help", ...(command?.options ?? []).flatMap(({ long }) => long ?? [])];
      const written = [...rest.matchAll(/(?<= )--[a-z][a-z-]*/g)].map(([option]) => option);
      if (command !== undefined) expect(known, called).toEqual(expect.arrayContaining(written));
    }
  });
});

test.each(linked)("the links of $name lead to files and headings", ({ name, links }) => {
  const anchors = new Map(linked.map((one) => [one.name, one.sections.map(({ anchor }) => anchor)]));
  const wrong = links.filter(({ target }) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [path = "", anchor] = target.split("#");
    const file = path === "" ? name : join(dirname(name), path);
    return !isThere(file) || (anchor !== undefined && anchors.get(file)?.includes(anchor) !== true);
  });
  expect(wrong).toEqual([]);
});

test("the README leads to every document", () => {
  const [readme] = documents;
  expect(readme?.links.map(({ target }) => target.split("#")[0])).toEqual(
    expect.arrayContaining(documentNames.slice(1)),
  );
});

test("every npm script they call is there", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const called = [...everything.matchAll(/(?:^|`|&& )npm (?:run )?([\w:]+)/gm)].map(([, name = ""]) => name);
  const own = ["ci", "pack", "install"];
  for (const name of called.filter((one) => !own.includes(one))) expect(Object.keys(scripts)).toContain(name);
  expect(called.length).toBeGreaterThan(4);
});

test("they name every code", () => {
  for (const code of codes) expect(everything).toContain(`\`${code}\``);
});

test("anchors are those of GitHub", () => {
  const text = "# `--shard i/n`: who?\n\n## Twice\n\n## Twice\n\n## Über 3 & 4\n";
  expect(parseDocument("a.md", text).sections.map(({ anchor }) => anchor)).toEqual([
    "--shard-in-who",
    "twice",
    "twice-1",
    "über-3--4",
  ]);
});
