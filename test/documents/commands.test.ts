import { format } from "oxfmt";
import { expect, test } from "vitest";
import { loadKinds } from "../../src/commands/program/kind-option.ts";
import { notes } from "../../src/commands/program/notes.ts";
import { declareProgram, runProgram } from "../../src/commands/program/program.ts";
import { recorded } from "../support/command-context.ts";
import { renderCommands } from "./commands-text.ts";

const file = ".github/docs/commands.md";

test("commands.md is what the program has; `npx vitest run test/documents/commands.test.ts -u` writes it", async () => {
  const program = declareProgram(recorded().context, () => undefined);
  const commands = program.commands.filter((command) => command.name() !== "help");
  for (const command of commands) await loadKinds(command);
  const { code } = await format(file, renderCommands(commands));
  await expect(code).toMatchFileSnapshot(`../../${file}`);
});

const examples = Object.entries(notes).flatMap(([name, own]) =>
  (own?.examples ?? []).map((example) => [name, example] as const),
);

test.each(examples)("the program takes the example of %s: %s", async (name, example) => {
  const { context, logged } = recorded();
  const program = declareProgram(context, () => undefined);
  let called = "";
  for (const command of program.commands)
    command.action(() => {
      called = command.name();
    });
  await runProgram(program, wordsOf(example));
  expect(called).toBe(name);
  expect(logged).toEqual([]);
});

/** Returns the arguments of mirrorfeed in a line for a shell, without quotes and redirections. */
function wordsOf(line: string): string[] {
  const [, own = ""] = /mirrorfeed ([^)>]+)/.exec(line) ?? [];
  return [...own.matchAll(/'([^']*)'|"\$(\w+)"|(\S+)/g)].map(([, quoted, variable, word]) =>
    variable === undefined ? (quoted ?? word ?? "") : "1234",
  );
}
