import { expect, test } from "vitest";
import { declareProgram } from "../../src/program/program.ts";
import { recorded } from "../support/command-context.ts";
import { loadDocument } from "../support/document.ts";

const { text: readme } = loadDocument("README.md");

test("the README has at most 1,500 words", () => {
  expect(readme.split(/\s+/).length).toBeLessThanOrEqual(1500);
});

test("its table of commands is what the program has", () => {
  const { commands } = declareProgram(recorded().context, () => undefined);
  const listed = [...readme.matchAll(/^\| `mirrorfeed (\w+)/gm)].map(([, name]) => name);
  const known = commands.map((command) => command.name()).filter((name) => name !== "help");
  expect(listed.sort()).toEqual(known.sort());
});
