import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { codes } from "../../src/core/kinds/kinds.ts";
import { declaredCommands } from "../support/declared-commands.ts";
import { blocksOf, documentNames, linkedNames, loadDocument } from "../support/document.ts";
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
    const whole = wholes.find(({ text }) => text.includes('"network"'))?.text;
    for (const { text, line } of wholes) validateWhole(text, `${name}:${line}`);
    for (const { text, line } of blocksOf(document, "json5")) validatePart(text, `${name}:${line}`, whole);
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
  const wrong = links.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [path = "", anchor] = target.split("#");
    const file = path === "" ? name : join(dirname(name), path);
    return !isThere(file) || (anchor !== undefined && anchors.get(file)?.includes(anchor) !== true);
  });
  expect(wrong).toEqual([]);
});

test("the README leads to every document, and together they name every npm script and code", () => {
  const [readme] = documents;
  expect(readme?.links.map((target) => target.split("#")[0])).toEqual(
    expect.arrayContaining(documentNames.slice(1)),
  );
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: object };
  const known = [...Object.keys(scripts), "ci", "pack", "install"];
  const called = [...everything.matchAll(/(?:^|`|&& )npm (?:run )?([\w:]+)/gm)].map(([, name]) => name);
  expect(called.length).toBeGreaterThan(4);
  expect(known).toEqual(expect.arrayContaining(called));
  const unnamed = codes.filter((code) => !everything.includes(`\`${code}\``));
  expect(unnamed, "codes that no document names").toEqual([]);
});

test("steps of workflows give the actions of the project only inputs that these have", () => {
  const lists = documents
    .flatMap((document) => blocksOf(document, "yaml"))
    .map(({ text }) => parse(text) as unknown);
  const steps = lists.filter(Array.isArray).flat() as { uses?: string; with?: object }[];
  const called = steps.flatMap(({ uses = "", with: given = {} }) => {
    const [, path] = /^OWNER\/REPOSITORY\/(.+)@COMMIT$/.exec(uses) ?? [];
    return path === undefined ? [] : [{ path, given }];
  });
  expect(called).toHaveLength(2);
  for (const { path, given } of called) {
    const { inputs } = parse(readFileSync(join(root, path, "action.yml"), "utf8")) as { inputs: object };
    expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(given)));
  }
});
