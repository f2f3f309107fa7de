import type { CommandContext } from "../../src/terminal/context.ts";
import { InputError } from "../../src/errors.ts";
import { processes } from "./folder.ts";

/** A setting as src/cli.ts has it, without a terminal, and what was printed and told by it. */
export function recorded(changes: Partial<CommandContext> = {}): {
  context: CommandContext;
  printed: string[];
  told: string[];
} {
  const printed: string[] = [];
  const told: string[] = [];
  const context: CommandContext = {
    interrupt: new AbortController().signal,
    now: () => 0,
    random: Math.random,
    processes,
    environment: {},
    output: (text) => printed.push(text),
    log: (text) => told.push(text),
    color: false,
    progress: () => ({ step: () => undefined, stop: () => undefined }),
    ...changes,
  };
  return { context, printed, told };
}

/** The sentence that something fails with. */
export async function sentence(action: Promise<unknown>): Promise<string> {
  try {
    await action;
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
  throw new Error("It did not fail.");
}
