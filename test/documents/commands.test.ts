import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { format } from "oxfmt";
import { expect, test } from "vitest";
import { exitCodesOf } from "../../src/core/command/command.ts";
import { commandFiles } from "../../src/app/commands/program.ts";
import { calledBy, declaredCommands } from "../support/declared-commands.ts";

const file = ".github/docs/commands.md";

test("commands.md is what the program has; `npx vitest run test/documents/commands.test.ts -u` writes it", async () => {
  const { code } = await format(file, await renderCommands(await declaredCommands()));
  await expect(code).toMatchFileSnapshot(`../../${file}`);
});

test.each(Object.entries(commandFiles))(
  "the program takes the examples of %s, and the page has its exit codes",
  async (name, load) => {
    const { notes } = await load();
    for (const example of notes.examples) expect(await calledBy(wordsOf(example)), example).toBe(name);
    for (const code of Object.keys(exitCodesOf(notes))) expect(commonCodes).toContain(`\n| ${code} | `);
  },
);

/** Returns mirrorfeed's arguments in a shell command, without quotes and redirections. */
function wordsOf(line: string): string[] {
  const [, own = ""] = /mirrorfeed ([^)>]+)/.exec(line) ?? [];
  return [...own.matchAll(/'([^']*)'|"\$(\w+)"|(\S+)/g)].map(([, quoted, variable, word]) =>
    variable === undefined ? (quoted ?? word ?? "") : "1234",
  );
}

const head = `# Command reference

\`mirrorfeed COMMAND --help\` shows the same. Results go to stdout, everything else to stderr.
`;

const commonCodes = `## Exit codes

| code | meaning |
| --- | --- |
| 0 | done |
| 1 | a finding, such as a broken rule, or too few mirrors that are reachable or have a release |
| 2 | wrong usage or configuration, or a state or results file that cannot be read |
| 3 | this machine is offline, so nothing was decided |
| 4 | unknown: the feed cannot be read, or has expired |
| 70 | a bug in mirrorfeed |
| 130 | interrupted |

Each command's own codes are listed below.
`;

async function renderCommands(commands: readonly CommandUnknownOpts[]): Promise<string> {
  const groups = [...new Set(commands.map((command) => command.helpGroup()))];
  const sections: string[] = [];
  for (const group of groups) {
    const own = commands.filter((command) => command.helpGroup() === group);
    sections.push(`## ${group.replace(/:$/, "")}\n`, ...(await Promise.all(own.map(renderCommand))));
  }
  const rows = commands.map((command) => [link(command), command.description()]);
  return [head, `${table(["command", "what it does"], rows)}\n`, commonCodes, ...sections].join("\n");
}

function link(command: CommandUnknownOpts): string {
  return `[\`${command.name()}\`](#mirrorfeed-${command.name()})`;
}

async function renderCommand(command: CommandUnknownOpts): Promise<string> {
  const help = command.createHelp();
  const notes = (await commandFiles[command.name()]?.())?.notes;
  const parameters = [
    ...command.registeredArguments.map((one) => [
      `${one.required ? "<" : "["}${one.name()}${one.variadic ? "..." : ""}${one.required ? ">" : "]"}`,
      help.argumentDescription(one),
    ]),
    ...command.options.map((option) => [option.flags, help.optionDescription(option)]),
  ].map(([term = "", meaning = ""]) => [`\`${term}\``, withCode(meaning)]);
  const codes = notes === undefined ? [] : Object.entries(exitCodesOf(notes));
  return [
    `### mirrorfeed ${command.name()}\n`,
    `\`${help.commandUsage(command)}\`\n`,
    `${sentence(command.description())}\n`,
    `${table(["argument or option", "meaning"], parameters)}\n`,
    `${table(["exit code", "meaning"], codes)}\n`,
    `\`\`\`sh\n${(notes?.examples ?? []).join("\n")}\n\`\`\`\n`,
  ].join("\n");
}

/** Puts backticks around the choices, the default and the names of other options in an option's description. */
function withCode(text: string): string {
  return text
    .replaceAll(/(?<=\bone of )[^;)]+/g, (choices) => choices.replaceAll(/[^, ]+/g, "`$&`"))
    .replaceAll(/(?<=\bdefault: )[\w./:-]+(?=\))/g, "`$&`")
    .replaceAll(/--[a-z-]+(?: (?:json|git))?/g, "`$&`");
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** Renders a Markdown table. oxfmt aligns its columns later. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map((row) => line(row))].join("\n");
}
