import { expect, test } from "vitest";
import { commandFiles } from "../../src/commands/program.ts";
import { declaredCommands } from "../support/declared-commands.ts";

const commands = await declaredCommands();

test("every command is in a group, and has two examples of its own with options", async () => {
  expect(commands.map((command) => command.name())).toEqual(Object.keys(commandFiles));
  for (const command of commands) {
    expect(command.helpGroup()).not.toBe("");
    const { examples } = (await commandFiles[command.name()]?.())?.notes ?? {};
    expect(new Set(examples).size).toBe(2);
    for (const example of examples ?? [])
      expect(example).toMatch(new RegExp(`mirrorfeed ${command.name()}\\b[^>)]* --[a-z]`));
  }
});

test("defaults are as a person types them", () => {
  const help = new Map(commands.map((command) => [command.name(), command.helpInformation()]));
  for (const [name, text] of help) {
    expect(text, name).not.toMatch(/default: (?:["{[]|\d{5,}\)|\d000\))|\[object/);
    expect(text).not.toMatch(/by default/);
  }
  expect(help.get("watch")).toMatch(/--interval <time> .*\(default:\s+60s\)/s);
  expect(help.get("check")).toMatch(/--timeout <time> .*\(default:\s+5s\)/s);
  expect(help.get("host")).toMatch(/--listen <address:port> .*\(default:\s+0\.0\.0\.0:80\)/s);
  expect(help.get("run")).toMatch(/--config <file> .*\(default:\s+mirrors\.json\)/s);
});

test("no option takes several values after each other where a command has arguments", () => {
  for (const command of commands.filter(({ registeredArguments }) => registeredArguments.length > 0))
    expect(command.options.filter(({ variadic }) => variadic)).toEqual([]);
});
