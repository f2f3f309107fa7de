import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { commandFiles, oldestNode, requireNode } from "../../../src/app/commands/program.ts";
import { declaredCommands } from "../../support/declared-commands.ts";

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

test("versions of Node.js older than the one that npm reads are refused", () => {
  const { engines }: { engines: { node: string } } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(engines.node).toBe(`>=${oldestNode}`);
  for (const version of ["v18.20.8", "v20.18.3", "v0.12.0"])
    expect(() => {
      requireNode(version);
    }).toThrow(
      `mirrorfeed needs Node.js ${oldestNode} or later, and this is ${version}; install a newer version.`,
    );
  for (const version of ["v20.19.0", "v20.20.0", "v22.0.0", "v24.1.0", "v100.0.0"])
    expect(() => {
      requireNode(version);
    }).not.toThrow();
});
