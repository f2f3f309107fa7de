import { format } from "oxfmt";
import { expect, test } from "vitest";
import { commandFiles, declareProgram, runProgram } from "../../src/commands/program.ts";
import { recorded } from "../support/command-context.ts";
import { declaredCommands } from "../support/declared-commands.ts";
import { renderCommands } from "./commands-text.ts";

const file = ".github/docs/commands.md";

test("commands.md is what the program has; `npx vitest run test/documents/commands.test.ts -u` writes it", async () => {
  const { code } = await format(file, await renderCommands(await declaredCommands()));
  await expect(code).toMatchFileSnapshot(`../../${file}`);
});

test.each(Object.entries(commandFiles))("the program takes the examples of %s", async (name, load) => {
  for (const example of (await load()).notes.examples) {
    const { context, logged } = recorded();
    let called = false;
    const program = declareProgram(context, () => {
      called = true;
      return Promise.resolve();
    });
    const words = wordsOf(example);
    await runProgram(program, words);
    expect([words[0], called, logged], example).toEqual([name, true, []]);
  }
});

/** Returns the arguments of mirrorfeed in a line for a shell, without quotes and redirections. */
function wordsOf(line: string): string[] {
  const [, own = ""] = /mirrorfeed ([^)>]+)/.exec(line) ?? [];
  return [...own.matchAll(/'([^']*)'|"\$(\w+)"|(\S+)/g)].map(([, quoted, variable, word]) =>
    variable === undefined ? (quoted ?? word ?? "") : "1234",
  );
}
