import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { env, stdout } from "node:process";
import { afterAll, describe, expect, test } from "vitest";
import { codes } from "../../src/kinds/kinds.ts";
import { declareProgram } from "../../src/program/program.ts";
import { recorded } from "../support/command-context.ts";
import {
  blocksOf,
  type Document,
  documentNames,
  linkedNames,
  loadDocument,
  parseDocument,
} from "../support/document.ts";
import { validatePart, validateWhole } from "../support/document-json.ts";

/** Documents that the program writes: one proof below the title holds for all of it. */
const generated = ["commands", "hosts", "settings"].map((name) => `.github/docs/${name}.md`);

const documents = documentNames.map(loadDocument);
const linked = linkedNames.map(loadDocument);
const root = join(import.meta.dirname, "../..");
const isThere = (path: string): boolean => existsSync(join(root, path));
const everything = documents.map(({ text }) => text).join("\n");

/** Returns `line: what` for each section and block of a document that nothing proves. */
function unproved({ name, sections }: Document): string[] {
  const isWhole = generated.includes(name) && sections[0]?.level === 1 && sections[0].proof.length > 0;
  return sections.flatMap(({ heading, line, proof, read, hasText, blocks }) => [
    ...(hasText && !isWhole && proof.length + read.length === 0 ? [`${line}: ${heading}`] : []),
    ...blocks.flatMap((block) => {
      const isProved = isWhole || proof.length + block.proof.length + block.read.length > 0;
      return isProved && block.language !== "" ? [] : [`${block.line}: ${block.language || "no language"}`];
    }),
  ]);
}

describe.each(documents)("$name", (document) => {
  const { name, sections } = document;

  test("has a test or a source for each section and each block", () => {
    expect(unproved(document)).toEqual([]);
  });

  test("names tests that exist, and sources by their address", () => {
    const marks = sections.flatMap(({ proof, read, blocks }) => [{ proof, read }, ...blocks]);
    for (const { proof, read } of marks) {
      for (const file of proof) expect(file, name).toMatch(/^test\/\S+\.test\.ts$/);
      expect(proof.filter((file) => !isThere(file))).toEqual([]);
      for (const source of read) expect(source, name).toMatch(/^https:\S+ \(\d{4}-\d{2}-\d{2}\)$/);
    }
    expect(document.text.match(/<!-- *(?:read|proof)/g)?.length ?? 0).toBe(
      document.text.match(/^<!-- (?:read|proof): \S/gm)?.length ?? 0,
    );
  });

  test("shows JSON that is valid", () => {
    const wholes = blocksOf(document, "json").filter(({ proof, read }) => proof.length + read.length === 0);
    for (const { text, line } of wholes)
      expect(() => {
        validateWhole(text, `${name}:${line}`);
      }).not.toThrow();
    const whole = wholes.find(({ text }) => text.includes('"network"'))?.text;
    for (const { text, line } of blocksOf(document, "json5").filter((one) => one.proof.length === 0))
      expect(() => {
        validatePart(text, `${name}:${line}`, whole);
      }).not.toThrow();
  });

  test("names options of the command before them", () => {
    const { commands } = declareProgram(recorded().context, () => undefined);
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

test("a section, a block and a mark that lack their proof are found", () => {
  const lines = [
    "# A",
    "",
    "Text.",
    "",
    "## B",
    "",
    "<!-- proof: test/a.test.ts -->",
    "",
    "```",
    "x",
    "```",
    "",
  ];
  const source = [
    "## C",
    "",
    "Text.",
    "",
    "<!-- read: https://a.example/ (2026-01-31) -->",
    "",
    "```sh",
    "x",
    "```",
  ];
  const document = parseDocument("a.md", [...lines, ...source].join("\n"));
  expect(unproved(document)).toEqual(["1: A", "9: no language", "13: C"]);
  const [, second, third] = document.sections;
  expect(second?.proof).toEqual(["test/a.test.ts"]);
  expect(third?.blocks[0]?.read).toEqual(["https://a.example/ (2026-01-31)"]);
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

/** Prints what is executed and what is read, of each document: `npm run documents`. */
if (env["MIRRORFEED_CLAIMS"] === "1")
  afterAll(() => {
    for (const { name, text, sections } of documents) {
      const own = sections.filter(({ hasText }) => hasText);
      const blocks = sections.flatMap((section) => section.blocks);
      const tests = new Set([...own, ...blocks].flatMap(({ proof }) => proof));
      const sources = new Set([...own, ...blocks].flatMap(({ read }) => read));
      const isWhole = generated.includes(name);
      const proved = own.filter(({ proof }) => isWhole || proof.length > 0);
      const executed = blocks.filter(({ proof, read }) => read.length === 0 || proof.length > 0);
      stdout.write(
        [
          `${name}: ${text.replaceAll(/<!--.*?-->/gs, "").split(/\s+/).length} words`,
          `${proved.length} of ${own.length} sections executed by ${tests.size} test files`,
          `${executed.length} of ${blocks.length} blocks executed`,
          `${sources.size} sources read\n`,
        ].join("; "),
      );
      for (const source of sources) stdout.write(`  ${source}\n`);
    }
  });
