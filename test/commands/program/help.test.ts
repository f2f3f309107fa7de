import { expect, test } from "vitest";
import { notes } from "../../../src/commands/program/notes.ts";
import { declareProgram } from "../../../src/commands/program/program.ts";
import { recorded } from "../../support/command-context.ts";

const program = declareProgram(recorded().context, () => undefined);
const commands = program.commands.filter((command) => command.name() !== "help");

test("every command is in a group, and has two examples of its own with options that exist", () => {
  expect(Object.keys(notes).sort()).toEqual(commands.map((command) => command.name()).sort());
  for (const command of commands) {
    expect(command.helpGroup()).not.toBe("");
    const known = command.options.map(({ long }) => long);
    const { examples = [] } = notes[command.name()] ?? {};
    expect(new Set(examples).size).toBe(2);
    for (const example of examples) {
      const [, own = ""] = new RegExp(`mirrorfeed ${command.name()}\\b([^>)]*)`).exec(example) ?? [];
      const options = [...own.matchAll(/ (--[a-z-]+)/g)].map(([, option]) => option);
      expect(options.length, example).toBeGreaterThan(0);
      expect(known).toEqual(expect.arrayContaining(options));
      for (const { long, argChoices } of command.options) {
        const value = own.split(`${long ?? ""} `)[1]?.split(" ")[0];
        if (argChoices !== undefined && value !== undefined) expect(argChoices).toContain(value);
      }
    }
  }
});

test("defaults are as a person types them", () => {
  for (const command of commands) {
    const help = command.helpInformation();
    expect(help, command.name()).not.toMatch(/default: (?:["{[]|\d{5,}\)|\d000\))|\[object/);
    expect(help).not.toMatch(/by default/);
  }
  const help = (name: string): string =>
    commands.find((command) => command.name() === name)?.helpInformation() ?? "";
  expect(help("watch")).toMatch(/--interval <time> .*\(default:\s+60s\)/s);
  expect(help("check")).toMatch(/--timeout <time> .*\(default:\s+5s\)/s);
  expect(help("host")).toMatch(/--listen <address:port> .*\(default:\s+0\.0\.0\.0:80\)/s);
  expect(help("run")).toMatch(/--config <file> .*\(default:\s+mirrors\.json\)/s);
});

test("no option takes several values after each other where a command has arguments", () => {
  for (const command of commands.filter(({ registeredArguments }) => registeredArguments.length > 0))
    expect(command.options.filter(({ variadic }) => variadic)).toEqual([]);
});
